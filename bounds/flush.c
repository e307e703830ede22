#include "bounds/flush.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/formats.h"
#include "bounds/model.h"

static bool flushes(const tg_bound *b)
{
    return b->op->out_count == 1 && !tg_bound_is_ref(b, b->op->out[0]) &&
           tg_contract_flushes(b->contract, tg_bound_dtype(b, b->op->out[0]));
}

/* Returns max(bound, |R|) where a result within `bound` of R may be subnormal: 0 is |R| away. */
static tg_value_id or_zero(tg_bound *b, tg_value_id bound)
{
    const tg_value_id out = b->op->out[0], size = tg_bound_size(b, out),
                      near = bound == TG_NO_BOUND ? size : tg_bound_2(b, TG_OP_sub, size, bound),
                      is_tiny = tg_bound_compare(b, TG_OP_lt, near,
                                                 tg_bound_least_normal(tg_bound_dtype(b, out)));
    const tg_value_id at_least = tg_bound_solid(b, bound, out);
    return tg_bound_select(b, is_tiny, at_least, tg_bound_larger(b, bound, size));
}

void tg_bound_flush_result(tg_bound *b)
{
    tg_value_id *bound = &b->companion[TG_COMPANION_BOUND][b->op->out[0]];
    if (flushes(b) && *bound != TG_NO_BOUND) *bound = or_zero(b, *bound);
}

static bool is_subnormal_constant(const tg_bound *b)
{
    const double least = tg_bound_least_normal(tg_bound_dtype(b, b->op->out[0]));
    for (int64_t i = 0; i < tg_op_attr(b->op, TG_ATTR_value)->as.data.count; i++) {
        const double size = fabs(tg_bound_element(b, b->op, i));
        if (size > 0 && size < least) return true;
    }
    return false;
}

/* Returns whether the current op brings in numbers that no bound is known of. */
static bool brings_in(const tg_bound *b)
{
    if (b->op->code == TG_OP_load) return !tg_bound_is_off(b, b->op->in[0]);
    return b->op->code == TG_OP_constant && is_subnormal_constant(b);
}

void tg_bound_flush_operand(tg_bound *b)
{
    const tg_op *op = b->op;
    if (!flushes(b) || !brings_in(b)) return;
    tg_value_id *bound = &b->companion[TG_COMPANION_BOUND][op->out[0]];
    *bound = or_zero(b, *bound);
}
