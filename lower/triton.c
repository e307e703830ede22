#include "lower/triton.h"

#include "lower/compose.h"
#include "lower/dot.h"
#include "lower/groups.h"
#include "lower/guards.h"
#include "lower/elementwise.h"
#include "lower/nodes.h"

/* ---- precision ---- */

/* Rounds to 10 bits of mantissa, ties away from zero, like cvt.rna.tf32.f32 of PTX; keeps
 * infinities and NaN. */
static tg_node_id as_tf32(tg_lowerer *l, const tg_op *op, tg_node_id in)
{
    tg_type bits = l->nodes[in].type;
    tg_operand at = tg_lower_at(l, in);
    at.dtype = bits.dtype = TG_DT_u32;
    tg_node_id raw = tg_lower_leaf(l, &bits, at, 1);
    static const uint32_t half = 0x1000, kept = 0xffffe000;
    tg_node_id up =
        tg_lower_lane_2(l, op, TG_OP_add, TG_DT_u32, raw, tg_lower_splat(l, &bits, &half));
    tg_node_id cut =
        tg_lower_lane_2(l, op, TG_OP_and, TG_DT_u32, up, tg_lower_splat(l, &bits, &kept));
    tg_node_id finite = tg_lower_lane(l, op, TG_OP_is_finite, TG_DT_bool, &in, 1);
    tg_operand rounded = tg_lower_at(l, tg_lower_choose(l, op, finite, raw, cut));
    rounded.dtype = TG_DT_f32;
    return tg_lower_leaf(l, &l->nodes[in].type, rounded, 1);
}

static void lower_tf32_dot(tg_lowerer *l, const tg_op *op)
{
    tg_node_id kept[2] = {l->value_node[op->in[0]], l->value_node[op->in[1]]};
    for (int i = 0; i < 2; i++) l->value_node[op->in[i]] = as_tf32(l, op, kept[i]);
    tg_lower_op_dot(l, op);
    for (int i = 0; i < 2; i++) l->value_node[op->in[i]] = kept[i];
}

static bool is_tf32_dot(const tg_lowerer *l, const tg_op *op)
{
    return tg_type_of(l->kernel, op->in[0])->dtype == TG_DT_f32 &&
           tg_type_of(l->kernel, op->in[1])->dtype == TG_DT_f32 &&
           tg_op_int(op, TG_ATTR_precision, 0) == 0;
}

/* ---- the ops of the column `triton` ---- */

static tg_dtype dtype_in(const tg_lowerer *l, const tg_op *op)
{
    return tg_type_of(l->kernel, op->in[0])->dtype;
}

void tg_lower_triton_division(tg_lowerer *l, const tg_op *op)
{
    if (!tg_is_float(dtype_in(l, op))) tg_lower_guard(l, op, 1, TG_GUARD_NOT_ZERO, 0);
    tg_lower_op_elementwise(l, op);
}

void tg_lower_triton_shift(tg_lowerer *l, const tg_op *op)
{
    tg_lower_guard(l, op, 1, TG_GUARD_BELOW, tg_dtypes[dtype_in(l, op)].bits);
    tg_lower_op_elementwise(l, op);
}

void tg_lower_triton_dot(tg_lowerer *l, const tg_op *op)
{
    if (is_tf32_dot(l, op))
        lower_tf32_dot(l, op);
    else
        tg_lower_op_dot(l, op);
}
