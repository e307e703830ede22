/* Holds the operations on floats against tests/numerics_reference.h, part by part.  Not part of the test
 * run: conformance/numerics/certify.py calls it, keeps the results and goes on where it stopped.
 *
 *   verify_elementary list                           the operations: name, operands
 *   verify_elementary about                          instruction set, compiler
 *   verify_elementary f32 NAME FIRST COUNT           one operand: every f32 by its bits; two: random pairs
 *   verify_elementary f64 NAME FIRST COUNT           random operands
 *   verify_elementary DTYPE NAME FIRST COUNT         narrower: every code, or pair of codes, from FIRST on
 *   verify_elementary hard NAME COUNT                f32 operands with values nearest to a boundary
 *
 * A part prints one line of name=value, and to stderr the first wrong result.  Exit status 1 if anything was
 * wrong, 2 for bad arguments. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lanes_oracle.h"
#include "tests/numerics_reference.h"

enum { HARD_LIMIT = 64, HARD_STEP = 127 };

/* -- one part -- */

/* Operands number `first` on; how many there are in all, or 0 for as many as one likes. */
static uint64_t operand_count(const reference *f, tg_dtype d)
{
    if (d == TG_DT_f64 || (d == TG_DT_f32 && f->operands == 2)) return 0;
    return (uint64_t)1 << (tg_dtypes[d].bits * f->operands);
}

static void fill_operands(const reference *f, tg_dtype d, uint64_t first, double *a, double *b,
                          size_t count)
{
    const int bits = tg_dtypes[d].bits;
    for (size_t i = 0; i < count; i++) {
        const uint64_t k = first + i;
        if (operand_count(f, d) == 0) {
            reference_random(f, d, k, &a[i], &b[i]);
        } else if (d == TG_DT_f32) {
            a[i] = b[i] = (double)f32_of_bits((uint32_t)k);
        } else {
            a[i] = code_value(d, (uint32_t)(k & (((uint64_t)1 << bits) - 1)));
            b[i] = f->operands == 2 ? code_value(d, (uint32_t)(k >> bits)) : a[i];
        }
    }
}

static int check_part(const reference *f, tg_dtype d, uint64_t first, uint64_t count)
{
    static double a[REFERENCE_BLOCK], b[REFERENCE_BLOCK], got[REFERENCE_BLOCK];
    const tg_elementwise *const lanes = tg_elementwise_get(NULL);
    tally t = {0};
    for (uint64_t at = 0; at < count; at += REFERENCE_BLOCK) {
        const size_t n = count - at < REFERENCE_BLOCK ? (size_t)(count - at) : REFERENCE_BLOCK;
        fill_operands(f, d, first + at, a, b, n);
        reference_run(lanes, f, d, a, b, got, n);
        reference_check(f, d, a, b, got, n, &t);
    }
    if (t.wrong != 0)
        fprintf(stderr, "wrong: %s %s(%a, %a) is %a, not %a\n", tg_dtypes[d].name, f->name,
                t.wrong_a, t.wrong_b, t.wrong_got, t.wrong_want);
    printf("tried=%" PRIu64 " by_mpfr=%" PRIu64 " wrong=%" PRIu64
           " fast_error=%a ulp=%.4f at=%a,%a\n",
           t.tried, t.by_mpfr, t.wrong, t.fast_error, t.ulp, t.ulp_a, t.ulp_b);
    return !tally_is_clean(&t);
}

/* -- hard cases -- */

/* Distance of |d| from the nearest point halfway between two f32, relative to d. */
static double boundary_distance(double d)
{
    const double a = fabs(d);
    int e;
    (void)frexp(a, &e);
    const int quantum = e - 24 < -149 ? -149 : e - 24;
    const double scaled = ldexp(a, -quantum), fraction = scaled - floor(scaled);
    return fabs(fraction - 0.5) / scaled;
}

static float exact_f32(const reference *f, float x)
{
    mpfr_t r;
    mpfr_init2(r, REFERENCE_PRECISION);
    reference_exact(f, r, (double)x, (double)x);
    const float result = mpfr_get_flt(r, MPFR_RNDN);
    mpfr_clear(r);
    return result;
}

/* The operands found nearest to a boundary, with their results, as rows for tests/elementary_hard.def. */
static int list_hard(const reference *f, size_t wanted)
{
    static struct {
        double distance;
        uint32_t x;
    } best[HARD_LIMIT];
    size_t found = 0;
    for (uint64_t code = 0; code < UINT64_C(1) << 32; code += HARD_STEP) {
        const double x = (double)f32_of_bits((uint32_t)code);
        double value;
        f->fast(&value, &x, &x, 1);
        if (!(fabs(value) > 0x1p-126 && fabs(value) < 0x1p128)) continue;
        const double distance = boundary_distance(value);
        if (found == wanted && distance >= best[found - 1].distance) continue;
        size_t at = found < wanted ? found++ : found - 1;
        for (; at > 0 && distance < best[at - 1].distance; at--) best[at] = best[at - 1];
        best[at].distance = distance;
        best[at].x = (uint32_t)code;
    }
    for (size_t i = 0; i < found; i++)
        printf("HARD(%s, 0x%08" PRIx32 ", 0x%08" PRIx32 ")\n", f->name, best[i].x,
               bits_of_f32(exact_f32(f, f32_of_bits(best[i].x))));
    return 0;
}

/* -- the command -- */

static int list_references(void)
{
    for (size_t i = 0; i < reference_count; i++)
        printf("%s %d\n", references[i].name, references[i].operands);
    return 0;
}

static int about(void)
{
#if defined __clang__
    const char *const compiler = "clang " __clang_version__;
#else
    const char *const compiler = "gcc " __VERSION__;
#endif
    printf("%s, %s\n", tg_elementwise_isa(tg_elementwise_get(NULL)), compiler);
    return 0;
}

static int find_float(const char *name)
{
    for (int d = 0; d < TG_DT_COUNT; d++)
        if (tg_is_float((tg_dtype)d) && strcmp(tg_dtypes[d].name, name) == 0) return d;
    return -1;
}

int main(int argc, char **argv)
{
    const char *const mode = argc > 1 ? argv[1] : "";
    const reference *const f = argc > 2 ? reference_find(argv[2]) : NULL;
    const int d = find_float(mode);
    if (argc == 2 && strcmp(mode, "list") == 0) return list_references();
    if (argc == 2 && strcmp(mode, "about") == 0) return about();
    if (argc == 4 && f != NULL && strcmp(mode, "hard") == 0) {
        const uint64_t wanted = strtoull(argv[3], NULL, 0);
        return list_hard(f, wanted < HARD_LIMIT ? (size_t)wanted : HARD_LIMIT);
    }
    if (argc == 5 && f != NULL && d >= 0) {
        const uint64_t first = strtoull(argv[3], NULL, 0), count = strtoull(argv[4], NULL, 0);
        const uint64_t all = operand_count(f, (tg_dtype)d);
        if (all == 0 || (first <= all && count <= all - first))
            return check_part(f, (tg_dtype)d, first, count);
    }
    fprintf(stderr,
            "usage: verify_elementary list | about | DTYPE NAME FIRST COUNT | hard NAME COUNT\n");
    return 2;
}
