#include "emulator/tensor_alloc.h"

#include <inttypes.h>

#include "emulator/find.h"
#include "emulator/tensor_ops.h"
#include "emulator/tensor_order.h"
#include "emulator/trapping.h"
#include "emulator/warp.h"

enum { LEAST = 32 }; /* columns that can be allocated */

static tg_emu_step trap(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, const char *what,
                        uint32_t value)
{
    return tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_TENSOR, "%s: %" PRIu32, what, value);
}

static bool is_legal_count(uint32_t columns)
{
    return columns >= LEAST && columns <= TG_EMU_TENSOR_COLUMNS && !(columns & (columns - 1));
}

/* The first free columns that are so many, at a multiple of the number; UINT32_MAX: there are none. */
static uint32_t find_free(const tg_emu_tensor_memory *m, uint32_t columns)
{
    for (uint32_t first = 0; first < TG_EMU_TENSOR_COLUMNS; first += columns) {
        uint32_t free = 0;
        while (free < columns && !m->owner[first + free]) free++;
        if (free == columns) return first;
    }
    return UINT32_MAX;
}

tg_emu_step tg_emu_exec_tensor_alloc(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_step step;
    if (!tg_emu_whole_warp(exec, inst, mask, "tcgen05", &step)) return step;
    const uint32_t columns = *(const uint32_t *)tg_emu_at(exec, &inst->in[1]);
    tg_emu_tensor_memory *m = tg_emu_tensor_memory_of(exec);
    unsigned char *data[TG_EMU_LANES];
    if (!m) return TG_EMU_TRAPPED;
    if (!is_legal_count(columns))
        return trap(exec, inst, 0, "columns are allocated by 32, 64, 128, 256 or 512", columns);
    if (m->is_relinquished)
        return trap(exec, inst, 0, "the CTA has given up its permit to allocate", columns);
    const uint32_t first = find_free(m, columns);
    if (first == UINT32_MAX)
        return trap(exec, inst, 0, "no such number of columns is free, and a GPU would wait",
                    columns);
    if (!tg_emu_find_lanes(exec, inst, 1, sizeof first, TG_EMU_WRITE, false, data))
        return TG_EMU_TRAPPED;
    memcpy(data[0], &first, sizeof first);
    m->allocations++;
    for (uint32_t c = first; c < first + columns; c++) m->owner[c] = m->allocations;
    tg_emu_tensor_allocated(exec, exec->warp->first_tid);
    return TG_EMU_ON;
}

/* Whether the columns are an allocation of their own, from its beginning to its end. */
static bool is_allocation(const tg_emu_tensor_memory *m, uint32_t address, uint32_t columns)
{
    const uint32_t first = tg_emu_tensor_column_of(address), end = first + columns;
    if (tg_emu_tensor_lane_of(address) || end > TG_EMU_TENSOR_COLUMNS || first >= end) return false;
    const uint32_t owner = m->owner[first];
    for (uint32_t c = first; c < end; c++)
        if (!owner || m->owner[c] != owner) return false;
    return (first == 0 || m->owner[first - 1] != owner) &&
           (end == TG_EMU_TENSOR_COLUMNS || m->owner[end] != owner);
}

/* To free columns is to write them: what is still going on there is found by doing it now. */
tg_emu_step tg_emu_exec_tensor_free(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_step step;
    if (!tg_emu_whole_warp(exec, inst, mask, "tcgen05", &step)) return step;
    const uint32_t address = *(const uint32_t *)tg_emu_at(exec, &inst->in[0]),
                   columns = *(const uint32_t *)tg_emu_at(exec, &inst->in[1]);
    tg_emu_tensor_memory *m = tg_emu_tensor_memory_of(exec);
    if (!m || tg_emu_tensor_do_all(exec) != TG_EMU_ON) return TG_EMU_TRAPPED;
    if (!is_allocation(m, address, columns))
        return tg_emu_trap_at(exec, inst, 1, TG_EMU_TRAP_TENSOR,
                              "%" PRIu32 " columns from 0x%" PRIx32 " on are no allocation",
                              columns, address);
    const tg_emu_tensor_part all = {0, TG_EMU_TENSOR_LANES, tg_emu_tensor_column_of(address),
                                    columns};
    const tg_emu_tensor_op op = {.inst = inst,
                                 .thread = exec->warp->first_tid,
                                 .own = tg_emu_tensor_actor_of_warp(exec, exec->warp->first_tid)};
    const tg_emu_visit visit = tg_emu_tensor_visit(exec, &op, op.own, TG_EMU_WRITE);
    if (!tg_emu_tensor_access(exec, inst, 0, &all, &visit)) return TG_EMU_TRAPPED;
    tg_emu_tensor_freed(exec, op.own);
    for (uint32_t c = all.column; c < all.column + columns; c++) {
        m->owner[c] = 0;
        for (uint32_t l = 0; l < TG_EMU_TENSOR_LANES; l++) m->is_defined[l][c] = false;
    }
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_tensor_relinquish(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_step step;
    if (!tg_emu_whole_warp(exec, inst, mask, "tcgen05", &step)) return step;
    tg_emu_tensor_memory *m = tg_emu_tensor_memory_of(exec);
    if (!m) return TG_EMU_TRAPPED;
    m->is_relinquished = true;
    return TG_EMU_ON;
}

tg_emu_step tg_emu_tensor_end_cta(tg_emu_exec *exec, tg_emu_cta *cta)
{
    if (!exec->tensor.memories) return TG_EMU_ON;
    if (tg_emu_tensor_do_all(exec) != TG_EMU_ON) return TG_EMU_TRAPPED;
    const tg_emu_tensor_memory *m = exec->tensor.memories[cta->rank];
    for (uint32_t c = 0; m && c < TG_EMU_TENSOR_COLUMNS; c++) {
        if (!m->owner[c]) continue;
        exec->warp = &exec->warps[cta->rank * exec->cta_warps];
        return trap(exec, &exec->entry->code[exec->entry->code_count - 1], 0,
                    "the CTA ends with tensor memory that nobody has freed, from this column on",
                    c);
    }
    return TG_EMU_ON;
}
