/* mma.sync: a warp multiplies a matrix of 16 rows by one of 8 columns.
 *
 * The fragments, by lane = 4 group + place.  Each lane has
 *   of d and c   rows group, group + 8; in each, the columns 2 place, 2 place + 1
 *   of a         rows group, group + 8 of the lower half of k, then of the upper one
 *   of b         column group, of the lower half of k, then of the upper one
 * A half of k has 4 positions of one register each: two neighbours of 16 bits, the first lowest, or
 * one tf32. */
#include "emulator/canonical.h"
#include "emulator/decoders.h"
#include "emulator/lanes.h"
#include "emulator/mma.h"
#include "emulator/operands.h"
#include "emulator/warp.h"

typedef enum factor { FACTOR_F16, FACTOR_BF16, FACTOR_TF32 } factor;

enum { ROWS = 16, COLUMNS = 8, PLACES = 4, A = 4, B = 2, C = 4 };

/* -- numbers -- */

/* Element `which` of a register. */
static float element(factor kind, uint32_t reg, unsigned which)
{
    if (kind == FACTOR_TF32) return tg_emu_mma_tf32(reg);
    const uint32_t half = reg >> 16 * which & 0xffff;
    return kind == FACTOR_F16 ? tg_emu_mma_f16(half) : f32_of_bits(half << 16);
}

/* -- fragments -- */

typedef struct matrices {
    float a[ROWS][TG_EMU_MMA_MOST], b[COLUMNS][TG_EMU_MMA_MOST];
} matrices;

/* For each half of k, `rows` registers of a lane, which are every eighth row from `group` on. */
static void gather(const tg_emu_exec *exec, const tg_emu_inst *inst, unsigned first, unsigned rows,
                   float to[][TG_EMU_MMA_MOST])
{
    const factor kind = (factor)inst->flags;
    const unsigned each = kind == FACTOR_TF32 ? 1 : 2;
    for (unsigned reg = 0; reg < 2 * rows; reg++) {
        const uint32_t *lanes = tg_emu_at(exec, &inst->in[first + reg]);
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            for (unsigned e = 0; e < each; e++) {
                const unsigned row = lane / PLACES + 8 * (reg % rows),
                               k = (reg / rows * PLACES + lane % PLACES) * each + e;
                to[row][k] = element(kind, lanes[lane], e);
            }
    }
}

static tg_emu_step exec_mma(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const size_t k = inst->flags == FACTOR_TF32 ? 8 : 16;
    const tg_emu_mma_sum how = tg_emu_mma_way(exec->launch->is_published, exec->launch->seed);
    matrices m;
    float t[C][TG_EMU_LANES];
    tg_emu_step step;
    if (!tg_emu_whole_warp(exec, inst, mask, "mma.sync", &step)) return step;
    gather(exec, inst, 0, 2, m.a);
    gather(exec, inst, A, 1, m.b);
    for (unsigned reg = 0; reg < C; reg++) {
        const float *c = tg_emu_at(exec, &inst->in[A + B + reg]);
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            t[reg][lane] = tg_emu_mma(how, k, m.a[lane / PLACES + 8 * (reg / 2)],
                                      m.b[2 * (lane % PLACES) + reg % 2], c[lane]);
    }
    for (unsigned reg = 0; reg < C; reg++) put_32(tg_emu_at(exec, &inst->out[reg]), t[reg], mask);
    return TG_EMU_ON;
}

/* -- decoding -- */

static tg_status vector_of(tg_emu_parser *p, const tg_emu_operand *o, size_t count)
{
    if (o->kind == TG_EMU_OPERAND_VECTOR && o->element_count == count) return TG_OK;
    return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token, "expected a vector of %zu registers here",
                          count);
}

static bool take_all(tg_emu_statement *s, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!tg_emu_take(s, names[i])) return false;
    return true;
}

/* mma.sync.aligned.m16n8k16.row.col.f32.{f16.f16, bf16.bf16}.f32 and
 * .m16n8k8.row.col.f32.tf32.tf32.f32 */
static bool take_form(tg_emu_statement *s, factor *kind)
{
    static const char *const kinds[] = {"f16", "bf16", "tf32"};
    if (!take_all(s, (const char *const[]){"sync", "aligned"}, 2)) return false;
    const bool is_long = tg_emu_take(s, "m16n8k16");
    if (!is_long && !tg_emu_take(s, "m16n8k8")) return false;
    if (!take_all(s, (const char *const[]){"row", "col", "f32"}, 3)) return false;
    for (unsigned i = 0; i < 3; i++) {
        if ((i == FACTOR_TF32) == is_long || !tg_emu_take(s, kinds[i])) continue;
        *kind = (factor)i;
        return take_all(s, (const char *const[]){kinds[i], "f32"}, 2);
    }
    return false;
}

tg_status tg_emu_decode_mma(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    static const size_t counts[] = {C, A, B, C};
    factor kind = FACTOR_F16;
    if (!take_form(s, &kind)) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 4));
    for (size_t i = 0; i < 4; i++) {
        TG_TRY(vector_of(p, &s->operands[i], counts[i]));
        for (size_t e = 0; e < counts[i]; e++) {
            const tg_emu_operand *o = &s->operands[i].elements[e];
            TG_TRY(i == 0 ? tg_emu_out(p, o, TG_EMU_F32, inst)
                          : tg_emu_in(p, o, i == 3 ? TG_EMU_F32 : TG_EMU_B32, inst));
        }
    }
    inst->exec = exec_mma;
    inst->flags = (uint32_t)kind;
    inst->is_inexact = true;
    return TG_OK;
}
