#include "emulator/tensor_move.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emulator/trapping.h"
#include "emulator/warp.h"

enum { QUARTER = 32, HALF = 16, QUARTERS = 4 };

/* ---- where elements are ---- */

/* The lane, from the first one of the part, and the column of what a thread has in a register: PTX ISA,
 * "Data Movement Shape".  Of the narrow shapes lane = 4 group + place; rows group and group + 8 are in
 * different threads (16x64b) or different registers. */
static void find(tg_emu_tensor_shape shape, uint32_t reg, uint32_t lane, uint32_t *row,
                 uint32_t *column)
{
    const uint32_t group = lane / 4, place = lane % 4;
    switch (shape) {
    case TG_EMU_TENSOR_16x64b:
        *row = group + place % 2 * 8;
        *column = 2 * reg + place / 2;
        return;
    case TG_EMU_TENSOR_16x128b:
        *row = group + reg % 2 * 8;
        *column = reg / 2 * 4 + place;
        return;
    case TG_EMU_TENSOR_16x256b:
        *row = group + reg / 2 % 2 * 8;
        *column = reg / 4 * 8 + 2 * place + reg % 2;
        return;
    default: *row = lane; *column = reg;
    }
}

static tg_emu_tensor_part part_of(const tg_emu_tensor_op *op)
{
    const tg_emu_tensor_registers *r = op->inst->data;
    return (tg_emu_tensor_part){tg_emu_tensor_lane_of(op->address), r->lanes,
                                tg_emu_tensor_column_of(op->address), r->columns};
}

/* ---- taking place ---- */

tg_emu_step tg_emu_tensor_move(tg_emu_exec *exec, tg_emu_tensor_op *op)
{
    const tg_emu_tensor_registers *r = op->inst->data;
    const tg_emu_tensor_part part = part_of(op);
    const bool is_load = op->kind == TG_EMU_TENSOR_LOAD;
    const tg_emu_visit visit =
        tg_emu_tensor_visit(exec, op, op->own, is_load ? TG_EMU_READ : TG_EMU_WRITE);
    if (!tg_emu_tensor_access(exec, op->inst, op->lane, &part, &visit)) return TG_EMU_TRAPPED;
    for (uint32_t reg = 0; reg < r->count; reg++)
        for (uint32_t lane = 0; lane < TG_EMU_LANES; lane++) {
            uint32_t row, column, *value = &op->values[reg * TG_EMU_LANES + lane];
            find(r->shape, reg, lane, &row, &column);
            uint32_t *cell =
                &tg_emu_tensor_memory_of(exec)->cells[part.lane + row][part.column + column];
            if (is_load)
                *value = *cell;
            else
                *cell = *value;
        }
    return TG_EMU_ON;
}

void tg_emu_tensor_deliver(tg_emu_exec *exec, const tg_emu_tensor_op *op)
{
    const tg_emu_tensor_registers *r = op->inst->data;
    for (uint32_t reg = 0; reg < r->count; reg++) {
        memcpy(tg_emu_at(exec, &r->slots[reg]), &op->values[reg * TG_EMU_LANES],
               TG_EMU_LANES * sizeof *op->values);
        exec->defined[r->slots[reg].reg] = TG_EMU_ALL;
    }
}

/* ---- starting ---- */

/* The address, which is the same in all lanes and in the part of the warp. */
static bool read_address(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t *out)
{
    const tg_emu_tensor_registers *r = inst->data;
    const uint32_t *all = tg_emu_at(exec, &inst->in[0]);
    const uint32_t warp = exec->warp->first_tid / TG_EMU_LANES % exec->cta_warps,
                   first = warp % QUARTERS * QUARTER;
    for (unsigned lane = 1; lane < TG_EMU_LANES; lane++)
        if (all[lane] != all[0]) {
            tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_TENSOR,
                           "lane %u has another address than lane 0: 0x%" PRIx32, lane, all[lane]);
            return false;
        }
    *out = all[0] + (uint32_t)inst->immediate;
    const uint32_t at = tg_emu_tensor_lane_of(*out);
    if (at == first || (r->lanes == HALF && at == first + HALF)) return true;
    tg_emu_trap_at(exec, inst, 1, TG_EMU_TRAP_TENSOR,
                   "warp %" PRIu32 " reaches lanes %" PRIu32 " to %" PRIu32
                   " of tensor memory, and not lane %" PRIu32,
                   warp, first, first + QUARTER - 1, at);
    return false;
}

/* Sets op->values where it can go on. */
static tg_emu_step start(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                         tg_emu_tensor_op *op, tg_emu_tensor_kind kind)
{
    const tg_emu_tensor_registers *r = inst->data;
    tg_emu_step step;
    if (!tg_emu_whole_warp(exec, inst, mask, "tcgen05", &step)) return step;
    *op = (tg_emu_tensor_op){.kind = kind,
                             .inst = inst,
                             .thread = exec->warp->first_tid,
                             .warp = exec->warp->first_tid / TG_EMU_LANES};
    if (!read_address(exec, inst, &op->address)) return TG_EMU_TRAPPED;
    const tg_emu_tensor_part part = part_of(op);
    if (!tg_emu_tensor_check(exec, inst, 0, &part)) return TG_EMU_TRAPPED;
    op->values = malloc((size_t)r->count * TG_EMU_LANES * sizeof *op->values);
    if (op->values) return TG_EMU_ON;
    exec->no_memory = true;
    return TG_EMU_TRAPPED;
}

tg_emu_step tg_emu_exec_tensor_load(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const tg_emu_tensor_registers *r = inst->data;
    tg_emu_tensor_op op = {0};
    const tg_emu_step step = start(exec, inst, mask, &op, TG_EMU_TENSOR_LOAD);
    if (!op.values) return step;
    for (uint32_t reg = 0; reg < r->count; reg++) exec->defined[r->slots[reg].reg] = 0;
    return tg_emu_tensor_start(exec, &op);
}

tg_emu_step tg_emu_exec_tensor_store(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const tg_emu_tensor_registers *r = inst->data;
    tg_emu_tensor_op op = {0};
    char name[TG_EMU_REGISTER_TEXT];
    const tg_emu_step step = start(exec, inst, mask, &op, TG_EMU_TENSOR_STORE);
    if (!op.values) return step;
    for (uint32_t reg = 0; reg < r->count; reg++) {
        const uint32_t missing = ~exec->defined[r->slots[reg].reg];
        if (missing) {
            free(op.values);
            return tg_emu_trap_at(exec, inst, missing, TG_EMU_TRAP_UNINITIALISED_REGISTER,
                                  "%s has not been written",
                                  tg_emu_register_text(exec->entry, r->slots[reg].reg, name));
        }
        memcpy(&op.values[reg * TG_EMU_LANES], tg_emu_at(exec, &r->slots[reg]),
               TG_EMU_LANES * sizeof *op.values);
    }
    return tg_emu_tensor_start(exec, &op);
}
