#include "lower/triton.h"

#include <math.h>

#include "lower/dot.h"
#include "lower/groups.h"
#include "lower/guards.h"
#include "lower/elementwise.h"
#include "lower/nodes.h"
#include "lower/reduce.h"

static tg_node_id lane(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_dtype result,
                       const tg_node_id *in, uint32_t in_count)
{
    const tg_node *lead = &l->nodes[in[in_count - 1]];
    tg_node node = {.type = lead->type,
                    .op = code,
                    .dtype = lead->type.dtype,
                    .second = result,
                    .loc = op->loc,
                    .in_count = in_count,
                    .uses = 1};
    node.type.dtype = result;
    return tg_lower_pending(l, &node, in);
}

static tg_node_id lane2(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_dtype result,
                        tg_node_id a, tg_node_id b)
{
    return lane(l, op, code, result, (tg_node_id[]){a, b}, 2);
}

static tg_node_id choose(tg_lowerer *l, const tg_op *op, tg_node_id which, tg_node_id no,
                         tg_node_id yes)
{
    tg_node node = {.type = l->nodes[yes].type,
                    .op = TG_OP_select,
                    .dtype = l->nodes[yes].type.dtype,
                    .second = TG_DT_bool,
                    .imm = 2,
                    .loc = op->loc,
                    .in_count = 3,
                    .uses = 1};
    return tg_lower_pending(l, &node, (tg_node_id[]){which, no, yes});
}

static tg_node_id is_nan(tg_lowerer *l, const tg_op *op, tg_node_id a)
{
    return lane2(l, op, TG_OP_ne, TG_DT_bool, a, a);
}

/* max or min of two floats: the other operand where one is NaN. */
static tg_node_id dropping(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_node_id a,
                           tg_node_id b)
{
    tg_node_id both = lane2(l, op, code, l->nodes[a].type.dtype, a, b);
    tg_node_id without_b = choose(l, op, is_nan(l, op, b), both, a);
    return choose(l, op, is_nan(l, op, a), without_b, b);
}

/* One number as a block of a float type, held in its carrier: narrow dtypes are f32 there. */
static tg_node_id splat_float(tg_lowerer *l, const tg_type *type, double value)
{
    float narrow = (float)value;
    return tg_lower_splat(l, type,
                          tg_carrier_of(type->dtype) == TG_C_f64 ? (const void *)&value : &narrow);
}

static tg_node_id operand(tg_lowerer *l, const tg_op *op, uint32_t i)
{
    const tg_type *shape = tg_type_of(l->kernel, op->out[0]);
    return tg_lower_as_shape(l, l->value_node[op->in[i]], shape->rank, shape->shape);
}

/* ---- NaN ---- */

static void drop_nan(tg_lowerer *l, const tg_op *op)
{
    tg_lower_set_node(l, op, dropping(l, op, op->code, operand(l, op, 0), operand(l, op, 1)));
}

static void clamp_dropping_nan(tg_lowerer *l, const tg_op *op)
{
    tg_node_id low = dropping(l, op, TG_OP_max, operand(l, op, 1), operand(l, op, 0));
    tg_lower_set_node(l, op, dropping(l, op, TG_OP_min, low, operand(l, op, 2)));
}

/* What loses against every other element: -inf or inf, which the carriers of all floats have. */
static tg_node_id identity(tg_lowerer *l, const tg_op *op, tg_node_id like)
{
    bool is_least = op->code == TG_OP_reduce_max || op->code == TG_OP_cummax;
    tg_type type = l->nodes[like].type;
    return splat_float(l, &type, is_least ? -(double)INFINITY : (double)INFINITY);
}

/* With NaN replaced by what loses against everything; NaN where there was nothing else. */
static void drop_nan_over(tg_lowerer *l, const tg_op *op)
{
    tg_node_id in = l->value_node[op->in[0]];
    tg_node_id nan = is_nan(l, op, in), clean = choose(l, op, nan, in, identity(l, op, in));
    bool is_scan = tg_ops[op->code].rule == TG_RULE_SCAN;
    tg_opcode all = is_scan ? TG_OP_cummin : TG_OP_reduce_and;
    tg_node_id only = tg_lower_reduction(l, op, all, nan);
    tg_node_id extremum = tg_lower_reduction(l, op, op->code, clean);
    tg_type type = l->nodes[extremum].type;
    tg_node_id undefined = splat_float(l, &type, (double)NAN);
    tg_lower_set_node(l, op, choose(l, op, only, extremum, undefined));
}

/* ---- precision ---- */

/* The greatest finite value: 448. */
static void saturate(tg_lowerer *l, const tg_op *op, tg_dtype from)
{
    tg_node_id in = l->value_node[op->in[0]];
    tg_type type = l->nodes[in].type;
    tg_node_id least = splat_float(l, &type, -448.0), most = splat_float(l, &type, 448.0);
    tg_node_id inside = lane(l, op, TG_OP_clamp, from, (tg_node_id[]){least, in, most}, 3);
    tg_lower_set_node(l, op, tg_lower_convert(l, inside, TG_DT_f8e4m3fn, op->loc));
}

/* 10 bits of mantissa, ties away from zero, as cvt.rna.tf32.f32 of PTX; infinities and NaN as they
 * are. */
static tg_node_id as_tf32(tg_lowerer *l, const tg_op *op, tg_node_id in)
{
    tg_type bits = l->nodes[in].type;
    tg_operand at = tg_lower_at(l, in);
    at.dtype = bits.dtype = TG_DT_u32;
    tg_node_id raw = tg_lower_leaf(l, &bits, at, 1);
    static const uint32_t half = 0x1000, kept = 0xffffe000;
    tg_node_id up = lane2(l, op, TG_OP_add, TG_DT_u32, raw, tg_lower_splat(l, &bits, &half));
    tg_node_id cut = lane2(l, op, TG_OP_and, TG_DT_u32, up, tg_lower_splat(l, &bits, &kept));
    tg_node_id finite = lane(l, op, TG_OP_is_finite, TG_DT_bool, &in, 1);
    tg_operand rounded = tg_lower_at(l, choose(l, op, finite, raw, cut));
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

void tg_lower_triton_extremum(tg_lowerer *l, const tg_op *op)
{
    if (tg_is_float(dtype_in(l, op)))
        drop_nan(l, op);
    else
        tg_lower_op_elementwise(l, op);
}

void tg_lower_triton_clamp(tg_lowerer *l, const tg_op *op)
{
    if (tg_is_float(dtype_in(l, op)))
        clamp_dropping_nan(l, op);
    else
        tg_lower_op_elementwise(l, op);
}

void tg_lower_triton_extremum_over(tg_lowerer *l, const tg_op *op)
{
    if (tg_is_float(dtype_in(l, op)))
        drop_nan_over(l, op);
    else if (tg_ops[op->code].rule == TG_RULE_SCAN)
        tg_lower_op_scan(l, op);
    else
        tg_lower_op_reduce(l, op);
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

void tg_lower_triton_convert(tg_lowerer *l, const tg_op *op)
{
    const tg_dtype dtype = dtype_in(l, op);
    bool saturates = tg_is_float(dtype) && tg_dtypes[dtype].bits > 8 &&
                     tg_type_of(l->kernel, op->out[0])->dtype == TG_DT_f8e4m3fn;
    if (saturates)
        saturate(l, op, dtype);
    else
        tg_lower_op_convert(l, op);
}

void tg_lower_triton_dot(tg_lowerer *l, const tg_op *op)
{
    if (is_tf32_dot(l, op))
        lower_tf32_dot(l, op);
    else
        tg_lower_op_dot(l, op);
}
