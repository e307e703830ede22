/* Bounds of profile fast: what is judged how, kernels with a bound and without one, and that the kernel of bounds does what the
 * kernel does.  The emulator approximates by chance and must stay within. */
#include "crosscheck/fast_bound.h"

#include <math.h>

#include "crosscheck/crosscheck.h"
#include "api/case.h"
#include "ir/bits.h"
#include "random/programs.h"
#include "run_text.h"
#include "sampled.h"

/* ---- judging ---- */

static tg_fast_verdict judge(float got, float want, double bound, tg_fast_worst *worst)
{
    float g[2] = {1, got}, w[2] = {1, want};
    double b[2] = {0, bound};
    const tg_type f32 = {.dtype = TG_DT_f32, .rank = 1, .shape = {2}},
                  f64 = {.dtype = TG_DT_f64, .rank = 1, .shape = {2}};
    return tg_fast_judge(&(tg_tensor){f32, g}, &(tg_tensor){f32, w}, &(tg_tensor){f64, b}, worst);
}

Test(fast_bound, elements_are_judged)
{
    const float inf = INFINITY, most = 0x1.fffffep+127f;
    tg_fast_worst worst;
    cr_assert_eq(judge(2, 2, 0, &worst), TG_FAST_EQUAL);
    cr_assert_eq(worst.element, -1);
    cr_assert_eq(judge(NAN, NAN, 0, &worst), TG_FAST_EQUAL);
    cr_assert_eq(judge(2.5f, 2, 0.5, &worst), TG_FAST_WITHIN);
    cr_assert(worst.element == 1 && worst.off == 0.5 && worst.bound == 0.5);
    cr_assert_eq(judge(2.5f, 2, 0.499, &worst), TG_FAST_OUTSIDE);
    cr_assert_eq(judge(2.5f, 2, 0, &worst), TG_FAST_OUTSIDE);
    cr_assert_eq(judge(2.5f, 2, (double)inf, &worst), TG_FAST_UNJUDGED);
    cr_assert_eq(judge(2.5f, 2, (double)NAN, &worst), TG_FAST_UNJUDGED);
    cr_assert_eq(judge(NAN, 2, 1, &worst), TG_FAST_OUTSIDE);
    cr_assert_eq(judge(inf, most, 1e30, &worst), TG_FAST_WITHIN);
    cr_assert_eq(judge(-inf, most, 1e30, &worst), TG_FAST_OUTSIDE);
    cr_assert_eq(judge(inf, 1, 1e30, &worst), TG_FAST_OUTSIDE);
    cr_assert_eq(judge(-0.0f, 0, 0, &worst), TG_FAST_WITHIN);
}

/* ---- kernels ---- */

/* A case of the module's kernel with moderate inputs, in memory. */
static tg_case make_case(tg_module *module, uint64_t state)
{
    const tg_kernel *k = &module->kernels[0];
    tg_case c = {.module = module, .kernel = k};
    c.inputs = calloc(k->param_count + 1, sizeof *c.inputs);
    c.expected = calloc(k->param_count + 1, sizeof *c.expected);
    cr_assert(c.inputs && c.expected);
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_type *type = &k->params[p].array;
        if (k->params[p].role != TG_ROLE_INPUT) continue;
        c.inputs[p].content = TG_CASE_TENSOR;
        cr_assert_eq(tg_tensor_new(type, &c.inputs[p].tensor), TG_OK);
        for (int64_t i = 0; i < tg_type_count(type); i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const double value = (double)(state >> 40 & 0xfff) / 512 - 4;
            const uint64_t bits =
                tg_is_float(type->dtype) ? tg_bits_round(type->dtype, value) : state >> 60 & 1;
            tg_bits_store(type->dtype, bits,
                          (char *)c.inputs[p].tensor.data + i * tg_dtypes[type->dtype].bytes);
        }
    }
    return c;
}

static void free_case(tg_case *c)
{
    for (uint32_t p = 0; p < c->kernel->param_count; p++) tg_tensor_free(&c->inputs[p].tensor);
    free(c->inputs);
    free(c->expected);
    tg_module_free(c->module);
}

static tg_cross_outcome crosscheck(const tg_case *c, const char *emulator)
{
    const char *const backends[] = {"cpu", emulator};
    const tg_crosscheck_settings settings = {.backends = backends, .count = 2, .is_fast = true};
    tg_cross_outcome result;
    cr_assert_eq(tg_crosscheck_case(c, &settings, &result), TG_OK);
    return result;
}

/* The bound of the first element of output o, and what must be told of the emulator. */
static double bound_of(const char *text, tg_cross_verdict verdict)
{
    tg_case c = make_case(load_kernel(text), 5);
    tg_fast_bounds bounds = {0};
    cr_assert_eq(tg_fast_bounds_find(&c, &bounds), TG_OK);
    cr_assert_str_eq(bounds.why_not, "", "%s", text);
    const tg_tensor *bound = tg_fast_bound_of(&bounds, "o");
    cr_assert_not_null(bound);
    const double found = *(const double *)bound->data;
    const tg_cross_outcome result = crosscheck(&c, "emulator:3");
    cr_assert_eq(result.verdict, verdict, "%d: %s", (int)result.verdict, result.text);
    tg_fast_bounds_free(&bounds);
    free_case(&c);
    return found;
}

#define LANES(ops)                                                                                 \
    "input x f32[64]\noutput o f32[64]\nbody\n%3:f32[64] = load %1 [0:64]\n" ops                   \
    "\nstore %2 %9 [0:64]\n"

/* e^1 in f32, plain: off by 2^-22 + 2^-23 of it, and two roundings of two half units; not more than twice that. */
Test(fast_bound, of_an_approximate_instruction)
{
    const double e = exp(1.0), least = e * (0x1p-22 + 0x1p-23 + 4 * 0x1p-24),
                 found = bound_of(LANES("%8:f32[64] = constant value=1; %9:f32[64] = exp %8"),
                                  TG_CROSS_WITHIN);
    cr_assert(found >= least && found < 1.1 * least, "%g, least %g", found, least);
}

Test(fast_bound, of_what_both_profiles_compute_alike)
{
    cr_assert_eq(bound_of(LANES("%8:f32[64] = sin %3; %9:f32[64] = add %8 %3"), TG_CROSS_EQUAL), 0);
}

/* What goes in is passed on: 1 + 1000 exp(x) is off by 1000 times as much, less what is rounded. */
Test(fast_bound, is_passed_on)
{
    const double
        one =
            bound_of(LANES("%8:f32[64] = constant value=1; %9:f32[64] = exp %8"), TG_CROSS_WITHIN),
        all = bound_of(
            LANES("%8:f32[64] = constant value=1; %7:f32[64] = exp %8; %6:f32[64] = constant "
                  "value=1000; %5:f32[64] = mul %7 %6; %9:f32[64] = add %5 %8"),
            TG_CROSS_WITHIN);
    cr_assert(all > 1000 * one && all < 1600 * one, "%g, %g", one, all);
}

#define DOT(dtype, k)                                                                              \
    "input x " dtype "[64," k "]\ninput y " dtype "[" k ",64]\noutput o f32[64,64]\nbody\n"        \
    "%4:" dtype "[64," k "] = load %1 [0:64,0:" k "]; %5:" dtype "[" k ",64] = load %2 [0:" k      \
    ",0:64]\n"                                                                                     \
    "%6:f32[64,64] = dot_general %4 %5 lhs_contract=[1] rhs_contract=[0] lhs_batch=[] "            \
    "rhs_batch=[]; store %3 %6 [0:64,0:64]\n"

/* Of inputs up to 4: 64 products of 16 at most, each off by 2^-10 as tf32; of f16 only sums are off. */
Test(fast_bound, of_products_of_matrices)
{
    const double f32 = bound_of(DOT("f32", "64"), TG_CROSS_WITHIN),
                 f16 = bound_of(DOT("f16", "64"), TG_CROSS_WITHIN);
    cr_assert(f32 > 64 * 0x1p-11 && f32 < 64 * 16 * 0x1.2p-10, "%g", f32);
    cr_assert(f16 > 64 * 0x1p-20 && f16 < 64 * 16 * 0x1p-15, "%g", f16);
}

/* Through loops, branches, memory of regions, masks, and memory that input and output share. */
Test(fast_bound, through_control_and_memory)
{
    bound_of(
        "grid 2 2a\ninput x f32[64] block b32 at i\ninput z f32[64] block b32 at i\n"
        "output o f32[64] alias=z block b32 at i\nscratch s f32[32]\nbody\n"
        "%10:f32[32] = load %1 [0:32]; %11:i32[] = constant value=0; %12:i32[] = constant value=3; "
        "%13:i32[] = constant value=1\n"
        "%14:f32[32] = for %11 %12 %13 %10 { (%20:i32[] %21:f32[32]) %22:f32[32] = neg %21; "
        "%23:f32[32] = logistic %22; yield %23 }\n"
        "%15:f32[32] = switch %13 { yield %10 } { %30:f32[32] = exp %14; yield %30 }\n"
        "%16:f32[32] = scoped { (%40:ref<f32[32]>) store %40 %15 [0:32]; %41:f32[32] = load %40 "
        "[0:32]; yield %41 }\n"
        "store %4 %16 [0:32]; %17:f32[32] = load %4 [0:32]; %18:f32[32] = load %3 [0:32]\n"
        "%50:i32[32] = iota axis=0; %51:i32[32] = constant value=20; %52:bool[32] = lt %50 %51\n"
        "%19:f32[32] = add %17 %18; store %3 %19 %52 [0:32] mask=true\n",
        TG_CROSS_WITHIN);
}

/* A part of memory whose ends the program computes is memory like a view. */
Test(fast_bound, through_a_part_of_memory)
{
    const double found =
        bound_of("input x f32[16]\noutput o f32[16]\nbody\n"
                 "%10:i32[] = constant value=0; %11:i32[] = constant value=16\n"
                 "%12:ref<f32[16]> = view_part %2 %10 %11\n"
                 "%13:f32[16] = load %1 [0:16]; %14:f32[16] = exp %13; store %12 %14 [0:16]\n"
                 "%15:f32[16] = load %12 [0:16]; %16:f32[16] = neg %15; store %2 %16 [0:16]\n",
                 TG_CROSS_WITHIN);
    cr_assert_gt(found, 0);
}

#define TEXT(text) "inline_ptx constraints='=r,r' packed=1 loc=4 text='" text "'"

/* Of exact operands such text makes the same in both profiles. */
Test(fast_bound, of_text_that_computes_exactly)
{
    cr_assert_eq(bound_of(LANES("%7:i32[64] = bitcast %3; %8:i32[64] = " TEXT(
                              "shl.b32 $0, $1, 3;") " %7; %9:f32[64] = convert %8"),
                          TG_CROSS_EQUAL),
                 0);
    cr_assert_eq(bound_of(LANES("%9:f32[64] = " TEXT("add.rn.f32 $0, $1, 0f3F800000;") " %3"),
                          TG_CROSS_EQUAL),
                 0);
}

/* Bools that both profiles surely have alike are exact. */
Test(fast_bound, of_text_on_a_comparison)
{
    cr_assert_eq(bound_of(LANES("%8:f32[64] = exp %3; %7:f32[64] = constant value=-1; "
                                "%6:bool[64] = lt %8 %7; %5:i32[64] = " TEXT(
                                    "add.s32 $0, $1, 2;") " %6; %9:f32[64] = convert %5"),
                          TG_CROSS_EQUAL),
                 0);
}

/* ---- what cannot be judged ---- */

static void check_unjudged(const char *text, const char *why)
{
    tg_case c = make_case(load_kernel(text), 5);
    const tg_cross_outcome result = crosscheck(&c, "emulator:3");
    cr_assert_eq(result.verdict, TG_CROSS_UNJUDGED, "%d: %s", (int)result.verdict, result.text);
    cr_assert(strstr(result.text, why), "%s", result.text);
    free_case(&c);
}

Test(fast_bound, without_a_bound)
{
    check_unjudged(
        LANES("%8:f32[64] = exp %3; %9:f32[64] = cumsum %8 axis=0 loc=4"),
        "no bound can be derived: cumsum: no rule is known for operands that may be off at k.py:4");
    check_unjudged(LANES("%8:f32[64] = exp %3; %7:i32[64] = convert %8; %6:f32[64] = convert %7; "
                         "%9:f32[64] = add %6 %8"),
                   "to another dtype than");
    check_unjudged(LANES("%8:f32[64] = exp %3; %7:f32[64] = exp %3; %6:bool[64] = lt %8 %7 loc=3; "
                         "%9:f32[64] = select %6 %8 %3"),
                   "profile fast may compare otherwise at k.py:3");
    check_unjudged(
        LANES("%8:f32[64] = constant value=0; %7:f32[64] = exp %8; %6:f32[64] = constant "
              "value=1; %5:f32[64] = sub %7 %6; %9:f32[64] = div %3 %5"),
        "without a bound is");
}

/* A case whose bits need not differ. */
static void check_refused(const char *text, const char *why)
{
    tg_case c = make_case(load_kernel(text), 5);
    tg_fast_bounds bounds = {0};
    cr_assert_eq(tg_fast_bounds_find(&c, &bounds), TG_OK);
    cr_assert_str_eq(bounds.why_not, why, "%s", text);
    tg_fast_bounds_free(&bounds);
    free_case(&c);
}

#define IN_LINE(line)                                                                              \
    "no bound can be derived: inline_ptx: line " #line                                             \
    " of its text may give another result on another GPU at k.py:4"

/* Approximations, also where whole numbers alone come out or several results do, and what ptxas may fuse. */
Test(fast_bound, of_text_that_is_not_exact)
{
    check_unjudged(LANES("%9:f32[64] = " TEXT("ex2.approx.f32 $0, $1;") " %3"), IN_LINE(1));
    check_refused(LANES("%9:f32[64] = " TEXT("neg.f32 $0, $1;\\nrcp.approx.f32 $0, $0;") " %3"),
                  IN_LINE(2));
    check_refused(LANES("%8:i32[64] = " TEXT("{ .reg .f32 t; tanh.approx.f32 t, $1;\\n"
                                             "cvt.rzi.s32.f32 $0, t; }") " %3; "
                                                                         "%9:f32[64] = convert %8"),
                  IN_LINE(1));
    check_refused(LANES("%9:f32[64] %8:i32[64] = inline_ptx constraints='=r,=r,r' packed=1 loc=4 "
                        "text='mov.b32 $1, 1;\\nlg2.approx.ftz.f32 $0, $2;' %3"),
                  IN_LINE(2));
    check_refused(LANES("%9:f32[64] = " TEXT("add.f32 $0, $1, $1;") " %3"), IN_LINE(1));
}

/* What text does with an operand is not known from outside, whatever its instructions are. */
Test(fast_bound, of_text_on_what_may_be_off)
{
    static const char why[] = "no bound can be derived: inline_ptx: no rule is known for operands "
                              "that may be off at k.py:4";
    check_unjudged(LANES("%8:f32[64] = exp %3; %9:f32[64] = " TEXT("neg.f32 $0, $1;") " %8"), why);
    check_refused(LANES("%8:f32[64] = exp %3; %7:i32[64] = " TEXT(
                      "and.b32 $0, $1, 1;") " %8; %9:f32[64] = convert %7"),
                  why);
}

/* ---- random kernels ---- */

/* The outputs that are not bounds have the bits that the kernel itself gives. */
static void check_outputs(const tg_case *c, const tg_fast_bounds *bounds, uint64_t seed)
{
    tg_case_run *run;
    cr_assert_eq(tg_case_run_new(c, NULL, NULL, &run, NULL), TG_OK);
    for (size_t i = 0; i < run->outputs.count; i++) {
        const struct tg_named_tensor *want = &run->outputs.list[i];
        const tg_tensor *got = tg_tensors_find(&bounds->outputs, want->name);
        tg_fast_worst worst;
        cr_assert_not_null(got);
        cr_assert_eq(tg_fast_judge(got, &want->tensor, NULL, &worst), TG_FAST_EQUAL,
                     "seed %d: output %s", (int)seed, want->name);
    }
    tg_case_run_free(run);
}

static bool check_random(uint64_t seed)
{
    char *json = random_program_json(seed, PROGRAM_OPS);
    tg_module *module = NULL;
    cr_assert_eq(tg_module_load_text(json, strlen(json), &module, NULL), TG_OK);
    free(json);
    tg_case c = make_case(module, seed);
    tg_fast_bounds bounds = {0};
    cr_assert_eq(tg_fast_bounds_find(&c, &bounds), TG_OK);
    const bool is_derived = bounds.outputs.count > 0;
    if (is_derived)
        check_outputs(&c, &bounds, seed);
    else
        cr_assert(strncmp(bounds.why_not, "no bound can be derived", 23) == 0, "seed %d: %s",
                  (int)seed, bounds.why_not);
    tg_fast_bounds_free(&bounds);
    free_case(&c);
    return is_derived;
}

Test(fast_bound, of_random_kernels)
{
    const int count = sampled(400, 60);
    int derived = 0;
    for (int seed = 0; seed < count; seed++) derived += check_random((uint64_t)seed);
    cr_assert(derived > count / 2 && derived < count, "%d of %d", derived, count);
}
