/* Makes traps during a launch: their texts and positions. */
#include "emulator/trapping.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tg_emu_place_thread(const tg_emu_exec *exec, uint32_t tid, tg_emu_place *place)
{
    const uint32_t *block = exec->launch->block;
    const tg_emu_cta *cta = tg_emu_cta_of(exec, tid);
    tid -= cta->rank * exec->cta_warps * TG_EMU_LANES;
    memcpy(place->ctaid, cta->ctaid, sizeof place->ctaid);
    place->tid[0] = tid % block[0];
    place->tid[1] = tid / block[0] % block[1];
    place->tid[2] = tid / block[0] / block[1];
}

void tg_emu_place_cta_of(const tg_emu_exec *exec, uint32_t epoch, tg_emu_place *place)
{
    const uint32_t *grid = exec->launch->grid;
    uint64_t i = exec->start_count;
    while (i > 0 && exec->starts[i - 1].epoch > epoch) i--;
    uint64_t number = i ? exec->starts[i - 1].number : 0;
    place->ctaid[0] = (uint32_t)(number % grid[0]);
    place->ctaid[1] = (uint32_t)(number / grid[0] % grid[1]);
    place->ctaid[2] = (uint32_t)(number / grid[0] / grid[1]);
}

void tg_emu_place_inst(const tg_emu_exec *exec, const tg_emu_inst *inst, tg_emu_place *place)
{
    const tg_emu_module *module = exec->module;
    place->line = inst->line;
    place->column = inst->column;
    for (size_t i = 0; inst->source_line && i < module->source_count; i++)
        if (module->sources[i].number == inst->source_file) {
            place->source = module->sources[i].name;
            place->source_line = inst->source_line;
        }
}

tg_emu_step tg_emu_trap_at(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                           tg_emu_trap_kind kind, const char *format, ...)
{
    tg_emu_trap *trap = &exec->result->trap;
    va_list args;
    *trap = (tg_emu_trap){.kind = kind};
    tg_emu_place_inst(exec, inst, &trap->at);
    va_start(args, format);
    vsnprintf(trap->text, sizeof trap->text, format, args);
    va_end(args);
    tg_emu_place_thread(exec, exec->warp->first_tid + tg_emu_first_lane(mask), &trap->at);
    exec->result->trapped = true;
    return TG_EMU_TRAPPED;
}

const char *tg_emu_register_text(const tg_emu_entry *entry, uint32_t reg,
                                 char out[TG_EMU_REGISTER_TEXT])
{
    for (size_t i = 0; i < entry->name_count; i++) {
        const tg_emu_register_name *n = &entry->names[i];
        if (reg < n->first || reg - n->first >= n->count) continue;
        if (n->is_range)
            snprintf(out, TG_EMU_REGISTER_TEXT, "%.100s%u", n->name, reg - n->first);
        else
            snprintf(out, TG_EMU_REGISTER_TEXT, "%.100s", n->name);
        return out;
    }
    return "the carry flag"; /* the only register without a name */
}
