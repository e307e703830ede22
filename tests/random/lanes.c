/* Element-wise ops. */
#include "random/maker.h"

/* Says of an op on floats what becomes of NaN, or leaves it to the dialect. */
static void set_nan(maker *g, const tg_type *type)
{
    if (tg_is_float(type->dtype) && roll(g, 2))
        tg_build_name(&g->b, TG_ATTR_nan, roll(g, 2) ? "drop" : "propagate");
}

static bool is_extremum(tg_opcode op) { return op == TG_OP_max || op == TG_OP_min; }

/* An op of one to three operands of one type, of all that take the dtype. */
static void make_table_op(maker *g, made a)
{
    tg_opcode op;
    do op = (tg_opcode)roll(g, TG_OP_COUNT);
    while ((tg_ops[op].rule != TG_RULE_SAME && tg_ops[op].rule != TG_RULE_PREDICATE) ||
           !is_allowed(tg_ops[op].domain, a.type.dtype));
    tg_type type = a.type;
    if (tg_ops[op].rule == TG_RULE_PREDICATE) type.dtype = TG_DT_bool;
    made more[2] = {a, a};
    for (int i = 1; i < tg_ops[op].in_max; i++) more[i - 1] = of_type(g, a.type);
    use(g, a);
    for (int i = 1; i < tg_ops[op].in_max; i++) use(g, more[i - 1]);
    if (is_extremum(op)) set_nan(g, &a.type);
    if (op == TG_OP_integer_pow)
        tg_build_int(&g->b, TG_ATTR_exponent, (int)roll(g, 6) - (tg_is_float(type.dtype) ? 3 : 0));
    if (op == TG_OP_round) tg_build_name(&g->b, TG_ATTR_rounding, roll(g, 2) ? "even" : "away");
    if (op == TG_OP_reduce_precision) {
        tg_build_int(&g->b, TG_ATTR_mantissa_bits, roll(g, 24));
        tg_build_int(&g->b, TG_ATTR_exponent_bits, 1 + roll(g, 11));
    }
    if (op == TG_OP_assume_multiple) tg_build_int(&g->b, TG_ATTR_multiple, 1);
    give(g, op, type);
}

/* A power whose exponent has the base's dtype, or is an integer. */
static void make_pow(maker *g, made a)
{
    if (!tg_is_float(a.type.dtype)) return;
    tg_type type = a.type;
    if (roll(g, 2)) type.dtype = TG_DT_i32;
    made b = of_type(g, type);
    give2(g, TG_OP_pow, a.type, a, b);
}

/* Between floats also toward zero, or saturated, where that can be. */
static void make_convert(maker *g, made a)
{
    tg_type type = a.type;
    type.dtype = any_dtype(g);
    const tg_dtype_info *from = &tg_dtypes[a.type.dtype], *to = &tg_dtypes[type.dtype];
    bool is_open = from->kind == TG_KIND_FLOAT && to->kind == TG_KIND_FLOAT &&
                   from->special != TG_SPECIAL_E8M0 && to->special != TG_SPECIAL_E8M0;
    use(g, a);
    if (is_open && roll(g, 2)) tg_build_name(&g->b, TG_ATTR_rounding, "zero");
    if (is_open && from->bits >= to->bits && roll(g, 2)) tg_build_int(&g->b, TG_ATTR_saturate, 1);
    give(g, TG_OP_convert, type);
}

void make_lane(maker *g)
{
    static const tg_opcode arithmetic[] = {TG_OP_add, TG_OP_sub, TG_OP_mul, TG_OP_max,
                                           TG_OP_min, TG_OP_and, TG_OP_or,  TG_OP_xor};
    static const tg_opcode compare[] = {TG_OP_eq, TG_OP_ne, TG_OP_lt, TG_OP_le, TG_OP_gt, TG_OP_ge};
    static const tg_opcode single[] = {TG_OP_neg, TG_OP_abs, TG_OP_sign, TG_OP_square, TG_OP_not};
    made a = any(g), b;
    tg_type type = a.type;
    bool is_bool = type.dtype == TG_DT_bool;
    if (g->range == RANDOM_TYPED && roll(g, 2)) {
        if (roll(g, 12))
            make_table_op(g, a);
        else
            make_pow(g, a);
        return;
    }
    unsigned kind = roll(g, 8);
    if (tg_is_float(type.dtype) && (kind == 0 || kind > 5)) kind = 4;
    switch (kind) {
    case 0: {
        give1(g, single[is_bool ? 4 : roll(g, 5)], type, a);
        return;
    }
    case 1:
        b = of_type(g, type);
        type.dtype = TG_DT_bool;
        give2(g, compare[roll(g, 6)], type, a, b);
        return;
    case 2: {
        tg_type which = type;
        which.dtype = TG_DT_bool;
        if (roll(g, 3) == 0) which = (tg_type){.dtype = TG_DT_bool};
        made w = of_type(g, which);
        b = of_type(g, type);
        give3(g, TG_OP_select, type, w, a, b);
        return;
    }
    case 3: {
        if (is_bool) return;
        tg_type bound = roll(g, 2) ? type : (tg_type){.dtype = type.dtype};
        made low = of_type(g, bound), high = of_type(g, roll(g, 2) ? type : bound);
        give3(g, TG_OP_clamp, type, low, a, high);
        return;
    }
    case 4: make_convert(g, a); return;
    case 5: {
        tg_type which = type;
        which.dtype = TG_DT_i32;
        made w = of_type(g, roll(g, 3) ? which : scalar), c;
        b = of_type(g, type);
        c = of_type(g, type);
        use(g, w);
        give3(g, TG_OP_select, type, a, b, c);
        return;
    }
    default:
        b = of_type(g, type);
        give2(g, is_bool ? arithmetic[3 + roll(g, 5)] : arithmetic[roll(g, 8)], type, a, b);
    }
}
