#include "lower/convert.h"

#include <math.h>

#include "lower/compose.h"
#include "lower/elementwise.h"
#include "lower/nodes.h"

/* The value of the attribute `rounding` that is another than nearest here. */
enum { NEAREST = 0, TOWARD_ZERO = 2 };

/* The greatest finite value. */
static double greatest(tg_dtype dtype)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    int special = info->special == TG_SPECIAL_IEEE ? 1 : 0;
    int exponent = (1 << info->exp_bits) - 1 - special - info->bias;
    double unit = ldexp(1, -info->man_bits);
    return ldexp(2 - (info->special == TG_SPECIAL_FN ? 2 : 1) * unit, exponent);
}

/* With values beyond the greatest finite one of `to` as that one. */
static tg_node_id within(tg_lowerer *l, const tg_op *op, tg_node_id in, tg_dtype to)
{
    tg_type type = l->nodes[in].type;
    tg_node_id least = tg_lower_splat_float(l, &type, -greatest(to)),
               most = tg_lower_splat_float(l, &type, greatest(to));
    return tg_lower_lane(l, op, TG_OP_clamp, type.dtype, (tg_node_id[]){least, in, most}, 3);
}

static tg_node_id size_of(tg_lowerer *l, const tg_op *op, tg_node_id in)
{
    return tg_lower_lane(l, op, TG_OP_abs, l->nodes[in].type.dtype, &in, 1);
}

/* The nearest value, or, where that is greater than the operand, the next one toward zero. */
static tg_node_id toward_zero(tg_lowerer *l, const tg_op *op, tg_node_id in, tg_dtype to)
{
    tg_node_id near = tg_lower_convert(l, in, to, op->loc);
    tg_node_id back = tg_lower_convert(l, near, l->nodes[in].type.dtype, op->loc);
    tg_node_id beyond =
        tg_lower_lane_2(l, op, TG_OP_gt, TG_DT_bool, size_of(l, op, back), size_of(l, op, in));
    tg_type type = l->nodes[near].type;
    tg_node_id zero = tg_lower_splat_float(l, &type, 0);
    tg_node_id next = tg_lower_lane_2(l, op, TG_OP_nextafter, to, near, zero);
    return tg_lower_choose(l, op, beyond, near, next);
}

/* Toward zero finite values stay finite, and infinities are infinite in any format that has them.
 */
static tg_node_id finite_within(tg_lowerer *l, const tg_op *op, tg_node_id in, tg_dtype to)
{
    tg_node_id finite = tg_lower_lane(l, op, TG_OP_is_finite, TG_DT_bool, &in, 1);
    return tg_lower_choose(l, op, finite, in, within(l, op, in, to));
}

static void lower_convert(tg_lowerer *l, const tg_op *op, bool saturates)
{
    tg_node_id in = l->value_node[op->in[0]];
    tg_dtype from = l->nodes[in].type.dtype, to = tg_type_of(l->kernel, op->out[0])->dtype;
    bool is_cut = from != to && tg_op_int(op, TG_ATTR_rounding, NEAREST) == TOWARD_ZERO;
    if (!saturates && !is_cut) {
        tg_lower_op_retype(l, op);
        return;
    }
    tg_node_id inside = saturates ? within(l, op, in, to) : finite_within(l, op, in, to);
    tg_lower_set_node(
        l, op, is_cut ? toward_zero(l, op, inside, to) : tg_lower_convert(l, inside, to, op->loc));
}

void tg_lower_op_convert(tg_lowerer *l, const tg_op *op)
{
    lower_convert(l, op, tg_op_int(op, TG_ATTR_saturate, 0) != 0);
}

void tg_lower_triton_convert(tg_lowerer *l, const tg_op *op)
{
    tg_dtype from = tg_type_of(l->kernel, op->in[0])->dtype;
    bool by_dialect = tg_is_float(from) && tg_dtypes[from].bits > 8 &&
                      tg_type_of(l->kernel, op->out[0])->dtype == TG_DT_f8e4m3fn;
    lower_convert(l, op, by_dialect || tg_op_int(op, TG_ATTR_saturate, 0) != 0);
}
