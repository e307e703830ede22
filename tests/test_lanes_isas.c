/* Every op, conversion, load and store on random data gives the same bits on every instruction set
 * of the machine; only which NaN it is may differ. */
#include <criterion/criterion.h>

#include "lanes_oracle.h"

enum { LANES = 259, OPERANDS = 3 };

static const tg_elementwise *baseline(void) { return tg_elementwise_get("baseline"); }

static bool same_lane(tg_carrier c, const void *a, const void *b, size_t i)
{
    const size_t bytes = tg_carrier_bytes[c];
    if (c == TG_C_f32 && isnan(((const float *)a)[i])) return isnan(((const float *)b)[i]);
    if (c == TG_C_f64 && isnan(((const double *)a)[i])) return isnan(((const double *)b)[i]);
    return memcmp((const char *)a + i * bytes, (const char *)b + i * bytes, bytes) == 0;
}

static void check_same(const char *isa, const char *what, tg_dtype d, tg_carrier c, const void *a,
                       const void *b)
{
    for (size_t i = 0; i < LANES; i++)
        cr_assert(same_lane(c, a, b, i), "%s %s %s lane %zu", isa, what, tg_dtypes[d].name, i);
}

static void check_op(const tg_elementwise *lanes, tg_opcode op, tg_dtype d, tg_dtype second)
{
    static uint64_t operand[OPERANDS][LANES], a[LANES], b[LANES];
    const void *const src[OPERANDS] = {operand[0], operand[1], operand[2]};
    const tg_elementwise_call mine = tg_elementwise_op(lanes, op, d, second),
                              base = tg_elementwise_op(baseline(), op, d, second);
    const int64_t imm = sample_imm(op);
    cr_assert_eq(mine.compute == NULL, base.compute == NULL);
    if (base.compute == NULL) return;
    for (int k = 0; k < OPERANDS; k++) {
        const bool is_second = (op == TG_OP_pow && k == 1) || (op == TG_OP_select && k == 0);
        random_values(is_second ? second : d, (uint64_t)op * 97 + (uint64_t)d * 7 + (uint64_t)k,
                      LANES, operand[k]);
    }
    const int arity = op == TG_OP_select ? 3 : tg_ops[op].in_max;
    for (unsigned splat = 0; splat < 1u << arity; splat++) {
        lanes_run(mine, a, src, splat, LANES, imm);
        lanes_run(base, b, src, splat, LANES, imm);
        const tg_carrier c = tg_ops[op].rule == TG_RULE_PREDICATE ? TG_C_b8 : tg_carrier_of(d);
        check_same(tg_elementwise_isa(lanes), tg_ops[op].name, d, c, a, b);
    }
}

static void check_ops(const tg_elementwise *lanes)
{
    for (int op = 0; op < TG_OP_COUNT; op++) {
        for (int d = 0; is_elementwise((tg_opcode)op) && d < TG_DT_COUNT; d++) {
            check_op(lanes, (tg_opcode)op, (tg_dtype)d,
                     op == TG_OP_select ? TG_DT_bool : (tg_dtype)d);
            if (op == TG_OP_select) check_op(lanes, (tg_opcode)op, (tg_dtype)d, TG_DT_i32);
            if (op == TG_OP_pow && tg_is_float((tg_dtype)d))
                for (int e = 0; e < TG_DT_COUNT; e++)
                    if (tg_is_int((tg_dtype)e))
                        check_op(lanes, (tg_opcode)op, (tg_dtype)d, (tg_dtype)e);
        }
    }
}

static void check_conversions(const tg_elementwise *lanes)
{
    static uint64_t from[LANES], a[LANES], b[LANES];
    const void *const src[1] = {from};
    for (int d = 0; d < TG_DT_COUNT; d++) {
        random_values((tg_dtype)d, (uint64_t)d, LANES, from);
        for (int to = 0; to < TG_DT_COUNT; to++) {
            lanes_run(tg_elementwise_convert(lanes, (tg_dtype)d, (tg_dtype)to), a, src, 0, LANES,
                      0);
            lanes_run(tg_elementwise_convert(baseline(), (tg_dtype)d, (tg_dtype)to), b, src, 0,
                      LANES, 0);
            check_same(tg_elementwise_isa(lanes), tg_dtypes[to].name, (tg_dtype)d,
                       tg_carrier_of((tg_dtype)to), a, b);
        }
        if (tg_is_native((tg_dtype)d)) continue;
        const tg_carrier code = tg_dtypes[d].bytes == 1 ? TG_C_u8 : TG_C_u16;
        tg_elementwise_store(lanes, (tg_dtype)d)(a, src, 0, LANES, 0);
        tg_elementwise_store(baseline(), (tg_dtype)d)(b, src, 0, LANES, 0);
        check_same(tg_elementwise_isa(lanes), "store", (tg_dtype)d, code, a, b);
        const void *const codes[1] = {a};
        tg_elementwise_load(lanes, (tg_dtype)d)(b, codes, 0, LANES, 0);
        check_same(tg_elementwise_isa(lanes), "load", (tg_dtype)d, tg_carrier_of((tg_dtype)d), b,
                   from);
    }
}

Test(lanes_isas, same_bits)
{
    for (int isa = 1; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        if (lanes == NULL) continue;
        cr_assert_str_eq(tg_elementwise_isa(lanes), lanes_isas[isa]);
        check_ops(lanes);
        check_conversions(lanes);
    }
}

/* What ops.def allows on a dtype is there; `convert` and pow of ints (which no source language has)
 * aside. */
Test(lanes_isas, every_op_has_its_function)
{
    for (int op = 0; op < TG_OP_COUNT; op++) {
        for (int d = 0; is_elementwise((tg_opcode)op) && d < TG_DT_COUNT; d++) {
            const tg_dtype dtype = (tg_dtype)d;
            const tg_domain domain = tg_ops[op].domain;
            const bool allowed = domain == TG_DOMAIN_ANY ||
                                 (domain == TG_DOMAIN_FLOAT && tg_is_float(dtype)) ||
                                 (domain == TG_DOMAIN_INT && tg_is_int(dtype)) ||
                                 (domain == TG_DOMAIN_NUM && dtype != TG_DT_bool) ||
                                 (domain == TG_DOMAIN_BITS && !tg_is_float(dtype));
            if (!allowed || (op == TG_OP_pow && !tg_is_float(dtype))) continue;
            cr_assert_not_null(tg_elementwise_op(baseline(), (tg_opcode)op, dtype, dtype).compute,
                               "%s of %s", tg_ops[op].name, tg_dtypes[d].name);
        }
    }
}

Test(lanes_isas, unknown_names_give_nothing)
{
    cr_assert_null(tg_elementwise_get("mmx"));
    cr_assert_not_null(tg_elementwise_get(NULL));
    cr_assert_str_eq(tg_elementwise_isa(tg_elementwise_get("baseline")), "baseline");
}
