#include "emulator/call_scope.h"

#include <string.h>

#include "emulator/exec.h"

tg_emu_step tg_emu_exec_begin_call(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const tg_emu_call_scope *scope = inst->data;
    const size_t local_bytes = exec->entry->local_bytes;
    for (uint32_t r = 0; r < scope->register_count; r++)
        exec->defined[scope->first_register + r] &= ~mask;
    for (unsigned lane = 0; scope->local_bytes && lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1)
            memset(exec->warp->local_state + lane * local_bytes + scope->local_offset, 0,
                   scope->local_bytes);
    return TG_EMU_ON;
}
