/* Profile `fast`: within 1 ULP, the same bits on every instruction set, and nothing else changed. */
#include <criterion/criterion.h>

#include "lanes_oracle.h"
#include "sampled.h"

enum { FAST_LANES = 4099 }; /* whole registers and a rest */

#ifdef TG_HAVE_SLEEF

static const char *const fast_functions[] = {"exp",  "exp2",  "expm1", "log",  "sin",
                                             "cos",  "tan",   "asin",  "acos", "atan",
                                             "tanh", "atanh", "cbrt",  "pow",  "atan2"};
enum { FAST_FUNCTIONS = sizeof fast_functions / sizeof *fast_functions };

/* NULL where the machine lacks the set, or lacks what SLEEF takes. */
static const tg_elementwise *fast_of(const char *isa)
{
    const char *missing;
    const tg_elementwise *const lanes = tg_elementwise_get(isa);
    return lanes != NULL ? tg_elementwise_fast(lanes, &missing) : NULL;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Every 1021st f32 from `first`, which the functions see in runs of FAST_LANES. */
static uint32_t fill_operands(uint32_t first, float *x)
{
    for (int i = 0; i < FAST_LANES; i++) x[i] = float_of(first + (uint32_t)i * 1021);
    return first + FAST_LANES * 1021u;
}

static void run_f32(const tg_elementwise *lanes, tg_opcode op, const float *x, const float *y,
                    float *r)
{
    const void *const src[2] = {x, y};
    cr_assert(
        lanes_run(tg_elementwise_op(lanes, op, TG_DT_f32, TG_DT_f32), r, src, 0, FAST_LANES, 0));
}

static void run_f64(const tg_elementwise *lanes, tg_opcode op, const float *x, const float *y,
                    double *r)
{
    static double wide[2][FAST_LANES];
    const void *const src[2] = {wide[0], wide[1]};
    for (int i = 0; i < FAST_LANES; i++) {
        wide[0][i] = (double)x[i];
        wide[1][i] = (double)y[i];
    }
    cr_assert(
        lanes_run(tg_elementwise_op(lanes, op, TG_DT_f64, TG_DT_f64), r, src, 0, FAST_LANES, 0));
}

/* r is of want's kind, and no farther from it than one step of f32. */
static void check_close(const char *name, float x, float y, float r, double want)
{
    const float rounded = (float)want;
    uint32_t bits;
    memcpy(&bits, &r, sizeof bits);
    if (isnan(rounded)) {
        cr_assert_eq(bits, 0x7fc00000, "%s(%a, %a) = %a", name, (double)x, (double)y, (double)r);
        return;
    }
    const float low = nextafterf(rounded, -INFINITY), high = nextafterf(rounded, INFINITY);
    cr_assert(r >= low && r <= high && signbit(r) == signbit(rounded), "%s(%a, %a) = %a, not %a",
              name, (double)x, (double)y, (double)r, want);
}

static void check_function(const char *name)
{
    static float x[FAST_LANES], y[FAST_LANES], first[FAST_LANES], r[FAST_LANES];
    static double want[FAST_LANES];
    const tg_opcode op = tg_op_by_name(name);
    uint32_t from = 0;
    for (int block = 0; block < sampled(1024, 64); block++) {
        const uint32_t next = fill_operands(from, x);
        fill_operands(next * 7u + 5u, y);
        run_f32(fast_of("baseline"), op, x, y, first);
        for (int isa = 1; isa < LANES_ISAS; isa++) {
            if (fast_of(lanes_isas[isa]) == NULL) continue;
            run_f32(fast_of(lanes_isas[isa]), op, x, y, r);
            cr_assert_arr_eq(r, first, sizeof r, "%s differs on %s", name, lanes_isas[isa]);
        }
        run_f64(tg_elementwise_get(NULL), op, x, y, want);
        for (int i = 0; i < FAST_LANES; i++) check_close(name, x[i], y[i], first[i], want[i]);
        from = next;
    }
}

Test(lanes_fast, within_one_step_and_the_same_bits_everywhere)
{
    if (fast_of("baseline") == NULL) cr_skip_test("SLEEF does not run on this machine");
    for (int f = 0; f < FAST_FUNCTIONS; f++) check_function(fast_functions[f]);
}

/* One operand repeated, and runs too short for a register. */
Test(lanes_fast, splats_and_rests)
{
    static float x[FAST_LANES], y[FAST_LANES], all[FAST_LANES], r[FAST_LANES];
    if (fast_of("baseline") == NULL) cr_skip_test("SLEEF does not run on this machine");
    for (int i = 0; i < FAST_LANES; i++) x[i] = 0.25f + (float)i / FAST_LANES, y[i] = x[0];
    for (int f = 0; f < FAST_FUNCTIONS; f++) {
        const tg_opcode op = tg_op_by_name(fast_functions[f]);
        const tg_elementwise_call fast = tg_elementwise_op(fast_of(NULL), op, TG_DT_f32, TG_DT_f32);
        run_f32(fast_of(NULL), op, x, y, all);
        for (size_t count = 0; count < 40; count++) {
            const void *const src[2] = {x, y}, *const one[2] = {x, x};
            r[count] = 77;
            lanes_run(fast, r, src, 2, count, 0);
            cr_assert_arr_eq(r, all, count * sizeof *r, "%s of %zu", fast_functions[f], count);
            lanes_run(fast, r, one, 3, count, 0);
            for (size_t i = 0; i < count; i++) cr_assert_eq(r[i], all[0]);
            cr_assert_eq(r[count], 77, "%s of %zu writes beyond", fast_functions[f], count);
        }
    }
}

/* Only f32, and only the functions that the list names. */
Test(lanes_fast, all_else_is_the_reference)
{
    const tg_elementwise *const lanes = tg_elementwise_get(NULL), *const fast = fast_of(NULL);
    if (fast == NULL) cr_skip_test("SLEEF does not run on this machine");
    cr_assert_str_eq(tg_elementwise_profile(lanes), "reference");
    cr_assert_str_eq(tg_elementwise_profile(fast), "fast");
    cr_assert_str_eq(tg_elementwise_isa(fast), tg_elementwise_isa(lanes));
    for (int op = 0; op < TG_OP_COUNT; op++) {
        bool is_listed = false;
        for (int f = 0; f < FAST_FUNCTIONS; f++)
            is_listed = is_listed || strcmp(tg_ops[op].name, fast_functions[f]) == 0;
        for (int d = 0; d < TG_DT_COUNT; d++) {
            const tg_dtype dtype = (tg_dtype)d;
            const bool is_same = tg_elementwise_op(lanes, (tg_opcode)op, dtype, dtype).compute ==
                                 tg_elementwise_op(fast, (tg_opcode)op, dtype, dtype).compute;
            cr_assert_eq(is_same, !(is_listed && dtype == TG_DT_f32), "%s of %s", tg_ops[op].name,
                         tg_dtypes[d].name);
        }
    }
}

#else

Test(lanes_fast, is_missing_without_sleef)
{
    const char *missing = NULL;
    cr_assert_null(tg_elementwise_fast(tg_elementwise_get(NULL), &missing));
    cr_assert_str_eq(missing, "this build has no SLEEF (Debian, Ubuntu: libsleef-dev)");
}

#endif
