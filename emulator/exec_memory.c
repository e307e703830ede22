/* Loads, stores and moves of a warp. */
#include "emulator/exec_memory.h"

#include <assert.h>

#include "emulator/find.h"
#include "emulator/lanes.h"
#include "emulator/local.h"
#include "emulator/memory_flags.h"
#include "emulator/order.h"
#include "emulator/spin.h"
#include "emulator/trapping.h"

enum { MOST_STORED = 16 }; /* bytes of a lane */

/* -- moving elements -- */

/* Extends `from` bytes of memory by zeros or sign to a register of `to` bytes. */
static void load_lane(void *reg, unsigned lane, unsigned to, const unsigned char *memory,
                      unsigned from, bool is_signed)
{
    uint64_t value = 0;
    assert(from > 0);
    for (unsigned i = 0; i < from; i++) value |= (uint64_t)memory[i] << 8 * i;
    if (is_signed && from < 8 && value >> (8 * from - 1)) value |= UINT64_MAX << 8 * from;
    if (to == 1)
        ((uint8_t *)reg)[lane] = (uint8_t)value;
    else if (to == 2)
        ((uint16_t *)reg)[lane] = (uint16_t)value;
    else if (to == 4)
        ((uint32_t *)reg)[lane] = (uint32_t)value;
    else
        ((uint64_t *)reg)[lane] = value;
}

static void load_element(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                         unsigned element, unsigned char *const data[TG_EMU_LANES])
{
    void *reg = tg_emu_at(exec, &inst->out[element]);
    unsigned from = tg_emu_memory_bytes(inst->flags),
             to = tg_emu_memory_register(inst->flags, element);
    bool is_signed = inst->flags & TG_EMU_MEMORY_SIGNED;
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        const unsigned char *at = data[lane] + (size_t)element * from;
        if (from == 4 && to == 4)
            memcpy((uint32_t *)reg + lane, at, 4);
        else
            load_lane(reg, lane, to, at, from, is_signed);
    }
}

static bool find(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, unsigned bytes,
                 tg_emu_touch touch, unsigned char *data[TG_EMU_LANES])
{
    if (tg_emu_memory_space(inst->flags) == TG_EMU_LOCAL)
        return tg_emu_local_find(exec, inst, mask, bytes, touch, data);
    return tg_emu_find_lanes(exec, inst, mask, bytes, touch, inst->flags & TG_EMU_MEMORY_STRONG,
                             data);
}

tg_emu_step tg_emu_exec_load(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    unsigned char *data[TG_EMU_LANES];
    unsigned count = tg_emu_memory_count(inst->flags),
             bytes = count * tg_emu_memory_bytes(inst->flags);
    if (!find(exec, inst, mask, bytes, TG_EMU_READ, data)) return TG_EMU_TRAPPED;
    if (tg_emu_memory_space(inst->flags) == TG_EMU_GLOBAL)
        exec->result->global_loads += count * (uint64_t)__builtin_popcount(mask);
    for (unsigned i = 0; i < count; i++) load_element(exec, inst, mask, i, data);
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_load_param(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    unsigned char *data[TG_EMU_LANES];
    unsigned char *from = (unsigned char *)exec->params + inst->immediate;
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) data[lane] = from;
    for (unsigned i = 0; i < tg_emu_memory_count(inst->flags); i++)
        load_element(exec, inst, mask, i, data);
    return TG_EMU_ON;
}

static void store_element(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                          unsigned element, unsigned char *const data[TG_EMU_LANES])
{
    const unsigned char *reg = tg_emu_at(exec, &inst->in[1 + element]);
    unsigned to = tg_emu_memory_bytes(inst->flags),
             from = tg_emu_memory_register(inst->flags, element);
    const bool looks = exec->entry->waits;
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        unsigned char *at = data[lane] + (size_t)element * to;
        if (looks && memcmp(at, reg + (size_t)from * lane, to) != 0) tg_emu_spin_changed(exec);
        if (to == 4)
            memcpy(at, reg + (size_t)from * lane, 4);
        else
            memcpy(at, reg + (size_t)from * lane, to);
    }
}

static tg_emu_step store(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    unsigned char *data[TG_EMU_LANES];
    const unsigned count = tg_emu_memory_count(inst->flags),
                   bytes = count * tg_emu_memory_bytes(inst->flags);
    if (!find(exec, inst, mask, bytes, TG_EMU_WRITE, data)) return TG_EMU_TRAPPED;
    for (unsigned i = 0; i < count; i++) store_element(exec, inst, mask, i, data);
    return TG_EMU_ON;
}

/* Lane after lane, so that each sees in memory what the ones before it have stored. */
static tg_emu_step store_each(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    unsigned char value[MOST_STORED];
    const unsigned bytes = tg_emu_memory_bytes(inst->flags);
    tg_emu_step step = TG_EMU_ON;
    exec->stored = value;
    for (unsigned lane = 0; step == TG_EMU_ON && lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        for (unsigned i = 0; i < tg_emu_memory_count(inst->flags); i++) {
            const unsigned char *reg = tg_emu_at(exec, &inst->in[1 + i]);
            const size_t width = tg_emu_memory_register(inst->flags, i);
            memcpy(value + (size_t)i * bytes, reg + width * lane, bytes);
        }
        step = store(exec, inst, 1u << lane);
    }
    exec->stored = NULL;
    return step;
}

tg_emu_step tg_emu_exec_store(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const bool may_repeat = exec->launch->same_values && exec->launch->races &&
                            tg_emu_memory_space(inst->flags) == TG_EMU_SHARED;
    return may_repeat ? store_each(exec, inst, mask) : store(exec, inst, mask);
}

/* -- moves -- */

/* Compilers pack a part that nobody reads from a register that nothing has written.  Its bits are arbitrary: they
 * come from the seed. */
static void fill(const tg_emu_exec *exec, unsigned char *part, unsigned bytes)
{
    uint64_t state = exec->launch->seed;
    const uint64_t bits = tg_emu_random(&state);
    memcpy(part, &bits, bytes);
}

static tg_emu_step trap_unwritten(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t missing)
{
    char name[TG_EMU_REGISTER_TEXT];
    const uint32_t *registers = inst->data;
    return tg_emu_trap_at(exec, inst, missing, TG_EMU_TRAP_UNINITIALISED_REGISTER,
                          "%s has not been written",
                          tg_emu_register_text(exec->entry, registers[0], name));
}

/* Parts have inst->flags bytes each, the first lowest. */
tg_emu_step tg_emu_exec_pack(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const uint32_t *registers = inst->data;
    const unsigned part = inst->flags, whole = part * inst->in_count;
    unsigned char t[TG_EMU_LANES * sizeof(uint64_t)] = {0};
    uint32_t written = 0;
    for (unsigned i = 0; i < inst->in_count; i++) {
        const unsigned char *from = tg_emu_at(exec, &inst->in[i]);
        const uint32_t has = exec->defined[registers[i]];
        written |= has;
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
            unsigned char *to = t + (size_t)lane * whole + (size_t)i * part;
            memcpy(to, from + (size_t)lane * part, part);
            if (!(has >> lane & 1)) fill(exec, to, part);
        }
    }
    if (mask & ~written && !exec->launch->arbitrary_registers)
        return trap_unwritten(exec, inst, mask & ~written);
    put_lanes(tg_emu_at(exec, &inst->out[0]), t, whole, mask);
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_unpack(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    unsigned part = inst->flags, whole = part * inst->out_count;
    unsigned char from[TG_EMU_LANES * sizeof(uint64_t)], t[TG_EMU_LANES * sizeof(uint64_t)] = {0};
    memcpy(from, tg_emu_at(exec, &inst->in[0]),
           (size_t)TG_EMU_LANES * whole); /* the source may also be one of the results */
    for (unsigned i = 0; i < inst->out_count; i++) {
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            memcpy(t + (size_t)lane * part, from + (size_t)lane * whole + (size_t)i * part, part);
        put_lanes(tg_emu_at(exec, &inst->out[i]), t, part, mask);
    }
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_offset(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const uint64_t *as = tg_emu_at(exec, &inst->in[0]);
    TG_EMU_LANE(U64, t[i] = as[i] + (uint64_t)inst->immediate;)
}
