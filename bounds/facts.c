#include "bounds/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bounds/formats.h"

bool tg_bound_knows(const tg_bound *b, tg_value_id v, tg_fact fact)
{
    return v < b->fact_room && (b->facts[v] & fact);
}

void tg_bound_note(tg_bound *b, tg_value_id v, tg_fact fact)
{
    if (v >= b->fact_room) {
        const size_t room = 2 * (size_t)v + 64;
        unsigned char *wide = realloc(b->facts, room);
        if (!wide) return; /* as if it were not known */
        memset(wide + b->fact_room, 0, room - b->fact_room);
        b->facts = wide;
        b->fact_room = room;
    }
    b->facts[v] |= (unsigned char)fact;
}

double tg_bound_element(const tg_bound *b, const tg_op *op, int64_t i)
{
    const void *all = tg_op_attr(op, TG_ATTR_value)->as.data.bytes;
    const bool is_f64 = tg_carrier_of(tg_bound_dtype(b, op->out[0])) == TG_C_f64;
    return is_f64 ? ((const double *)all)[i] : (double)((const float *)all)[i];
}

static bool constant_is(const tg_bound *b, const tg_op *op, tg_fact fact)
{
    for (int64_t i = 0; i < tg_op_attr(op, TG_ATTR_value)->as.data.count; i++) {
        const double x = tg_bound_element(b, op, i);
        if (fact == TG_FACT_FINITE ? !isfinite(x) : !(x >= 0)) return false;
    }
    return true;
}

static bool all_are(const tg_bound *b, const tg_op *op, tg_fact fact)
{
    for (uint32_t i = 0; i < op->in_count; i++)
        if (tg_is_float(tg_bound_dtype(b, op->in[i])) && !tg_bound_knows(b, op->in[i], fact))
            return false;
    return true;
}

/* Of integers, nothing but their dtype is known. */
static bool operand_is_not_negative(const tg_bound *b, tg_value_id v)
{
    const tg_dtype dtype = tg_bound_dtype(b, v);
    if (tg_is_float(dtype)) return tg_bound_knows(b, v, TG_FACT_NOT_NEGATIVE);
    return dtype == TG_DT_bool || tg_is_unsigned(dtype);
}

static bool is_not_negative(const tg_bound *b, const tg_op *op)
{
    switch (op->code) {
    case TG_OP_exp:
    case TG_OP_exp2:
    case TG_OP_logistic:
    case TG_OP_cosh:
    case TG_OP_abs:
    case TG_OP_square: return true;
    case TG_OP_integer_pow: return tg_op_int(op, TG_ATTR_exponent, 1) % 2 == 0;
    case TG_OP_mul: return op->in[0] == op->in[1] || all_are(b, op, TG_FACT_NOT_NEGATIVE);
    case TG_OP_max:
        return tg_bound_knows(b, op->in[0], TG_FACT_NOT_NEGATIVE) ||
               tg_bound_knows(b, op->in[1], TG_FACT_NOT_NEGATIVE);
    case TG_OP_sqrt:
    case TG_OP_add:
    case TG_OP_min:
    case TG_OP_reduce_sum:
    case TG_OP_reduce_max:
    case TG_OP_reduce_min: return all_are(b, op, TG_FACT_NOT_NEGATIVE);
    case TG_OP_convert: return operand_is_not_negative(b, op->in[0]);
    default: return false;
    }
}

static bool is_huge_constant(const tg_bound *b, const tg_op *op)
{
    const double least = ldexp(tg_bound_greatest(tg_bound_dtype(b, op->out[0])), -8);
    for (int64_t i = 0; i < tg_op_attr(op, TG_ATTR_value)->as.data.count; i++) {
        const double x = tg_bound_element(b, op, i);
        if (isfinite(x) && fabs(x) >= least) return true;
    }
    return false;
}

bool tg_bound_has_huge(const tg_bound *b, const tg_region *region)
{
    for (uint32_t i = 0; i < region->op_count; i++) {
        const tg_op *op = &region->ops[i];
        if (op->code == TG_OP_constant && tg_is_float(tg_bound_dtype(b, op->out[0])) &&
            is_huge_constant(b, op))
            return true;
        for (uint32_t r = 0; r < op->region_count; r++)
            if (tg_bound_has_huge(b, &op->regions[r])) return true;
    }
    return false;
}

bool tg_bound_may_be_huge(const tg_bound *b)
{
    const tg_op *op = b->op;
    switch (op->code) {
    case TG_OP_constant: return is_huge_constant(b, op);
    case TG_OP_add:
    case TG_OP_sub:
    case TG_OP_mul:
    case TG_OP_neg:
    case TG_OP_max:
    case TG_OP_min:
    case TG_OP_load:
    case TG_OP_convert: break;
    default:
        if (!tg_op_moves(op->code) || !(tg_ops[op->code].traits & TG_TRAIT_PURE)) return false;
    }
    for (uint32_t i = 0; i < op->in_count; i++)
        if (tg_bound_knows(b, op->in[i], TG_FACT_HUGE)) return true;
    return false;
}

void tg_bound_note_results(tg_bound *b)
{
    const tg_op *op = b->op;
    if (op->out_count != 1 || !tg_is_float(tg_bound_dtype(b, op->out[0]))) return;
    if (tg_bound_may_be_huge(b)) tg_bound_note(b, op->out[0], TG_FACT_HUGE);
    static const tg_fact facts[] = {TG_FACT_NOT_NEGATIVE, TG_FACT_FINITE};
    for (int i = 0; i < 2; i++) {
        const tg_fact fact = facts[i];
        const bool moves = tg_op_moves(op->code) && (tg_ops[op->code].traits & TG_TRAIT_PURE) &&
                           !tg_bound_is_ref(b, op->out[0]);
        if (op->code == TG_OP_constant ? constant_is(b, op, fact)
            : moves                    ? all_are(b, op, fact)
                                       : fact == TG_FACT_NOT_NEGATIVE && is_not_negative(b, op))
            tg_bound_note(b, op->out[0], fact);
    }
}
