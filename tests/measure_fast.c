/* Measures profile `fast`: the largest error of its f32 functions, and whether every instruction set
 * gives the same bits.  Not part of the test run: all operands of one function take a minute or two.
 *
 *   measure_fast FUNCTION [STEP]   every STEP-th (1) f32 operand; baseline sees every 64th of these
 *   measure_fast pow|atan2 COUNT   random pairs: all bit patterns, and moderate ones
 *
 * Takes the instruction sets that the machine has, the widest for the errors.  These are in ULP of the exact value's
 * f32 binade and held against the f64 form, whose own error, below 1 ULP of f64, is far too small to show.  Prints a
 * row of docs/numerics-fast.md:
 *
 *   | function | operands | largest error | at | unlike kind | bits that differ |
 *
 * "Unlike kind" counts results that are NaN, infinite or of the other sign where the exact value,
 * rounded, is not.  Exit status 1 where bits differ between instruction sets. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/elementwise/elementwise.h"

enum { BLOCK = 4096, MOST_ISAS = 3, BASELINE_EVERY = 64 };

typedef struct measure {
    tg_elementwise_fn *fast[MOST_ISAS], *exact; /* fast: baseline, AVX2, AVX-512 */
    int isas, operands;
    float in[2][BLOCK], out[MOST_ISAS][BLOCK];
    double wide[2][BLOCK], want[BLOCK];
    double worst;
    float worst_at[2];
    uint64_t done, unlike, differing;
} measure;

static float f32_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* One ULP of f32 in the binade of y, which is finite: exact, from the exponent's bits. */
static double ulp_at(double y)
{
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52 & 0x7ff) - 1023;
    if (exponent < -126) exponent = -126;
    if (exponent > 127) exponent = 127;
    bits = (uint64_t)(exponent - 23 + 1023) << 52;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* Whether r is of the same kind as want rounded to f32: NaN, infinite, and the sign of what is not NaN. */
static bool is_alike(float r, double want)
{
    const float rounded = (float)want;
    if (isnan(r) || isnan(rounded)) return isnan(r) && isnan(rounded);
    return isinf(r) == isinf(rounded) && signbit(r) == signbit(rounded);
}

static void note(measure *m, size_t i)
{
    const float r = m->out[m->isas - 1][i];
    const double want = m->want[i];
    m->unlike += !is_alike(r, want);
    if (isnan(r) || isnan(want) || isinf(r) || isinf((float)want)) return;
    const double error = fabs((double)r - want) / ulp_at(want);
    if (error <= m->worst) return;
    m->worst = error;
    m->worst_at[0] = m->in[0][i];
    m->worst_at[1] = m->in[1][i];
}

static void run_block(measure *m, size_t count, bool with_baseline)
{
    const void *const narrow[] = {m->in[0], m->in[1]}, *const wide[] = {m->wide[0], m->wide[1]};
    const float *const kept = m->out[m->isas - 1];
    for (int k = 0; k < m->operands; k++)
        for (size_t i = 0; i < count; i++) m->wide[k][i] = (double)m->in[k][i];
    m->exact(m->want, wide, 0, count, 0);
    m->fast[m->isas - 1](m->out[m->isas - 1], narrow, 0, count, 0);
    for (int isa = with_baseline ? 0 : 1; isa < m->isas - 1; isa++) {
        m->fast[isa](m->out[isa], narrow, 0, count, 0);
        if (memcmp(m->out[isa], kept, count * sizeof(float)) == 0) continue;
        for (size_t i = 0; i < count; i++)
            m->differing += memcmp(&m->out[isa][i], &kept[i], sizeof(float)) != 0;
    }
    for (size_t i = 0; i < count; i++) note(m, i);
    m->done += count;
}

static void run_all(measure *m, uint64_t step)
{
    const uint64_t all = UINT64_C(1) << 32;
    uint64_t block = 0;
    for (uint64_t bits = 0; bits < all; block++) {
        size_t count = 0;
        for (; count < BLOCK && bits < all; bits += step)
            m->in[0][count++] = f32_of((uint32_t)bits);
        run_block(m, count, block % BASELINE_EVERY == 0);
    }
}

static void run_pairs(measure *m, uint64_t pairs)
{
    uint64_t state = 1, block = 0;
    for (uint64_t done = 0; done < pairs; done += BLOCK, block++) {
        for (size_t i = 0; i < BLOCK; i++) {
            uint64_t bits = next_random(&state);
            /* a quarter: exponents near 0 in the first operand, and near 4 in the second */
            if (i % 4 == 0) bits = (bits & 0x83ffffff807fffff) | 0x3c0000003f000000;
            m->in[0][i] = f32_of((uint32_t)bits);
            m->in[1][i] = f32_of((uint32_t)(bits >> 32));
        }
        run_block(m, BLOCK, block % BASELINE_EVERY == 0);
    }
}

static bool look_up(measure *m, const char *name)
{
    static const char *const isas[MOST_ISAS] = {"baseline", "avx2", "avx512"};
    tg_opcode op = tg_op_by_name(name);
    if (op == TG_OP_COUNT) return false;
    for (int i = 0; i < MOST_ISAS; i++) {
        const char *missing = NULL;
        const tg_elementwise *lanes = tg_elementwise_get(isas[i]);
        if (!lanes) break; /* nor does it have a wider one */
        const tg_elementwise *fast = tg_elementwise_fast(lanes, &missing);
        if (!fast) {
            fprintf(stderr, "measure_fast: %s\n", missing);
            return false;
        }
        m->fast[m->isas++] = tg_elementwise_op(fast, op, TG_DT_f32, TG_DT_f32).compute;
        m->exact = tg_elementwise_op(lanes, op, TG_DT_f64, TG_DT_f64).compute;
    }
    m->operands = tg_ops[op].in_max;
    return m->fast[0] && m->exact && m->operands <= 2;
}

int main(int argc, char **argv)
{
    static measure m;
    if (argc < 2 || argc > 3 || !look_up(&m, argv[1])) {
        fputs("usage: measure_fast FUNCTION [STEP], measure_fast pow|atan2 COUNT\n", stderr);
        return 2;
    }
    const uint64_t number = argc == 3 ? strtoull(argv[2], NULL, 10) : 1;
    if (m.operands == 2)
        run_pairs(&m, number);
    else
        run_all(&m, number ? number : 1);
    printf("| %s | %" PRIu64 " | %.6f | %a", argv[1], m.done, m.worst, (double)m.worst_at[0]);
    if (m.operands == 2) printf(", %a", (double)m.worst_at[1]);
    printf(" | %" PRIu64 " | %" PRIu64 " | on %d instruction sets\n", m.unlike, m.differing,
           m.isas);
    return m.differing != 0;
}
