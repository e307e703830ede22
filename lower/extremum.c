#include "lower/extremum.h"

#include <math.h>

#include "lower/compose.h"
#include "lower/elementwise.h"
#include "lower/nodes.h"
#include "lower/reduce.h"

/* The values of the attribute `nan`. */
enum { PROPAGATE, DROP };

static bool drops(const tg_lowerer *l, const tg_op *op, int by_dialect)
{
    return tg_is_float(tg_type_of(l->kernel, op->in[0])->dtype) &&
           tg_op_int(op, TG_ATTR_nan, by_dialect) == DROP;
}

/* max or min of two floats; if one is NaN, the other one. */
static tg_node_id dropping(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_node_id a,
                           tg_node_id b)
{
    tg_node_id both = tg_lower_lane_2(l, op, code, l->nodes[a].type.dtype, a, b);
    tg_node_id without_b = tg_lower_choose(l, op, tg_lower_is_nan(l, op, b), both, a);
    return tg_lower_choose(l, op, tg_lower_is_nan(l, op, a), without_b, b);
}

/* ---- of operands ---- */

static void lower_extremum(tg_lowerer *l, const tg_op *op, int by_dialect)
{
    if (drops(l, op, by_dialect))
        tg_lower_set_node(l, op,
                          dropping(l, op, op->code, tg_lower_operand_node(l, op, 0),
                                   tg_lower_operand_node(l, op, 1)));
    else
        tg_lower_op_elementwise(l, op);
}

static void clamp_dropping_nan(tg_lowerer *l, const tg_op *op)
{
    tg_node_id low = dropping(l, op, TG_OP_max, tg_lower_operand_node(l, op, 1),
                              tg_lower_operand_node(l, op, 0));
    tg_lower_set_node(l, op, dropping(l, op, TG_OP_min, low, tg_lower_operand_node(l, op, 2)));
}

static void lower_clamp(tg_lowerer *l, const tg_op *op, int by_dialect)
{
    if (drops(l, op, by_dialect))
        clamp_dropping_nan(l, op);
    else
        tg_lower_op_elementwise(l, op);
}

/* ---- over axes ---- */

/* The identity of max or min: -inf or inf, which the carriers of all floats have. */
static tg_node_id identity(tg_lowerer *l, const tg_op *op, tg_node_id like)
{
    bool is_least = op->code == TG_OP_reduce_max || op->code == TG_OP_cummax;
    tg_type type = l->nodes[like].type;
    return tg_lower_splat_float(l, &type, is_least ? -(double)INFINITY : (double)INFINITY);
}

/* Reduces or scans with each NaN replaced by the identity; the result is NaN where there are no
 * other elements. */
static void drop_nan_over(tg_lowerer *l, const tg_op *op)
{
    tg_node_id in = l->value_node[op->in[0]];
    tg_node_id nan = tg_lower_is_nan(l, op, in),
               clean = tg_lower_choose(l, op, nan, in, identity(l, op, in));
    bool is_scan = tg_ops[op->code].rule == TG_RULE_SCAN;
    tg_opcode all = is_scan ? TG_OP_cummin : TG_OP_reduce_and;
    tg_node_id only = tg_lower_reduction(l, op, all, nan);
    tg_node_id extremum = tg_lower_reduction(l, op, op->code, clean);
    tg_type type = l->nodes[extremum].type;
    tg_node_id undefined = tg_lower_splat_float(l, &type, (double)NAN);
    tg_lower_set_node(l, op, tg_lower_choose(l, op, only, extremum, undefined));
}

static void lower_extremum_over(tg_lowerer *l, const tg_op *op, int by_dialect)
{
    if (drops(l, op, by_dialect))
        drop_nan_over(l, op);
    else if (tg_ops[op->code].rule == TG_RULE_SCAN)
        tg_lower_op_scan(l, op);
    else
        tg_lower_op_reduce(l, op);
}

/* ---- by dialect ---- */

void tg_lower_op_extremum(tg_lowerer *l, const tg_op *op) { lower_extremum(l, op, PROPAGATE); }
void tg_lower_op_clamp(tg_lowerer *l, const tg_op *op) { lower_clamp(l, op, PROPAGATE); }
void tg_lower_op_extremum_over(tg_lowerer *l, const tg_op *op)
{
    lower_extremum_over(l, op, PROPAGATE);
}

void tg_lower_triton_extremum(tg_lowerer *l, const tg_op *op) { lower_extremum(l, op, DROP); }
void tg_lower_triton_clamp(tg_lowerer *l, const tg_op *op) { lower_clamp(l, op, DROP); }
void tg_lower_triton_extremum_over(tg_lowerer *l, const tg_op *op)
{
    lower_extremum_over(l, op, DROP);
}
