/* Approximate lanes of profile fast in the emulator: within their bounds, wherever a seed moves what is approximate. */
#include <float.h>
#include <math.h>

#include "ptx_lanes.h"

enum { RANDOM_OPERANDS = 20000, SEEDS = 3 };

static double exact(tg_opcode op, double a, double b)
{
    switch (op) {
    case TG_OP_div: return a / b;
    case TG_OP_sqrt: return sqrt(a);
    case TG_OP_rsqrt: return 1 / sqrt(a);
    case TG_OP_exp2: return exp2(a);
    case TG_OP_exp: return exp(a);
    case TG_OP_log2: return log2(a);
    case TG_OP_log: return log(a);
    case TG_OP_logistic: return 1 / (1 + exp(-a));
    case TG_OP_tanh: return tanh(a);
    default: cr_assert_fail("%s: no exact value is known here", tg_ops[op].name); return 0;
    }
}

/* Of a narrow dtype half a unit of the last place is added. */
static double bound_of(tg_opcode op, tg_dtype d, double x, double y)
{
    tg_ptx_error e;
    cr_assert(tg_ptx_lane_error(op, d, &e));
    const double slope = e.by_operand == 0 ? 0 : e.by_operand * fabs(x);
    const double far = (y == 0 ? 0 : (e.relative + slope) * fabs(y)) + e.absolute;
    if (d == TG_DT_f32) return far;
    const tg_dtype_info *f = &tg_dtypes[d];
    return far + ldexp(fabs(y) + far, -f->man_bits - 1) + ldexp(1.0, -f->bias - f->man_bits);
}

static double greatest(tg_dtype d)
{
    const tg_dtype_info *f = &tg_dtypes[d];
    return ldexp(2 - ldexp(1.0, -f->man_bits), f->bias);
}

static bool is_within(tg_opcode op, tg_dtype d, const double x[2], double got)
{
    const double y = exact(op, x[0], x[1]), most = greatest(d);
    if (isnan(y) || isnan(got)) return isnan(y) && isnan(got);
    if (isinf(y)) return got == y;
    const double far = bound_of(op, d, x[0], y);
    if (isinf(got)) return signbit(got) == signbit(y) && fabs(y) + far >= most;
    return fabs(got - fmin(fmax(y, -most), most)) <= far;
}

static void check(tg_opcode op, tg_dtype d, const ptx_codes *left, const ptx_codes *right)
{
    const ptx_lane lane = ptx_fast_lane_of(op, d);
    float *a = ptx_carriers(d, left), *b = ptx_carriers(d, right),
          *got = malloc(left->count * sizeof *got);
    const void *const in[2] = {a, b};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        cr_assert(ptx_run_seeded(&lane, left->count, in, got, seed));
        for (size_t i = 0; i < left->count; i++) {
            const double x[2] = {(double)a[i], (double)b[i]};
            cr_assert(is_within(op, d, x, (double)got[i]),
                      "%s %s of %a, %a: %a is farther from %a than %a", tg_ops[op].name,
                      tg_dtypes[d].name, x[0], x[1], (double)got[i], exact(op, x[0], x[1]),
                      bound_of(op, d, x[0], exact(op, x[0], x[1])));
        }
    }
    free(a);
    free(b);
    free(got);
}

/* The operands of `from`, in another order. */
static void turn(const ptx_codes *from, ptx_codes *to)
{
    to->count = from->count;
    for (size_t i = 0; i < from->count; i++) to->list[i] = from->list[i * 7919 % from->count];
}

static void check_all(tg_dtype d)
{
    static ptx_codes left, right;
    left.count = 0;
    ptx_add_edges(&left, d, 16);
    if (tg_dtypes[d].bits > 16) ptx_add_random(&left, d, 5, RANDOM_OPERANDS);
    turn(&left, &right);
    for (int op = 0; op < TG_OP_COUNT; op++) {
        tg_ptx_error error;
        if (tg_ptx_lane_error((tg_opcode)op, d, &error)) check((tg_opcode)op, d, &left, &right);
    }
}

Test(ptx_fast, f32) { check_all(TG_DT_f32); }
Test(ptx_fast, f16) { check_all(TG_DT_f16); }
Test(ptx_fast, bf16) { check_all(TG_DT_bf16); }

/* What has no documented bound, or one that is no use, stays as it is in profile reference. */
Test(ptx_fast, others_are_left_alone)
{
    static const struct {
        tg_opcode op;
        tg_dtype dtype;
    } left[] = {{TG_OP_sin, TG_DT_f32}, {TG_OP_cos, TG_DT_f32},   {TG_OP_tanh, TG_DT_f32},
                {TG_OP_exp, TG_DT_f64}, {TG_OP_pow, TG_DT_f32},   {TG_OP_add, TG_DT_f32},
                {TG_OP_div, TG_DT_i32}, {TG_OP_exp, TG_DT_f8e5m2}};
    tg_ptx_error error;
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        tg_ptx_writer w = {.table_count = 0};
        tg_ptx_reg in[2] = {{"%f1", TG_PTX_F32}, {"%f2", TG_PTX_F32}}, out;
        cr_expect_not(tg_ptx_lane_error(left[i].op, left[i].dtype, &error));
        const tg_ptx_lane_op lane = {&w, left[i].op, left[i].dtype, left[i].dtype, 0, 2, in};
        cr_expect_not(tg_ptx_lane_fast(&lane, &out));
        cr_expect_null(w.text.data);
        tg_text_drop(&w.text);
    }
}
