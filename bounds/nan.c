#include "bounds/nan.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/model.h"

/* Which ops a contract may be lax about: never, as of reductions by max and min, as of all max and
 * min, or in any case. */
typedef enum reach { NEVER, REDUCTIONS, EXTREMES, ALL } reach;

static reach reach_of(const tg_op *op)
{
    switch (op->code) {
    case TG_OP_reduce_max:
    case TG_OP_reduce_min: return REDUCTIONS;
    case TG_OP_max:
    case TG_OP_min:
    case TG_OP_clamp:
    case TG_OP_cummax:
    case TG_OP_cummin:
    case TG_OP_argmax:
    case TG_OP_argmin: return EXTREMES;
    case TG_OP_constant:
    case TG_OP_undefined:
    case TG_OP_iota:
    case TG_OP_bitcast:
    case TG_OP_nextafter:
    case TG_OP_gather:
    case TG_OP_neg:
    case TG_OP_abs:
    case TG_OP_scatter: return NEVER;
    default: return tg_op_moves(op->code) || op->region_count > 0 ? NEVER : ALL;
    }
}

static bool has_float(const tg_bound *b, const tg_op *op)
{
    return op->in_count > 0 && !tg_bound_is_ref(b, op->in[0]) &&
           tg_is_float(tg_bound_dtype(b, op->in[0]));
}

bool tg_bound_opens_nan(const tg_bound *b, const tg_op *op)
{
    static const reach wanted[] = {[TG_NAN_STRICT] = NEVER,
                                   [TG_NAN_REDUCE] = REDUCTIONS,
                                   [TG_NAN_SKIP] = EXTREMES,
                                   [TG_NAN_ANY] = ALL};
    if (!b->contract || !has_float(b, op)) return false;
    const reach found = reach_of(op);
    return found != NEVER && found <= wanted[b->contract->nan];
}

static tg_value_id is_number(tg_bound *b, tg_value_id v)
{
    const tg_value_id real = tg_bound_real(b, v);
    return tg_bound_2(b, TG_OP_eq, real, real);
}

/* Returns whether no operand of floats is NaN, element by element: all have one shape. */
static tg_value_id are_numbers(tg_bound *b)
{
    const tg_op *op = b->op;
    tg_value_id all = is_number(b, op->in[0]);
    for (uint32_t i = 1; i < op->in_count; i++)
        if (tg_is_float(tg_bound_dtype(b, op->in[i])))
            all = tg_bound_2(b, TG_OP_and, all, is_number(b, op->in[i]));
    return all;
}

void tg_bound_open_nan(tg_bound *b)
{
    const tg_value_id out = b->op->out[0];
    const tg_dtype dtype = tg_bound_dtype(b, out);
    tg_value_id *bound = &b->companion[TG_COMPANION_BOUND][out];
    if (b->op->code == TG_OP_sort || (!tg_is_float(dtype) && dtype != TG_DT_bool)) {
        tg_bound_demand(b, are_numbers(b), "the contract leaves open what becomes of a NaN");
    } else if (dtype == TG_DT_bool) {
        const tg_value_id unsure = tg_bound_1(b, TG_OP_not, are_numbers(b));
        *bound = *bound == TG_NO_BOUND ? unsure : tg_bound_2(b, TG_OP_or, *bound, unsure);
    } else {
        *bound = tg_bound_only_if(b, is_number(b, out), tg_bound_solid(b, *bound, out));
    }
}
