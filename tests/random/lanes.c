/* Element-wise ops. */
#include "random/maker.h"

/* An op of one or two operands of one type, of all that take the dtype. */
static void make_table_op(maker *g, made a)
{
    tg_opcode op;
    do op = (tg_opcode)roll(g, TG_OP_COUNT);
    while ((tg_ops[op].rule != TG_RULE_SAME && tg_ops[op].rule != TG_RULE_PREDICATE) ||
           !is_allowed(tg_ops[op].domain, a.type.dtype));
    tg_type type = a.type;
    if (tg_ops[op].rule == TG_RULE_PREDICATE) type.dtype = TG_DT_bool;
    made b = tg_ops[op].in_max == 2 ? of_type(g, a.type) : a;
    begin(g, type);
    tg_text_add(&g->text, "%s %%%d", tg_ops[op].name, a.id);
    if (tg_ops[op].in_max == 2) tg_text_add(&g->text, " %%%d", b.id);
    if (op == TG_OP_integer_pow)
        tg_text_add(&g->text, " exponent=%d", (int)roll(g, 6) - (tg_is_float(type.dtype) ? 3 : 0));
    if (op == TG_OP_round)
        tg_text_put(&g->text, roll(g, 2) ? " rounding='even'" : " rounding='away'");
    if (op == TG_OP_reduce_precision)
        tg_text_add(&g->text, " exponent_bits=%u mantissa_bits=%u", 1 + roll(g, 11), roll(g, 24));
    if (op == TG_OP_assume_multiple) tg_text_put(&g->text, " multiple=1");
    tg_text_put(&g->text, "\n");
}

/* A power whose exponent has the base's dtype, or is an integer. */
static void make_pow(maker *g, made a)
{
    if (!tg_is_float(a.type.dtype)) return;
    tg_type type = a.type;
    if (roll(g, 2)) type.dtype = TG_DT_i32;
    made b = of_type(g, type);
    begin(g, a.type);
    line2(g, "pow", a, b);
}

void make_lane(maker *g)
{
    static const char *const arithmetic[] = {"add", "sub", "mul", "max", "min", "and", "or", "xor"};
    static const char *const compare[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const single[] = {"neg", "abs", "sign", "square", "not"};
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
        const char *op = single[is_bool ? 4 : roll(g, 5)];
        begin(g, type);
        line1(g, op, a, "");
        return;
    }
    case 1:
        b = of_type(g, type);
        type.dtype = TG_DT_bool;
        begin(g, type);
        line2(g, compare[roll(g, 6)], a, b);
        return;
    case 2: {
        tg_type which = type;
        which.dtype = TG_DT_bool;
        if (roll(g, 3) == 0) which = (tg_type){.dtype = TG_DT_bool};
        made w = of_type(g, which);
        b = of_type(g, type);
        begin(g, type);
        tg_text_add(&g->text, "select %%%d %%%d %%%d\n", w.id, a.id, b.id);
        return;
    }
    case 3: {
        if (is_bool) return;
        tg_type bound = roll(g, 2) ? type : (tg_type){.dtype = type.dtype};
        made low = of_type(g, bound), high = of_type(g, roll(g, 2) ? type : bound);
        begin(g, type);
        tg_text_add(&g->text, "clamp %%%d %%%d %%%d\n", low.id, a.id, high.id);
        return;
    }
    case 4: {
        type.dtype = any_dtype(g);
        begin(g, type);
        line1(g, "convert", a, "");
        return;
    }
    case 5: {
        tg_type which = type;
        which.dtype = TG_DT_i32;
        made w = of_type(g, roll(g, 3) ? which : scalar), c;
        b = of_type(g, type);
        c = of_type(g, type);
        begin(g, type);
        tg_text_add(&g->text, "select %%%d %%%d %%%d %%%d\n", w.id, a.id, b.id, c.id);
        return;
    }
    default:
        b = of_type(g, type);
        begin(g, type);
        line2(g, is_bool ? arithmetic[3 + roll(g, 5)] : arithmetic[roll(g, 8)], a, b);
    }
}
