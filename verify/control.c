/* Grid, control flow, debug_print, check. */
#include "ir/format.h"
#include "verify/impl.h"

#include <inttypes.h>

/* -- the grid -- */

static void check_grid_op(const tg_check *check)
{
    const int64_t axis = tg_op_int(check->op, TG_ATTR_axis, -1);
    const tg_type *result = tg_out(check, 0);
    if (axis < 0 || axis >= check->kernel->axis_count)
        tg_illegal(check, "axis %" PRId64 " is none of the %d axes of the grid", axis,
                   check->kernel->axis_count);
    if (result->rank != 0 || (result->dtype != TG_DT_i32 && result->dtype != TG_DT_i64))
        tg_mistyped(check, "the result is %s, but must be i32[] or i64[]", tg_show(result).text);
}

void tg_check_program_id(const tg_check *check) { check_grid_op(check); }
void tg_check_num_programs(const tg_check *check) { check_grid_op(check); }

/* -- regions -- */

static void check_region_args(const tg_check *check, uint32_t region, tg_value_list expected)
{
    const tg_region *r = &check->op->regions[region];
    tg_path regions = {check->at, "regions", 0}, here = {&regions, NULL, region},
            args = {&here, "args", 0};
    tg_check_same_types(check, &args, (tg_value_list){"argument", r->args, r->arg_count}, expected);
}

static void check_region_yields(const tg_check *check, uint32_t region, tg_value_list expected)
{
    const tg_region *r = &check->op->regions[region];
    tg_path regions = {check->at, "regions", 0}, here = {&regions, NULL, region},
            yield = {&here, "yield", 0};
    tg_check_same_types(check, &yield, (tg_value_list){"yield", r->yields, r->yield_count},
                        expected);
}

static tg_value_list results_of(const tg_op *op)
{
    return (tg_value_list){"result", op->out, op->out_count};
}

/* Operands 0 to 2 of `for`; the counter has their type. */
static bool check_loop_bounds(const tg_check *check)
{
    static const char *const names[] = {"lower bound", "upper bound", "step"};
    const tg_type *lower = tg_in(check, 0);
    bool ok = true;
    for (uint32_t i = 0; i < 3; i++) {
        const tg_type *type = tg_in(check, i);
        if (!tg_is_int_scalar(type))
            ok = tg_mistyped(check, "the %s is %s, but must be an integer scalar", names[i],
                             tg_show(type).text);
        else if (tg_is_int_scalar(lower) && type->dtype != lower->dtype)
            ok = tg_mistyped(check, "the %s is %s, but the lower bound is %s; they must agree",
                             names[i], tg_show(type).text, tg_show(lower).text);
    }
    return ok;
}

void tg_check_for(const tg_check *check)
{
    const tg_op *op = check->op;
    const tg_value_list carries = {"carry", op->in + 3, op->in_count - 3};
    /* The step has the type of the counter and comes right before the carries. */
    const tg_value_list counter_and_carries = {"counter or carry", op->in + 2, op->in_count - 2};
    const bool bounds_agree = check_loop_bounds(check);
    tg_check_same_types(check, NULL, results_of(op), carries);
    if (bounds_agree) check_region_args(check, 0, counter_and_carries);
    check_region_yields(check, 0, carries);
}

static void check_condition(const tg_check *check)
{
    const tg_region *condition = &check->op->regions[0];
    const tg_type *type =
        condition->yield_count == 1 ? tg_type_of(check->kernel, condition->yields[0]) : NULL;
    tg_path regions = {check->at, "regions", 0}, here = {&regions, NULL, 0},
            yield = {&here, "yield", 0};
    tg_check at_yield = tg_check_at(check, &yield);
    if (!type)
        tg_mistyped(&at_yield, "the condition yields %" PRIu32 " values, but must yield one bool[]",
                    condition->yield_count);
    else if (type->is_ref || type->dtype != TG_DT_bool || type->rank != 0)
        tg_mistyped(&at_yield, "the condition yields %s, but must yield bool[]",
                    tg_show(type).text);
}

void tg_check_while(const tg_check *check)
{
    const tg_op *op = check->op;
    const tg_value_list carries = {"carry", op->in, op->in_count};
    tg_check_same_types(check, NULL, results_of(op), carries);
    check_region_args(check, 0, carries);
    check_condition(check);
    check_region_args(check, 1, carries);
    check_region_yields(check, 1, carries);
}

void tg_check_switch(const tg_check *check)
{
    const tg_op *op = check->op;
    const tg_type *which = tg_in(check, 0);
    if (which->rank != 0 || (which->dtype != TG_DT_bool && which->dtype != TG_DT_i32))
        tg_mistyped(check, "operand 0 is %s, but must be bool[] or i32[]", tg_show(which).text);
    if (which->dtype == TG_DT_bool && op->region_count != 2)
        tg_illegal(check, "has %" PRIu32 " regions, but a bool chooses between 2",
                   op->region_count);
    for (uint32_t r = 0; r < op->region_count; r++) {
        if (op->regions[r].arg_count != 0)
            tg_illegal(check,
                       "region %" PRIu32 " takes %" PRIu32 " arguments, but a branch takes none", r,
                       op->regions[r].arg_count);
        check_region_yields(check, r, results_of(op));
    }
}

void tg_check_scoped(const tg_check *check)
{
    const tg_region *region = &check->op->regions[0];
    tg_path regions = {check->at, "regions", 0}, here = {&regions, NULL, 0},
            args = {&here, "args", 0};
    for (uint32_t i = 0; i < region->arg_count; i++) {
        const tg_type *type = tg_type_of(check->kernel, region->args[i]);
        tg_path entry = {&args, NULL, i};
        tg_check at_arg = tg_check_at(check, &entry);
        if (!type->is_ref)
            tg_mistyped(&at_arg, "argument %" PRIu32 " is %s, but must be a ref", i,
                        tg_show(type).text);
    }
    check_region_yields(check, 0, results_of(check->op));
}

/* -- debug_print, check -- */

/* Whether the format has a place that fits for each operand from `first` on. */
static void check_format(const tg_check *check, uint32_t first)
{
    const char *format = tg_op_attr(check->op, TG_ATTR_format)->as.text;
    const uint32_t operands = check->op->in_count - first;
    uint32_t places = 0;
    tg_format_piece piece;
    do {
        const char *problem = tg_format_next(&format, &piece);
        if (problem) {
            tg_illegal(check, "format has %s", problem);
            return;
        }
        if (piece.kind != TG_FORMAT_PLACE || places++ >= operands) continue;
        const tg_type *type = tg_in(check, first + places - 1);
        problem = tg_format_misfit(&piece.spec, type);
        if (problem)
            tg_illegal(check, "place %" PRIu32 " of the format, for %s, has %s", places - 1,
                       tg_show(type).text, problem);
    } while (piece.kind != TG_FORMAT_END);
    if (places != operands)
        tg_illegal(check, "format has %" PRIu32 " places {}, but there are %" PRIu32 " operands",
                   places, operands);
}

/* Lengths that have a meaning. */
static void check_print_options(const tg_check *check)
{
    static const tg_attr_id ids[] = {TG_ATTR_print_precision, TG_ATTR_print_threshold,
                                     TG_ATTR_print_edge_items, TG_ATTR_print_width};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const int64_t least = ids[i] == TG_ATTR_print_edge_items ? 1 : 0;
        const int64_t value = tg_op_int(check->op, ids[i], least);
        if (value < least || (ids[i] == TG_ATTR_print_precision && value > 100))
            tg_illegal(check, "%s is %" PRId64 "; legal is %" PRId64 " and more%s",
                       tg_attrs[ids[i]].name, value, least,
                       ids[i] == TG_ATTR_print_precision ? ", up to 100" : "");
    }
}

void tg_check_debug_print(const tg_check *check)
{
    check_format(check, 0);
    check_print_options(check);
}

void tg_check_check(const tg_check *check)
{
    const tg_type *condition = tg_in(check, 0);
    if (condition->rank != 0 || condition->dtype != TG_DT_bool)
        tg_mistyped(check, "operand 0 is %s, but must be bool[]", tg_show(condition).text);
    check_format(check, 1);
}
