/* Rules of the grid, of control flow, and of debug_print and check. */
#include "ir/format.h"
#include "verify/own_rules.h"

#include <inttypes.h>

#include "verify/common.h"

/* -- the grid -- */

static void check_grid_op(const tg_verifier *v)
{
    const int64_t axis = tg_op_int(v->op, TG_ATTR_axis, -1);
    const tg_type *result = tg_out(v, 0);
    if (axis < 0 || axis >= v->kernel->axis_count)
        tg_illegal(v, "axis %" PRId64 " is none of the %d axes of the grid", axis,
                   v->kernel->axis_count);
    if (result->rank != 0 || (result->dtype != TG_DT_i32 && result->dtype != TG_DT_i64))
        tg_mistyped(v, "the result is %s, but must be i32[] or i64[]", tg_show(result).text);
}

void tg_verify_op_program_id(const tg_verifier *v) { check_grid_op(v); }
void tg_verify_op_num_programs(const tg_verifier *v) { check_grid_op(v); }

/* The chains of a grid with `arbitrary` axes are steps that follow each other: nobody else takes them over
 * as one. */
void tg_verify_op_cancel_launch(const tg_verifier *v)
{
    const tg_type *result = tg_out(v, 0);
    if (result->rank != 0 || result->dtype != TG_DT_i32)
        tg_mistyped(v, "the result is %s, but must be i32[]", tg_show(result).text);
    if (tg_op_int(v->op, TG_ATTR_resident, 0) < 0) tg_illegal(v, "`resident` must be at least 0");
    for (int axis = 0; axis < v->kernel->axis_count; axis++)
        if (v->kernel->axes[axis].semantics == TG_SEMANTICS_ARBITRARY)
            tg_illegal(
                v, "axis %d of the grid is arbitrary: only chains of one program are taken over",
                axis);
}

/* -- regions -- */

static void check_region_args(const tg_verifier *v, uint32_t region, tg_value_list expected)
{
    const tg_region *r = &v->op->regions[region];
    tg_path regions = {v->at, "regions", 0}, here = {&regions, NULL, region},
            args = {&here, "args", 0};
    tg_verify_same_types(v, &args, (tg_value_list){"argument", r->args, r->arg_count}, expected);
}

static void check_region_yields(const tg_verifier *v, uint32_t region, tg_value_list expected)
{
    const tg_region *r = &v->op->regions[region];
    tg_path regions = {v->at, "regions", 0}, here = {&regions, NULL, region},
            yield = {&here, "yield", 0};
    tg_verify_same_types(v, &yield, (tg_value_list){"yield", r->yields, r->yield_count}, expected);
}

static tg_value_list results_of(const tg_op *op)
{
    return (tg_value_list){"result", op->out, op->out_count};
}

/* Checks operands 0 to 2 of `for`; the counter has their type. */
static bool check_loop_bounds(const tg_verifier *v)
{
    static const char *const names[] = {"lower bound", "upper bound", "step"};
    const tg_type *lower = tg_in(v, 0);
    bool ok = true;
    for (uint32_t i = 0; i < 3; i++) {
        const tg_type *type = tg_in(v, i);
        if (!tg_is_int_scalar(type))
            ok = tg_mistyped(v, "the %s is %s, but must be an integer scalar", names[i],
                             tg_show(type).text);
        else if (tg_is_int_scalar(lower) && type->dtype != lower->dtype)
            ok = tg_mistyped(v, "the %s is %s, but the lower bound is %s; they must agree",
                             names[i], tg_show(type).text, tg_show(lower).text);
    }
    return ok;
}

void tg_verify_op_for(const tg_verifier *v)
{
    const tg_op *op = v->op;
    const tg_value_list carries = {"carry", op->in + 3, op->in_count - 3};
    /* The step has the type of the counter and comes right before the carries. */
    const tg_value_list counter_and_carries = {"counter or carry", op->in + 2, op->in_count - 2};
    const bool bounds_agree = check_loop_bounds(v);
    tg_verify_same_types(v, NULL, results_of(op), carries);
    if (bounds_agree) check_region_args(v, 0, counter_and_carries);
    check_region_yields(v, 0, carries);
}

static void check_condition(const tg_verifier *v)
{
    const tg_region *condition = &v->op->regions[0];
    const tg_type *type =
        condition->yield_count == 1 ? tg_type_of(v->kernel, condition->yields[0]) : NULL;
    tg_path regions = {v->at, "regions", 0}, here = {&regions, NULL, 0},
            yield = {&here, "yield", 0};
    tg_verifier at_yield = tg_verifier_at(v, &yield);
    if (!type)
        tg_mistyped(&at_yield, "the condition yields %" PRIu32 " values, but must yield one bool[]",
                    condition->yield_count);
    else if (type->is_ref || type->dtype != TG_DT_bool || type->rank != 0)
        tg_mistyped(&at_yield, "the condition yields %s, but must yield bool[]",
                    tg_show(type).text);
}

void tg_verify_op_while(const tg_verifier *v)
{
    const tg_op *op = v->op;
    const tg_value_list carries = {"carry", op->in, op->in_count};
    tg_verify_same_types(v, NULL, results_of(op), carries);
    check_region_args(v, 0, carries);
    check_condition(v);
    check_region_args(v, 1, carries);
    check_region_yields(v, 1, carries);
}

void tg_verify_op_switch(const tg_verifier *v)
{
    const tg_op *op = v->op;
    const tg_type *which = tg_in(v, 0);
    if (which->rank != 0 || (which->dtype != TG_DT_bool && which->dtype != TG_DT_i32))
        tg_mistyped(v, "operand 0 is %s, but must be bool[] or i32[]", tg_show(which).text);
    if (which->dtype == TG_DT_bool && op->region_count != 2)
        tg_illegal(v, "has %" PRIu32 " regions, but a bool chooses between 2", op->region_count);
    for (uint32_t r = 0; r < op->region_count; r++) {
        if (op->regions[r].arg_count != 0)
            tg_illegal(v, "region %" PRIu32 " takes %" PRIu32 " arguments, but a branch takes none",
                       r, op->regions[r].arg_count);
        check_region_yields(v, r, results_of(op));
    }
}

void tg_verify_op_scoped(const tg_verifier *v)
{
    const tg_region *region = &v->op->regions[0];
    tg_path regions = {v->at, "regions", 0}, here = {&regions, NULL, 0}, args = {&here, "args", 0};
    for (uint32_t i = 0; i < region->arg_count; i++) {
        const tg_type *type = tg_type_of(v->kernel, region->args[i]);
        tg_path entry = {&args, NULL, i};
        tg_verifier at_arg = tg_verifier_at(v, &entry);
        if (!type->is_ref)
            tg_mistyped(&at_arg, "argument %" PRIu32 " is %s, but must be a ref", i,
                        tg_show(type).text);
    }
    check_region_yields(v, 0, results_of(v->op));
}

/* -- debug_print, check -- */

/* Checks that the format has a matching field for each operand from `first` on. */
static void check_format(const tg_verifier *v, uint32_t first)
{
    const char *format = tg_op_attr(v->op, TG_ATTR_format)->as.text;
    const uint32_t operands = v->op->in_count - first;
    uint32_t places = 0;
    tg_format_piece piece;
    do {
        const char *problem = tg_format_next(&format, &piece);
        if (problem) {
            tg_illegal(v, "format has %s", problem);
            return;
        }
        if (piece.kind != TG_FORMAT_PLACE || places++ >= operands) continue;
        const tg_type *type = tg_in(v, first + places - 1);
        problem = tg_format_misfit(&piece.spec, type);
        if (problem)
            tg_illegal(v, "place %" PRIu32 " of the format, for %s, has %s", places - 1,
                       tg_show(type).text, problem);
    } while (piece.kind != TG_FORMAT_END);
    if (places != operands)
        tg_illegal(v, "format has %" PRIu32 " places {}, but there are %" PRIu32 " operands",
                   places, operands);
}

/* Checks that the lengths among the print options are in range. */
static void check_print_options(const tg_verifier *v)
{
    static const tg_attr_id ids[] = {TG_ATTR_print_precision, TG_ATTR_print_threshold,
                                     TG_ATTR_print_edge_items, TG_ATTR_print_width};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const int64_t least = ids[i] == TG_ATTR_print_edge_items ? 1 : 0;
        const int64_t value = tg_op_int(v->op, ids[i], least);
        if (value < least || (ids[i] == TG_ATTR_print_precision && value > 100))
            tg_illegal(v, "%s is %" PRId64 "; legal is %" PRId64 " and more%s",
                       tg_attrs[ids[i]].name, value, least,
                       ids[i] == TG_ATTR_print_precision ? ", up to 100" : "");
    }
}

void tg_verify_op_debug_print(const tg_verifier *v)
{
    check_format(v, 0);
    check_print_options(v);
}

void tg_verify_op_check(const tg_verifier *v)
{
    const tg_type *condition = tg_in(v, 0);
    if (condition->rank != 0 || condition->dtype != TG_DT_bool)
        tg_mistyped(v, "operand 0 is %s, but must be bool[]", tg_show(condition).text);
    check_format(v, 1);
}
