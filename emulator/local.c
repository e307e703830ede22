#include "emulator/local.h"

#include "emulator/find.h"
#include "emulator/trapping.h"

static bool trap(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, uint64_t address,
                 tg_emu_trap_kind kind, const char *what)
{
    tg_emu_trap_at(exec, inst, 1u << lane, kind, "local address 0x%llx %s",
                   (unsigned long long)address, what);
    exec->result->trap.has_address = true;
    exec->result->trap.address = address;
    return false;
}

bool tg_emu_local_find_lane(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                            uint64_t address, unsigned bytes, tg_emu_touch touch,
                            unsigned char **data)
{
    const uint64_t size = exec->entry->local_bytes, offset = address - TG_EMU_LOCAL_START;
    if (size < bytes || offset > size - bytes)
        return trap(exec, inst, lane, address, TG_EMU_TRAP_OUT_OF_BOUNDS,
                    "is outside the thread's variables");
    if (address & (bytes - 1))
        return trap(exec, inst, lane, address, TG_EMU_TRAP_MISALIGNED, "is not aligned");
    unsigned char *state = exec->warp->local_state + lane * size + offset;
    for (unsigned i = 0; touch == TG_EMU_READ && i < bytes; i++)
        if (!state[i])
            return trap(exec, inst, lane, address + i, TG_EMU_TRAP_UNINITIALISED_LOCAL,
                        "has not been written");
    if (touch == TG_EMU_WRITE) memset(state, 1, bytes);
    *data = exec->warp->local + lane * size + offset;
    return true;
}

bool tg_emu_local_find(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, unsigned bytes,
                       tg_emu_touch touch, unsigned char *data[TG_EMU_LANES])
{
    uint64_t addresses[TG_EMU_LANES];
    tg_emu_addresses_of(exec, inst, addresses);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1 &&
            !tg_emu_local_find_lane(exec, inst, lane, addresses[lane], bytes, touch, &data[lane]))
            return false;
    return true;
}
