/* mma.sync: a warp multiplies a matrix of 16 rows by one of 8 columns; of f64 one of 8 rows.
 *
 * The fragments, by lane = 4 group + place.  Each lane has
 *   of d and c   rows group, group + 8; in each, the columns 2 place, 2 place + 1; two f16 in a register
 *   of a         rows group, group + 8 of the lower half of k, then of the upper one
 *   of b         column group, of the lower half of k, then of the upper one
 * A half of k has 4 positions of one register each: 4 neighbours of 8 bits, 2 of 16, the first lowest, or
 * one tf32.  Of f64, k is 4: a has row group, b column group, both at k = place. */
#include "emulator/mma_form.h"

#include "emulator/canonical.h"
#include "emulator/lanes.h"
#include "emulator/mma.h"
#include "emulator/soft.h"
#include "emulator/warp.h"

enum { ROWS = 16, COLUMNS = 8, PLACES = 4, REGISTER = 4, MOST_SUMS = 4 };

/* -- numbers -- */

static float of_fp8(const tg_emu_format *format, uint32_t bits)
{
    const tg_emu_soft value = tg_emu_unpack(format, bits);
    return f32_of_bits((uint32_t)tg_emu_pack(&tg_emu_f32, &value, TG_EMU_RN, false));
}

/* Element `which` of a register. */
static float element(tg_emu_mma_factor factor, uint32_t reg, unsigned which)
{
    const uint32_t half = reg >> 16 * (which & 1) & 0xffff, byte = reg >> 8 * which & 0xff;
    switch (factor) {
    case TG_EMU_MMA_F16: return tg_emu_mma_f16(half);
    case TG_EMU_MMA_BF16: return f32_of_bits(half << 16);
    case TG_EMU_MMA_TF32: return tg_emu_mma_tf32(reg);
    case TG_EMU_MMA_E4M3: return of_fp8(&tg_emu_e4m3, byte);
    case TG_EMU_MMA_E5M2: return of_fp8(&tg_emu_e5m2, byte);
    case TG_EMU_MMA_S8: return (float)(int8_t)(uint8_t)byte;
    default: return (float)byte;
    }
}

/* -- fragments -- */

typedef struct matrices {
    float a[ROWS][TG_EMU_MMA_MOST], b[COLUMNS][TG_EMU_MMA_MOST];
} matrices;

/* For each half of k, `rows` registers of a lane, which are every eighth row from `group` on. */
static void gather(const tg_emu_exec *exec, const tg_emu_inst *inst, tg_emu_mma_factor factor,
                   unsigned first, unsigned count, unsigned rows, float to[][TG_EMU_MMA_MOST])
{
    const unsigned each = REGISTER / tg_emu_mma_factor_bytes(factor);
    for (unsigned reg = 0; reg < count; reg++) {
        const uint32_t *lanes = tg_emu_at(exec, &inst->in[first + reg]);
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            for (unsigned e = 0; e < each; e++) {
                const unsigned row = lane / PLACES + 8 * (reg % rows),
                               k = (reg / rows * PLACES + lane % PLACES) * each + e;
                to[row][k] = element(factor, lanes[lane], e);
            }
    }
}

static uint32_t sum_of_integers(const tg_emu_mma_form *f, const float *a, const float *b,
                                uint32_t addend)
{
    int64_t sum = (int32_t)addend;
    for (unsigned i = 0; i < f->k; i++) sum += (int64_t)a[i] * (int64_t)b[i];
    if (f->saturates && sum > INT32_MAX) sum = INT32_MAX;
    if (f->saturates && sum < INT32_MIN) sum = INT32_MIN;
    return (uint32_t)sum;
}

static float sum_of_floats(const tg_emu_mma_form *f, tg_emu_mma_sum how, const float *a,
                           const float *b, float c)
{
    return tg_emu_mma_factor_bytes(f->lhs) == 1 ? tg_emu_mma_sync_fp8(how, f->k, a, b, c)
                                                : tg_emu_mma(how, f->k, a, b, c);
}

/* One register of D, of an element or, of f16, two. */
static uint32_t sum(const tg_emu_mma_form *f, tg_emu_mma_sum how, const matrices *m, unsigned lane,
                    unsigned reg, uint32_t c)
{
    const bool is_f16 = f->result == TG_EMU_MMA_TO_F16;
    const unsigned row = lane / PLACES + 8 * (is_f16 ? reg : reg / 2),
                   column = 2 * (lane % PLACES) + (is_f16 ? 0 : reg % 2);
    const float *a = m->a[row], *b = m->b[column];
    if (f->result == TG_EMU_MMA_TO_S32) return sum_of_integers(f, a, b, c);
    if (!is_f16) return bits_of_f32(sum_of_floats(f, how, a, b, f32_of_bits(c)));
    return tg_emu_mma_in_f16(how, f->k, a, b, tg_emu_mma_f16(c & 0xffff)) |
           tg_emu_mma_in_f16(how, f->k, a, m->b[column + 1], tg_emu_mma_f16(c >> 16)) << 16;
}

tg_emu_step tg_emu_exec_mma(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const tg_emu_mma_form *f = inst->data;
    const tg_emu_mma_sum how = tg_emu_mma_way(exec->launch->is_published, exec->launch->seed);
    matrices m = {0};
    uint32_t t[MOST_SUMS][TG_EMU_LANES];
    tg_emu_step step;
    if (!tg_emu_whole_warp(exec, inst, mask, "mma.sync", &step)) return step;
    gather(exec, inst, f->lhs, 0, f->a, 2, m.a);
    gather(exec, inst, f->rhs, f->a, f->b, 1, m.b);
    for (unsigned reg = 0; reg < f->c; reg++) {
        const uint32_t *c = tg_emu_at(exec, &inst->in[f->a + f->b + reg]);
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            t[reg][lane] = sum(f, how, &m, lane, reg, c[lane]);
    }
    for (unsigned reg = 0; reg < f->c; reg++)
        put_32(tg_emu_at(exec, &inst->out[reg]), t[reg], mask);
    return TG_EMU_ON;
}

/* PTX leaves the order of the sums open: k ascends, or with an odd seed descends. */
tg_emu_step tg_emu_exec_mma_f64(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const double *a = tg_emu_at(exec, &inst->in[0]), *b = tg_emu_at(exec, &inst->in[1]);
    double t[2][TG_EMU_LANES];
    tg_emu_step step;
    if (!tg_emu_whole_warp(exec, inst, mask, "mma.sync", &step)) return step;
    for (unsigned reg = 0; reg < 2; reg++) {
        const double *c = tg_emu_at(exec, &inst->in[2 + reg]);
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
            const unsigned row = lane / PLACES, column = 2 * (lane % PLACES) + reg;
            double total = c[lane];
            for (unsigned i = 0; i < PLACES; i++) {
                const unsigned k = exec->launch->seed % 2 ? PLACES - 1 - i : i;
                total = __builtin_fma(a[PLACES * row + k], b[PLACES * column + k], total);
            }
            t[reg][lane] = canonical_f64(total);
        }
    }
    for (unsigned reg = 0; reg < 2; reg++) put_64(tg_emu_at(exec, &inst->out[reg]), t[reg], mask);
    return TG_EMU_ON;
}
