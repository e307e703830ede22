/* Builds the parameters, regions and memory of a companion kernel. */
#include "bounds/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/flush.h"
#include "bounds/rules.h"
#include "bounds/updates.h"
#include "layout/address.h"

static bool is_real(const tg_bound *b, tg_value_id v)
{
    return tg_bound_is_real(b, b->from->values[v].type.dtype);
}

static bool any_is_off(const tg_bound *b, const tg_op *op)
{
    for (uint32_t i = 0; i < op->in_count; i++)
        if (tg_bound_is_off(b, op->in[i])) return true;
    return false;
}

/* Says of a companion where its elements are, as of the value: by elements, as its dtype is another. */
static void place_companion(tg_bound *b, tg_value_id made, tg_value_id v)
{
    const tg_value *value = &b->from->values[v];
    tg_axe address;
    if (!value->layout) return;
    if (!value->type.is_ref) {
        tg_build_place(b->to, made, NULL, value->layout);
        return;
    }
    tg_axe_address(value->layout, tg_dtypes[value->type.dtype].bits, &address, NULL);
    tg_build_place(b->to, made, value->space, &address);
}

/* Returns the companion that an argument of a region, or a result of a control op, gets. */
static tg_value_id give_companion(tg_bound *b, tg_companion which, tg_value_id v)
{
    if (b->has_huge) tg_bound_note(b, v, TG_FACT_HUGE); /* it may be what was there before */
    const tg_type type = tg_bound_type(b, v);
    b->companion[which][v] = tg_build_value(b->to, &type);
    place_companion(b, b->companion[which][v], v);
    return b->companion[which][v];
}

/* ---- lists of values ---- */

/* Returns whether a value that is carried, yielded or returned by regions has companions beside
 * it. */
static bool carries(tg_bound *b, tg_value_id v)
{
    if (!is_real(b, v)) tg_bound_settle(b, v);
    return is_real(b, v);
}

/* Adds `list` through `add`, followed by the companions, by `companion_of`, of the carried values
 * from `first` on. */
static void
add_with_companions(tg_bound *b, const tg_value_id *list, uint32_t count, uint32_t first,
                    tg_value_id (*companion_of)(tg_bound *b, tg_companion which, tg_value_id v),
                    void (*add)(tg_build *to, tg_value_id v))
{
    for (uint32_t i = 0; i < count; i++) add(b->to, list[i]);
    for (uint32_t i = first; i < count; i++)
        for (int c = 0; c < b->companions && carries(b, list[i]); c++)
            add(b->to, companion_of(b, (tg_companion)c, list[i]));
}

static void add_all(tg_bound *b, const tg_value_id *list, uint32_t count,
                    void (*add)(tg_build *to, tg_value_id v))
{
    for (uint32_t i = 0; i < count; i++) add(b->to, list[i]);
}

/* ---- memory, and ops that move elements ---- */

/* Returns what replaces `v` in the op on the companions.  References whose memory is exact have no
 * companions. */
static tg_value_id moved(tg_bound *b, tg_companion which, tg_value_id v)
{
    const bool is_ref = tg_bound_is_ref(b, v);
    if (is_ref && !tg_bound_is_off(b, v))
        tg_bound_refuse(b, "what may be off goes to memory that is not an output's");
    else if (is_real(b, v) || tg_bound_is_off(b, v))
        return tg_bound_companion(b, which, v);
    return v;
}

/* Emits the same op on the companions of one kind. */
static void move_companions(tg_bound *b, tg_companion which)
{
    const tg_op *op = b->op;
    tg_value_id in[TG_MAX_OPERANDS]; /* first, because some companions need ops of their own */
    for (uint32_t i = 0; i < op->in_count; i++) in[i] = moved(b, which, op->in[i]);
    add_all(b, in, op->in_count, tg_build_in);
    tg_build_attrs_of(b->to, op);
    if (op->out_count == 0) {
        tg_build_op(b->to, op->code);
        return;
    }
    const tg_type type = tg_bound_type(b, op->out[0]);
    const tg_value_id made = tg_build_result(b->to, op->code, &type);
    b->companion[which][op->out[0]] = made;
    place_companion(b, made, op->out[0]);
    if (op->in_count == 1 && !tg_bound_is_ref(b, op->in[0]) && which == TG_COMPANION_BOUND &&
        tg_bound_knows(b, in[0], TG_FACT_POSITIVE))
        tg_bound_note(b, made, TG_FACT_POSITIVE);
}

/* Returns whether the op moves elements of bool, so that an operand of bool is what it moves. */
static bool moves_flags(const tg_bound *b, const tg_op *op)
{
    return op->out_count == 1 && b->from->values[op->out[0]].type.dtype == TG_DT_bool &&
           op->code != TG_OP_select;
}

static void move(tg_bound *b)
{
    const tg_op *op = b->op;
    if (moves_flags(b, op)) {
        for (uint32_t i = 0; i < op->in_count; i++)
            if (b->from->values[op->in[i]].type.dtype != TG_DT_bool) tg_bound_settle(b, op->in[i]);
        move_companions(b, TG_COMPANION_BOUND);
        return;
    }
    for (uint32_t i = 0; i < op->in_count; i++)
        if (!is_real(b, op->in[i])) tg_bound_settle(b, op->in[i]);
    for (int c = 0; c < b->companions && any_is_off(b, op); c++)
        move_companions(b, (tg_companion)c);
}

/* ---- regions ---- */

static void look_at(tg_bound *b, const tg_op *op)
{
    b->op = op;
    b->to->loc = op->loc;
}

static void fill_region(tg_bound *b, const tg_region *from, bool is_condition);

/* Doubles the arguments of regions and what they yield, from `first` on; excludes the counter of a
 * `for`. */
static void add_regions(tg_bound *b, const tg_op *op, uint32_t first)
{
    for (uint32_t r = 0; r < op->region_count && b->status == TG_OK; r++) {
        const tg_region *from = &op->regions[r];
        const bool is_condition = op->code == TG_OP_while && r == 0;
        const uint32_t mark = b->settled_count;
        const size_t shared = b->shared_count;
        tg_build_open(b->to);
        add_with_companions(b, from->args, from->arg_count, first, give_companion, tg_build_arg);
        fill_region(b, from, is_condition);
        tg_build_region(b->to, tg_build_close(b->to));
        tg_bound_unsettle(b, mark);
        tg_bound_forget(b, shared);
        look_at(b, op);
    }
}

/* Treats all values that are carried or returned by regions as inexact, even if they are exact. */
static void nest(tg_bound *b)
{
    const tg_op *op = b->op;
    const bool is_for = op->code == TG_OP_for, is_loop = is_for || op->code == TG_OP_while;
    /* first, because some companions need ops of their own */
    tg_value_id in[(1 + TG_COMPANION_COUNT) * TG_MAX_OPERANDS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->in_count; i++) in[count++] = op->in[i];
    for (uint32_t i = 0; i < op->in_count; i++)
        if (!is_loop || (is_for && i < 3)) tg_bound_settle(b, op->in[i]);
    for (uint32_t i = is_for ? 3 : 0; is_loop && i < op->in_count; i++)
        for (int c = 0; c < b->companions && carries(b, op->in[i]); c++)
            in[count++] = tg_bound_companion(b, (tg_companion)c, op->in[i]);
    add_regions(b, op, is_for ? 1 : 0);
    add_all(b, in, count, tg_build_in);
    add_with_companions(b, op->out, op->out_count, 0, give_companion, tg_build_out);
    tg_build_attrs_of(b->to, op);
    tg_build_op(b->to, op->code);
}

/* Emits the op unchanged; its values are the same in both profiles. */
static void keep(tg_bound *b)
{
    const tg_op *op = b->op;
    add_all(b, op->in, op->in_count, tg_build_in);
    add_all(b, op->out, op->out_count, tg_build_out);
    tg_build_attrs_of(b->to, op);
    tg_build_op(b->to, op->code);
}

static void follow(tg_bound *b)
{
    const tg_op *op = b->op;
    if (tg_op_reports(op->code)) return;
    if (op->region_count > 0) {
        nest(b);
        return;
    }
    if (op->code == TG_OP_dma_start && b->contract) tg_bound_copy(b);
    keep(b);
    tg_bound_note_results(b);
    if (tg_op_moves(op->code) && !tg_bound_has_rule(b, op)) {
        if (any_is_off(b, op)) move(b);
    } else if (any_is_off(b, op) || tg_bound_adds_error(b, op)) {
        tg_bound_compute(b);
    }
    tg_bound_flush_operand(b);
}

/* A condition yields a bool alone; it is settled, as every bool that is yielded. */
static void fill_region(tg_bound *b, const tg_region *from, bool is_condition)
{
    for (uint32_t i = 0; i < from->op_count && b->status == TG_OK; i++) {
        look_at(b, &from->ops[i]);
        follow(b);
    }
    if (is_condition) tg_bound_settle(b, from->yields[0]);
    add_with_companions(b, from->yields, from->yield_count, is_condition ? 1 : 0,
                        tg_bound_companion, tg_build_yield);
}

/* ---- parameters ---- */

/* Copies an index map for a companion, because the values of an index map are defined only once.
 * `place`: of each value, its copy. */
static tg_region copied_map(tg_bound *b, const tg_region *from, tg_value_id *place)
{
    tg_build_open(b->to);
    for (uint32_t a = 0; a < from->arg_count; a++)
        place[from->args[a]] = tg_build_new_arg(b->to, &b->from->values[from->args[a]].type);
    for (uint32_t i = 0; i < from->op_count; i++) {
        const tg_op *op = &from->ops[i];
        if (op->region_count || op->out_count != 1) {
            tg_bound_refuse(b, "an index map is not a plain expression");
            break;
        }
        for (uint32_t k = 0; k < op->in_count; k++) tg_build_in(b->to, place[op->in[k]]);
        tg_build_attrs_of(b->to, op);
        place[op->out[0]] = tg_build_result(b->to, op->code, &b->from->values[op->out[0]].type);
    }
    for (uint32_t i = 0; i < from->yield_count; i++) tg_build_yield(b->to, place[from->yields[i]]);
    return tg_build_close(b->to);
}

static bool is_alias(const tg_kernel *k, uint32_t input)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_OUTPUT && k->params[p].alias == (int)input) return true;
    return false;
}

static bool has_companions(const tg_bound *b, uint32_t p)
{
    const tg_kernel *k = b->from;
    const tg_param *param = &k->params[p];
    if (!tg_bound_is_real(b, param->array.dtype)) return false;
    return param->role == TG_ROLE_OUTPUT || param->role == TG_ROLE_SCRATCH || is_alias(k, p);
}

static const char *const suffix[TG_COMPANION_COUNT] = {TG_BOUND_SUFFIX, TG_EXACT_SUFFIX};

/* `place`: the index of each companion among the params that were added. */
static void add_companion(tg_bound *b, tg_companion which, uint32_t p, const int *place,
                          tg_value_id *map_place)
{
    tg_param made = b->from->params[p];
    tg_region map;
    const size_t room = strlen(made.name) + strlen(suffix[which]) + 1;
    char *name = tg_build_take(b->to, room, 1);
    if (!name) return;
    snprintf(name, room, "%s%s", made.name, suffix[which]);
    made.name = name;
    made.array.dtype = TG_DT_f64;
    made.layout = NULL; /* bounds are of logical runs */
    if (made.alias >= 0) made.alias = place[made.alias];
    if (made.index_map) {
        map = copied_map(b, made.index_map, map_place);
        made.index_map = &map;
    }
    tg_build_param_as(b->to, &made, give_companion(b, which, b->from->body.args[p]));
}

/* Companions come after all parameters of their role. */
static void add_params(tg_bound *b, int *place, tg_value_id *map_place)
{
    const tg_kernel *k = b->from;
    int count = 0;
    for (uint32_t p = 0; p < k->param_count; p++, count++)
        tg_build_param_as(b->to, &k->params[p], k->body.args[p]);
    for (int c = 0; c < b->companions; c++)
        for (uint32_t p = 0; p < k->param_count; p++) {
            if (!has_companions(b, p)) continue;
            place[p] = count++;
            add_companion(b, (tg_companion)c, p, place, map_place);
        }
}

/* ---- the whole kernel ---- */

static void begin(tg_bound *b)
{
    const tg_kernel *k = b->from;
    for (uint32_t l = 1; l < b->module->loc_count; l++) tg_build_loc(b->to, &b->module->locs[l]);
    tg_build_kernel(b->to, k->name);
    for (int a = 0; a < k->axis_count; a++) tg_build_axis(b->to, &k->axes[a]);
    if (b->to->kernel) {
        b->to->kernel->loc = k->loc;
        b->to->kernel->dialect = k->dialect;
    }
    for (uint32_t v = 0; v < k->value_count; v++) {
        tg_build_value(b->to, &k->values[v].type);
        tg_build_place(b->to, v, k->values[v].space, k->values[v].layout);
        for (int c = 0; c < TG_COMPANION_COUNT; c++) b->companion[c][v] = TG_NO_BOUND;
    }
}

static void build(tg_bound *b, int *place, tg_value_id *map_place)
{
    b->has_huge = tg_bound_has_huge(b, &b->from->body);
    begin(b);
    add_params(b, place, map_place);
    fill_region(b, &b->from->body, false);
    if (b->status == TG_OK) tg_build_kernel_end(b->to);
}

tg_status tg_bound_kernel_new(const tg_module *module, const tg_kernel *kernel,
                              const tg_contract *contract, bool is_probable, tg_module **out,
                              tg_diags *diags)
{
    tg_build builder;
    tg_bound b = {.module = module,
                  .from = kernel,
                  .to = &builder,
                  .contract = contract,
                  .is_probable = is_probable,
                  .companions = contract ? TG_COMPANION_COUNT : 1,
                  .diags = diags};
    const size_t values = (size_t)kernel->value_count + 1;
    int *place = calloc((size_t)kernel->param_count + 1, sizeof *place);
    tg_value_id *lists = calloc((3 + TG_COMPANION_COUNT) * values, sizeof *lists);
    for (int c = 0; c < TG_COMPANION_COUNT && lists; c++)
        b.companion[c] = lists + (size_t)(c + 3) * values;
    if (lists) {
        b.settled = lists + values;
        b.settled_bound = lists + 2 * values;
    }
    *out = NULL;
    tg_build_begin(&builder);
    if (place && lists) build(&b, place, lists);
    if (b.status == TG_OK && place && lists)
        *out = tg_build_finish(&builder);
    else
        tg_build_drop(&builder);
    free(place);
    free(lists);
    free(b.shared);
    free(b.facts);
    if (b.status == TG_OK && !*out) b.status = tg_no_memory(diags);
    return b.status;
}
