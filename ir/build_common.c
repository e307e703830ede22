/* Ops that callers of the builder add most often, in one call each. */
#include "ir/build.h"

/* Appends an op whose operands, the first of which is `x`, have been added.  Returns its result. */
static tg_value_id ruled(tg_build *b, tg_opcode code, tg_value_id x)
{
    tg_type type = tg_build_type(b, x);
    if (tg_ops[code].rule == TG_RULE_PREDICATE) type.dtype = TG_DT_bool;
    return tg_build_result(b, code, &type);
}

tg_value_id tg_build_1(tg_build *b, tg_opcode code, tg_value_id x)
{
    tg_build_in(b, x);
    return ruled(b, code, x);
}

tg_value_id tg_build_2(tg_build *b, tg_opcode code, tg_value_id x, tg_value_id y)
{
    tg_build_in(b, x);
    tg_build_in(b, y);
    return ruled(b, code, x);
}

tg_value_id tg_build_select(tg_build *b, tg_value_id which, tg_value_id first, tg_value_id second)
{
    const tg_type type = tg_build_type(b, first);
    tg_build_in(b, which);
    tg_build_in(b, first);
    tg_build_in(b, second);
    return tg_build_result(b, TG_OP_select, &type);
}

tg_value_id tg_build_convert(tg_build *b, tg_value_id x, tg_dtype dtype)
{
    tg_type type = tg_build_type(b, x);
    type.dtype = dtype;
    tg_build_in(b, x);
    return tg_build_result(b, TG_OP_convert, &type);
}

tg_value_id tg_build_constant(tg_build *b, const tg_type *type, double number)
{
    tg_build_number(b, TG_ATTR_value, type->dtype, number);
    return tg_build_result(b, TG_OP_constant, type);
}
