#include "bounds/emit.h"

void tg_bound_refuse(tg_bound *b, const char *why)
{
    const tg_loc *loc = &b->module->locs[b->op ? b->op->loc : 0];
    if (b->status != TG_OK || b->to->failed) return;
    b->status =
        tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL, "no bound can be derived: %s: %s%s%s%s%.0ld",
                b->op ? tg_ops[b->op->code].name : "kernel", why, loc->line ? " at " : "",
                loc->line ? loc->file : "", loc->line ? ":" : "", (long)loc->line);
}

tg_type tg_bound_type(const tg_bound *b, tg_value_id like)
{
    tg_type type = tg_build_type(b->to, like);
    if (type.dtype != TG_DT_bool) type.dtype = TG_DT_f64;
    return type;
}

tg_value_id tg_bound_again(tg_bound *b, tg_opcode code, const tg_value_id *in, int count)
{
    const tg_type type = tg_bound_type(b, b->op->out[0]);
    return tg_bound_like(b, code, in, count, &type);
}

tg_value_id tg_bound_number(tg_bound *b, tg_value_id like, double value)
{
    const tg_type type = tg_bound_type(b, like);
    return tg_bound_constant(b, &type, value);
}

tg_value_id tg_bound_scaled(tg_bound *b, tg_value_id a, double factor)
{
    return tg_bound_2(b, TG_OP_mul, a, tg_bound_number(b, a, factor));
}

tg_value_id tg_bound_plus_number(tg_bound *b, tg_value_id a, double value)
{
    return tg_bound_2(b, TG_OP_add, a, tg_bound_number(b, a, value));
}

tg_value_id tg_bound_compare(tg_bound *b, tg_opcode code, tg_value_id a, double value)
{
    return tg_bound_2(b, code, a, tg_bound_number(b, a, value));
}

tg_value_id tg_bound_where_zero(tg_bound *b, tg_value_id tested, tg_value_id otherwise)
{
    const tg_value_id is_zero = tg_bound_compare(b, TG_OP_eq, tested, 0);
    return tg_bound_select(b, is_zero, otherwise, tg_bound_number(b, tested, 0));
}

tg_value_id tg_bound_unless_nan(tg_bound *b, tg_value_id most, tg_value_id e)
{
    return tg_bound_2(b, TG_OP_max, most, tg_bound_scaled(b, e, 0x1p-1000));
}

tg_value_id tg_bound_real(tg_bound *b, tg_value_id v)
{
    if (b->contract && b->companion[TG_COMPANION_EXACT][v] != TG_NO_BOUND)
        return b->companion[TG_COMPANION_EXACT][v];
    return tg_bound_convert(b, v, TG_DT_f64);
}

tg_value_id tg_bound_solid(tg_bound *b, tg_value_id bound, tg_value_id like)
{
    return bound == TG_NO_BOUND ? tg_bound_number(b, like, 0) : bound;
}

tg_value_id tg_bound_companion(tg_bound *b, tg_companion which, tg_value_id v)
{
    return which == TG_COMPANION_BOUND ? tg_bound_solid(b, tg_bound_of(b, v), v)
                                       : tg_bound_real(b, v);
}

tg_value_id tg_bound_spread(tg_bound *b, tg_value_id scalar, tg_value_id like)
{
    tg_type type = tg_build_type(b->to, scalar);
    if (type.rank > 0 || tg_build_type(b->to, like).rank == 0) return scalar;
    const tg_dtype dtype = type.dtype;
    type = tg_build_type(b->to, like);
    type.dtype = dtype;
    tg_build_in(b->to, scalar);
    tg_build_ints(b->to, TG_ATTR_dims, NULL, 0);
    return tg_build_result(b->to, TG_OP_broadcast_in_dim, &type);
}

tg_value_id tg_bound_all(tg_bound *b, tg_value_id flags)
{
    static const int64_t axes[TG_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const tg_type scalar = {.dtype = TG_DT_bool};
    const int rank = tg_build_type(b->to, flags).rank;
    if (rank == 0) return flags;
    tg_build_in(b->to, flags);
    tg_build_ints(b->to, TG_ATTR_axes, axes, rank);
    return tg_build_result(b->to, TG_OP_reduce_and, &scalar);
}

void tg_bound_settle(tg_bound *b, tg_value_id v)
{
    if (!tg_bound_is_off(b, v)) return;
    if (b->from->values[v].type.dtype != TG_DT_bool) {
        tg_bound_refuse(b, "no rule is known for operands that may be off");
        return;
    }
    const tg_value_id is_sure = tg_bound_1(b, TG_OP_not, b->companion[TG_COMPANION_BOUND][v]);
    tg_build_in(b->to, tg_bound_all(b, is_sure));
    tg_build_text(b->to, TG_ATTR_format,
                  b->contract ? "a comparison is too close to be decided"
                              : "profile fast may compare otherwise");
    tg_build_op(b->to, TG_OP_check);
    b->settled[b->settled_count] = v;
    b->settled_bound[b->settled_count++] = b->companion[TG_COMPANION_BOUND][v];
    b->companion[TG_COMPANION_BOUND][v] = TG_NO_BOUND;
}

void tg_bound_unsettle(tg_bound *b, uint32_t mark)
{
    while (b->settled_count > mark) {
        const tg_value_id v = b->settled[--b->settled_count];
        b->companion[TG_COMPANION_BOUND][v] = b->settled_bound[b->settled_count];
    }
}
