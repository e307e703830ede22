/* Companion kernels of memory that several programs change, of copies, and of rounding to fewer bits. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "companion_run.h"

#define COUNT 8

typedef struct result {
    double got[COUNT], exact[COUNT], bound[COUNT];
    size_t findings;
} result;

/* The kernel has an input x and an output o, f32[8], which begins as zeros. */
static result judge(const char *contract, const char *text, const float *x)
{
    tg_arrays *inputs = tg_arrays_new(), *outputs = tg_arrays_new();
    cr_assert_eq(tg_arrays_add_zeros(inputs, "x", "f32[8]", NULL), TG_OK);
    memcpy(tg_arrays_get(inputs, 0).tensor.data, x, COUNT * sizeof *x);
    result found = {.findings = run_companion(contract, text, inputs, outputs)};
    for (int i = 0; i < COUNT; i++) {
        found.got[i] = (double)((const float *)data_of(outputs, "o"))[i];
        found.exact[i] = ((const double *)data_of(outputs, "o exact"))[i];
        found.bound[i] = ((const double *)data_of(outputs, "o bound"))[i];
    }
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    return found;
}

static void check_refused(const char *text, const char *why)
{
    tg_module *module = load_kernel(text), *companion;
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_module_companion(module, NULL, "ieee", TG_BOUNDS_CERTAIN, &companion, errors),
                 TG_ERR_UNSUPPORTED);
    cr_assert(strstr(tg_errors_get(errors, 0).message, why), "%s",
              tg_errors_get(errors, 0).message);
    tg_module_free(module);
    tg_errors_free(errors);
}

static const float xs[COUNT] = {0.1F, 0.2F, 0.3F, -0.4F, 5.5F, 1e-3F, -7, 0.125F};

#define ARRAYS "input x f32[8]\noutput o f32[8]\n"
#define FIRST                                                                                      \
    "%20:i32[] = program_id axis=0; %21:i32[] = constant value=0; %22:bool[] = eq %20 %21; "
#define ZEROS                                                                                      \
    "%23:i32[] = convert %22; switch %23 { } { %24:f32[8] = constant value=0; store %2 %24 [0:8] " \
    "}; "
#define THREE_TIMES(update)                                                                        \
    "grid 3\n" ARRAYS "body\n" FIRST ZEROS "%10:f32[8] = load %1 [0:8]; " update

/* ---- atomic updates ---- */

/* Three programs, each of which adds exp x: three errors of 1 ULP, and the roundings of the sums. */
Test(companion_memory, of_additions)
{
    const result r =
        judge("ieee", THREE_TIMES("%11:f32[8] = exp %10; add_update %2 %11 [0:8]\n"), xs);
    for (int i = 0; i < COUNT; i++) {
        const double exact = 3 * exp((double)xs[i]);
        cr_assert_float_eq(r.exact[i], exact, 1e-12 * exact);
        cr_assert(fabs(r.got[i] - exact) <= r.bound[i] && r.bound[i] < 14 * 0x1p-23 * exact, "%a",
                  r.bound[i] / exact);
        cr_assert(r.bound[i] > (1 + 0.5) * 0x1p-23 * exact);
        /* One addition is missing, or one term was rounded to bf16. */
        cr_assert(fabs(2 * exp((double)xs[i]) - exact) > r.bound[i]);
        cr_assert(0x1p-11 * exact > r.bound[i]);
    }
}

Test(companion_memory, of_additions_that_return_what_was_there)
{
    const result r =
        judge("ieee", THREE_TIMES("%11:f32[8] = atomic_rmw %2 %10 [0:8] kind='add'\n"), xs);
    for (int i = 0; i < COUNT; i++)
        cr_assert(fabs(r.got[i] - r.exact[i]) <= r.bound[i] && r.bound[i] < 2e-5);
    const result old = judge("ieee",
                             THREE_TIMES("%11:f32[8] = atomic_rmw %2 %10 [0:8] kind='add'; store "
                                         "%2 %11 [0:8]\n"),
                             xs);
    cr_assert(isinf(old.bound[0]));
}

Test(companion_memory, of_extremes)
{
    const result r = judge(
        "ieee",
        THREE_TIMES("%11:f32[8] = exp %10; %12:f32[8] = atomic_rmw %2 %11 [0:8] kind='max'\n"), xs);
    for (int i = 0; i < COUNT; i++) {
        const double exact = exp((double)xs[i]);
        cr_assert_float_eq(r.exact[i], exact, 1e-12 * exact);
        cr_assert(fabs(r.got[i] - exact) <= r.bound[i] && r.bound[i] < 1.1 * 0x1p-23 * exact);
    }
}

Test(companion_memory, of_sums_that_may_overflow)
{
    const float most[COUNT] = {0x1p126F, 1, 1, 1, 1, 1, 1, 1};
    const result r = judge("ieee", THREE_TIMES("add_update %2 %10 [0:8]\n"), most);
    cr_assert(isinf(r.bound[0]) && isfinite(r.bound[1]));
}

Test(companion_memory, of_updates_without_a_bound)
{
    check_refused("grid dynamic\n" ARRAYS
                  "body\n%10:f32[8] = load %1 [0:8]; add_update %2 %10 [0:8]\n",
                  "how many additions change an element is not known");
    check_refused(THREE_TIMES("%11:f32[8] = atomic_rmw %2 %10 [0:8] kind='xchg'\n"),
                  "exchanges depend on the order of programs");
    check_refused(
        THREE_TIMES("add_update %2 %10 [0:8]; %11:f32[8] = atomic_rmw %2 %10 [0:8] kind='max'\n"),
        "updates of several kinds");
}

/* ---- products ---- */

Test(companion_memory, of_products_beside_the_program)
{
    check_refused("input x f32[2,2]\noutput o f32[2,2]\nbody\n%10:i32[] = constant value=0\n"
                  "dot_start %2 %1 %1 replaces=true; dot_commit; dot_wait_groups %10\n",
                  "dot_start: no rule is known for its error");
}

/* ---- text ---- */

#define TEXT(results, text)                                                                        \
    ARRAYS "body\n%10:f32[8] = load %1 [0:8]; " results " = inline_ptx packed=1 " text             \
           " %10; %12:f32[8] = convert %11; store %2 %12 [0:8]\n"

/* Whole numbers that the text determines are exact. */
Test(companion_memory, of_text)
{
    const result r =
        judge("ieee", TEXT("%11:i32[8]", "constraints='=r,r' text='shr.u32 $0, $1, 23;'"), xs);
    for (int i = 0; i < COUNT; i++) cr_assert(r.bound[i] == 0 && r.exact[i] == r.got[i]);
    cr_assert_eq(r.got[7], 124);
}

/* Floats, one or several, may be rounded; and approximations are not known to any contract. */
Test(companion_memory, of_text_without_a_bound)
{
    check_refused(TEXT("%11:f32[8]", "constraints='=r,r' text='add.rn.f32 $0, $1, $1;'"),
                  "inline_ptx: what its text computes in exact arithmetic is not known");
    check_refused(TEXT("%11:i32[8] %13:f32[8]",
                       "constraints='=r,=r,r' text='mov.b32 $0, 1; sqrt.rn.f32 $1, $2;'"),
                  "inline_ptx: what its text computes in exact arithmetic is not known");
    check_refused(
        TEXT("%11:i32[8]", "constraints='=r,r' text='ex2.approx.f32 $0, $1; shr.u32 $0, $0, 23;'"),
        "inline_ptx: line 1 of its text may give another result on another GPU");
    check_refused(ARRAYS "body\n%10:f32[8] = load %1 [0:8]; %11:f32[8] = exp %10; %12:i32[8] = "
                         "inline_ptx packed=1 constraints='=r,r' text='shr.u32 $0, $1, 23;' %11; "
                         "%13:f32[8] = convert %12; store %2 %13 [0:8]\n",
                  "inline_ptx: no rule is known for operands that may be off");
}

/* ---- copies ---- */

#define COPIES "scratch s f32[8]\nscratch d dma_sem[]\nbody\n"

/* In, changed in scratch memory, and out again: exact values and bounds go with them. */
Test(companion_memory, of_copies)
{
    const result r =
        judge("ieee",
              ARRAYS COPIES "dma_start %1 %3 %4; dma_wait %3 %4; %10:f32[8] = load %3 [0:8]; "
                            "%11:f32[8] = exp %10; store %3 %11 [0:8]; dma_start %3 "
                            "%2 %4; dma_wait %2 %4\n",
              xs);
    cr_assert_eq(r.findings, 0);
    for (int i = 0; i < COUNT; i++) {
        const double exact = exp((double)xs[i]);
        cr_assert_float_eq(r.exact[i], exact, 1e-12 * exact);
        cr_assert(r.bound[i] >= 0.99 * 0x1p-23 * exact && r.bound[i] < 1.1 * 0x1p-23 * exact);
    }
    const result moved =
        judge("ieee", ARRAYS "scratch d dma_sem[]\nbody\ndma_start %1 %2 %3; dma_wait %2 %3\n", xs);
    cr_assert(moved.bound[4] == 0 && moved.exact[4] == 5.5);
}

/* A value goes to memory with its exact value and its bound. */
Test(companion_memory, of_copies_of_values)
{
    const result r = judge("ieee",
                           ARRAYS COPIES "%10:f32[8] = load %1 [0:8]; %11:f32[8] = exp %10\n"
                                         "dma_start %11 %2 %4; dma_wait %2 %4\n",
                           xs);
    for (int i = 0; i < COUNT; i++) {
        const double exact = exp((double)xs[i]);
        cr_assert_float_eq(r.exact[i], exact, 1e-12 * exact);
        cr_assert(r.bound[i] >= 0.99 * 0x1p-23 * exact && r.bound[i] < 1.1 * 0x1p-23 * exact);
    }
}

/* ---- fewer bits ---- */

#define FEWER(ops) ARRAYS "body\n%10:f32[8] = load %1 [0:8]; " ops "; store %2 %9 [0:8]\n"

Test(companion_memory, of_reduced_precision)
{
    const result sure = judge(
        "ieee", FEWER("%9:f32[8] = reduce_precision %10 exponent_bits=8 mantissa_bits=7"), xs);
    const result off = judge("ieee",
                             FEWER("%11:f32[8] = exp %10; %9:f32[8] = reduce_precision %11 "
                                   "exponent_bits=8 mantissa_bits=7"),
                             xs);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(sure.bound[i], fabs(sure.got[i] - (double)xs[i]));
        cr_assert(fabs(off.got[i] - off.exact[i]) <= off.bound[i] &&
                  off.bound[i] < 0x1.1p-8 * off.exact[i]);
    }
}

/* ---- products at indices ---- */

/* All eight updates go to the first element. */
Test(companion_memory, of_scattered_products)
{
    const result r = judge(
        "ieee",
        FEWER("%11:f32[8] = exp %10; %12:i32[8,1] = constant value=0; %9:f32[8] = scatter %11 %12 "
              "%11 offset_dims=[] collapsed_dims=[0] start_index_map=[0] operand_batch=[] "
              "indices_batch=[] mode='drop' combine='mul'"),
        xs);
    double exact = exp((double)xs[0]);
    for (int i = 0; i < COUNT; i++) exact *= exp((double)xs[i]);
    cr_assert_float_eq(r.exact[0], exact, 1e-12 * exact);
    cr_assert(fabs(r.got[0] - exact) <= r.bound[0]);
    cr_assert(r.bound[0] > 13 * 0x1p-23 * exact && r.bound[0] < 15 * 0x1p-23 * exact, "%a",
              r.bound[0] / exact);
    cr_assert(r.bound[1] < 1.1 * 0x1p-23 * r.exact[1]);
}
