/* The instructions ldmatrix and stmatrix: a warp moves matrices of 8 rows of 8 elements of 16 bits.
 *
 * Lane 8 i + r has the address of row r of matrix i, 16 bytes.  Register i of lane l has the elements 2 (l % 4)
 * and 2 (l % 4) + 1 of row l / 4 of matrix i, the first lowest; with .trans of its column l / 4. */
#include "emulator/decode_memory.h"
#include "emulator/decoders.h"
#include "emulator/find.h"
#include "emulator/lanes.h"
#include "emulator/memory_flags.h"
#include "emulator/operands.h"
#include "emulator/warp.h"

enum { ROWS = 8, PLACES = 4, ROW_BYTES = 16, MOST = 4 };
enum { TRANSPOSED = 1 << 24 };

/* Where element e of a lane's register is in its matrix: the row and the column. */
static void place_of(bool is_transposed, unsigned lane, unsigned e, unsigned *row, unsigned *column)
{
    const unsigned line = lane / PLACES, along = 2 * (lane % PLACES) + e;
    *row = is_transposed ? along : line;
    *column = is_transposed ? line : along;
}

static bool find_rows(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned matrices,
                      tg_emu_touch touch, unsigned char *rows[TG_EMU_LANES])
{
    const uint32_t mask = matrices == MOST ? TG_EMU_ALL : (1u << ROWS * matrices) - 1;
    return tg_emu_find_lanes(exec, inst, mask, ROW_BYTES, touch, false, rows);
}

static tg_emu_step exec_load(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    unsigned char *rows[TG_EMU_LANES];
    uint32_t t[MOST][TG_EMU_LANES] = {0};
    tg_emu_step step;
    if (!tg_emu_whole_warp(exec, inst, mask, "ldmatrix", &step)) return step;
    if (!find_rows(exec, inst, inst->out_count, TG_EMU_READ, rows)) return TG_EMU_TRAPPED;
    for (unsigned i = 0; i < inst->out_count; i++)
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            for (unsigned e = 0; e < 2; e++) {
                unsigned row, column;
                uint16_t value;
                place_of(inst->flags & TRANSPOSED, lane, e, &row, &column);
                memcpy(&value, rows[ROWS * i + row] + sizeof value * column, sizeof value);
                t[i][lane] |= (uint32_t)value << 16 * e;
            }
    for (unsigned i = 0; i < inst->out_count; i++)
        put_32(tg_emu_at(exec, &inst->out[i]), t[i], mask);
    return TG_EMU_ON;
}

/* The bytes of each row, by the lane that has its address. */
static void gather_rows(const tg_emu_exec *exec, const tg_emu_inst *inst, unsigned matrices,
                        unsigned char rows[TG_EMU_LANES][ROW_BYTES])
{
    for (unsigned i = 0; i < matrices; i++) {
        const uint32_t *from = tg_emu_at(exec, &inst->in[1 + i]);
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            for (unsigned e = 0; e < 2; e++) {
                unsigned row, column;
                const uint16_t value = (uint16_t)(from[lane] >> 16 * e);
                place_of(inst->flags & TRANSPOSED, lane, e, &row, &column);
                memcpy(rows[ROWS * i + row] + sizeof value * column, &value, sizeof value);
            }
    }
}

/* Row after row where rows may repeat each other, as tg_emu_exec_store does it. */
static tg_emu_step exec_store(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const unsigned matrices = inst->in_count - 1u;
    const bool may_repeat = exec->launch->same_values && exec->launch->races;
    unsigned char rows[TG_EMU_LANES][ROW_BYTES], *to[TG_EMU_LANES];
    tg_emu_step step;
    if (!tg_emu_whole_warp(exec, inst, mask, "stmatrix", &step)) return step;
    gather_rows(exec, inst, matrices, rows);
    if (!may_repeat && !find_rows(exec, inst, matrices, TG_EMU_WRITE, to)) return TG_EMU_TRAPPED;
    for (unsigned row = 0; row < ROWS * matrices; row++) {
        exec->stored = may_repeat ? rows[row] : NULL;
        const bool is_found = !may_repeat || tg_emu_find_lanes(exec, inst, 1u << row, ROW_BYTES,
                                                               TG_EMU_WRITE, false, to);
        exec->stored = NULL;
        if (!is_found) return TG_EMU_TRAPPED;
        memcpy(to[row], rows[row], ROW_BYTES);
    }
    return TG_EMU_ON;
}

/* .sync.aligned.m8n8.{x1, x2, x4}{.trans}.shared{::cta}.b16 */
static bool take_form(tg_emu_statement *s, unsigned *matrices, bool *is_transposed)
{
    if (!tg_emu_take(s, "sync") || !tg_emu_take(s, "aligned") || !tg_emu_take(s, "m8n8"))
        return false;
    *matrices = tg_emu_take(s, "x1") ? 1 : tg_emu_take(s, "x2") ? 2 : tg_emu_take(s, "x4") ? 4 : 0;
    *is_transposed = tg_emu_take(s, "trans");
    if (!tg_emu_take(s, "shared") && !tg_emu_take(s, "shared::cta")) return false;
    return *matrices && tg_emu_take(s, "b16");
}

static tg_status decode(tg_emu_parser *p, tg_emu_statement *s, bool is_load, tg_emu_inst *inst)
{
    unsigned matrices;
    bool is_transposed;
    if (!take_form(s, &matrices, &is_transposed)) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 2));
    const tg_emu_operand *vector = &s->operands[is_load ? 0 : 1];
    const bool is_single = matrices == 1 && vector->kind == TG_EMU_OPERAND_NAME;
    if (!is_single && (vector->kind != TG_EMU_OPERAND_VECTOR || vector->element_count != matrices))
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &vector->token,
                              "expected a vector of %u registers here", matrices);
    TG_TRY(tg_emu_address(p, &s->operands[is_load ? 1 : 0], TG_EMU_SHARED, ROW_BYTES, inst));
    for (unsigned i = 0; i < matrices; i++) {
        const tg_emu_operand *one = is_single ? vector : &vector->elements[i];
        TG_TRY(is_load ? tg_emu_out(p, one, TG_EMU_B32, inst)
                       : tg_emu_in(p, one, TG_EMU_B32, inst));
    }
    inst->flags |= TG_EMU_MEMORY_OF(TG_EMU_SHARED, 0, 0) | (is_transposed ? TRANSPOSED : 0);
    inst->exec = is_load ? exec_load : exec_store;
    return TG_OK;
}

tg_status tg_emu_decode_ldmatrix(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    return decode(p, s, true, inst);
}

tg_status tg_emu_decode_stmatrix(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    return decode(p, s, false, inst);
}
