/* Parameters, regions and memory of the kernel of bounds. */
#include "conformance/bound_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/bound_impl.h"

static bool has_companion(const tg_bound *b, tg_value_id v)
{
    return b->companion[v] != TG_NO_BOUND;
}

static bool is_real(const tg_bound *b, tg_value_id v)
{
    return tg_bound_is_real(b->from->values[v].type.dtype);
}

static bool any_is_off(const tg_bound *b, const tg_op *op)
{
    for (uint32_t i = 0; i < op->in_count; i++)
        if (has_companion(b, op->in[i])) return true;
    return false;
}

/* A companion that a region's argument or a control op's result gets. */
static tg_value_id give_companion(tg_bound *b, tg_value_id v)
{
    const tg_type type = tg_bound_type(b, v);
    return b->companion[v] = tg_bound_value(b, &type);
}

/* ---- lists ---- */

/* `list` and behind it the companions of those that are real, by `companion_of`, in a new list. */
static tg_value_id *doubled(tg_bound *b, const tg_value_id *list, uint32_t first, uint32_t *count,
                            tg_value_id (*companion_of)(tg_bound *b, tg_value_id v))
{
    uint32_t used = *count;
    tg_value_id *out = tg_bound_take(b, 2 * (size_t)used + 1, sizeof *out);
    if (!out) return NULL;
    if (used) memcpy(out, list, used * sizeof *out);
    for (uint32_t i = first; i < *count; i++) {
        if (is_real(b, list[i]))
            out[used++] = companion_of(b, list[i]);
        else if (has_companion(b, list[i]))
            tg_bound_refuse(b, "what may be off leaves a region");
    }
    *count = used;
    return out;
}

/* ---- memory and what moves ---- */

/* The same op on the companions.  References that both profiles agree on have none. */
static void move(tg_bound *b)
{
    const tg_op *op = b->op;
    tg_value_id in[TG_MAX_OPERANDS];
    for (uint32_t i = 0; i < op->in_count; i++) {
        const bool is_ref = b->from->values[op->in[i]].type.is_ref;
        in[i] = op->in[i];
        if (is_ref && !has_companion(b, op->in[i]))
            tg_bound_refuse(b, "what may be off goes to memory that is not an output's");
        else if (is_real(b, op->in[i]))
            in[i] = tg_bound_of(b, op->in[i]);
    }
    tg_op made = *op;
    made.in = in;
    if (op->out_count == 0) {
        tg_bound_emit(b, &made, NULL);
        return;
    }
    const tg_type type = tg_bound_type(b, op->out[0]);
    b->companion[op->out[0]] = tg_bound_emit(b, &made, &type);
}

static bool only_moves(tg_opcode code)
{
    switch (code) {
    case TG_OP_select:
    case TG_OP_broadcast_in_dim:
    case TG_OP_reshape:
    case TG_OP_transpose:
    case TG_OP_rev:
    case TG_OP_slice:
    case TG_OP_dynamic_slice:
    case TG_OP_dynamic_update_slice:
    case TG_OP_concatenate:
    case TG_OP_pad:
    case TG_OP_tile:
    case TG_OP_view:
    case TG_OP_view_transpose:
    case TG_OP_view_reshape:
    case TG_OP_load:
    case TG_OP_store:
    case TG_OP_swap: return true;
    default: return false;
    }
}

/* ---- regions ---- */

static void fill_region(tg_bound *b, const tg_region *from, tg_region *to, uint32_t first_yield);

/* Regions' arguments and what they yield are doubled from `first` on, the number of a `for` left out. */
static tg_region *regions_of(tg_bound *b, const tg_op *op, uint32_t first)
{
    tg_region *regions = tg_bound_take(b, (size_t)op->region_count + 1, sizeof *regions);
    tg_region *const outer = b->region;
    const uint32_t outer_capacity = b->op_capacity;
    for (uint32_t r = 0; regions && r < op->region_count && b->status == TG_OK; r++) {
        const tg_region *from = &op->regions[r];
        const bool is_condition = op->code == TG_OP_while && r == 0;
        regions[r].arg_count = from->arg_count;
        regions[r].args = doubled(b, from->args, first, &regions[r].arg_count, give_companion);
        fill_region(b, from, &regions[r], is_condition ? from->yield_count : 0);
    }
    b->region = outer;
    b->op_capacity = outer_capacity;
    b->op = op;
    return regions;
}

/* What is carried or comes out of regions may be off, whether or not it is. */
static void nest(tg_bound *b)
{
    const tg_op *op = b->op;
    tg_op made = *op;
    const bool is_for = op->code == TG_OP_for, is_loop = is_for || op->code == TG_OP_while;
    if (is_loop) made.in = doubled(b, op->in, is_for ? 3 : 0, &made.in_count, tg_bound_of);
    made.regions = regions_of(b, op, is_for ? 1 : 0);
    made.out = doubled(b, op->out, 0, &made.out_count, give_companion);
    if (b->status != TG_OK) return;
    tg_bound_emit(b, &made, NULL);
    tg_op *last = b->status == TG_OK ? &b->region->ops[b->region->op_count - 1] : NULL;
    if (!last) return;
    last->out = made.out;
    last->out_count = made.out_count;
}

/* The op as it is; its values are the same in both kernels. */
static void keep(tg_bound *b)
{
    tg_bound_emit(b, b->op, NULL);
    if (b->status != TG_OK) return;
    tg_op *last = &b->region->ops[b->region->op_count - 1];
    last->out = b->op->out;
    last->out_count = b->op->out_count;
}

static void follow(tg_bound *b)
{
    const tg_op *op = b->op;
    if (op->code == TG_OP_debug_print || op->code == TG_OP_check) return;
    if (op->region_count > 0) {
        nest(b);
        return;
    }
    keep(b);
    if (only_moves(op->code) && any_is_off(b, op))
        move(b);
    else if (any_is_off(b, op) || tg_bound_is_approximate(b, op))
        tg_bound_compute(b);
}

static void fill_region(tg_bound *b, const tg_region *from, tg_region *to, uint32_t first_yield)
{
    b->region = to;
    b->op_capacity = 0;
    for (uint32_t i = 0; i < from->op_count && b->status == TG_OK; i++) {
        b->op = &from->ops[i];
        follow(b);
    }
    to->yield_count = from->yield_count;
    to->yields = doubled(b, from->yields, first_yield, &to->yield_count, tg_bound_of);
}

/* ---- parameters ---- */

/* An index map's values are defined once, so that of a companion has its own. */
static void copy_map(tg_bound *b, const tg_region *from, tg_region *to)
{
    tg_value_id *place = calloc(b->from->value_count, sizeof *place);
    if (!place) {
        b->status = tg_fail(b->diags, TG_ERR_NO_MEMORY, NULL, "memory is exhausted");
        return;
    }
    to->arg_count = from->arg_count;
    to->args = tg_bound_take(b, from->arg_count, sizeof *to->args);
    b->region = to;
    b->op_capacity = 0;
    for (uint32_t a = 0; b->status == TG_OK && a < from->arg_count; a++)
        to->args[a] = place[from->args[a]] =
            tg_bound_value(b, &b->from->values[from->args[a]].type);
    for (uint32_t i = 0; b->status == TG_OK && i < from->op_count; i++) {
        const tg_op *op = &from->ops[i];
        tg_op made = *op;
        if (op->region_count || op->out_count != 1 || op->in_count > TG_MAX_RANK) {
            tg_bound_refuse(b, "an index map is not a plain expression");
            break;
        }
        tg_value_id in[TG_MAX_RANK];
        for (uint32_t k = 0; k < op->in_count; k++) in[k] = place[op->in[k]];
        made.in = in;
        place[op->out[0]] = tg_bound_emit(b, &made, &b->from->values[op->out[0]].type);
    }
    to->yield_count = from->yield_count;
    to->yields = tg_bound_take(b, from->yield_count, sizeof *to->yields);
    for (uint32_t i = 0; b->status == TG_OK && i < from->yield_count; i++)
        to->yields[i] = place[from->yields[i]];
    free(place);
}

static bool is_alias(const tg_kernel *k, uint32_t input)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_OUTPUT && k->params[p].alias == (int)input) return true;
    return false;
}

static bool is_doubled(const tg_kernel *k, uint32_t p)
{
    const tg_param *param = &k->params[p];
    if (!tg_bound_is_real(param->array.dtype)) return false;
    return param->role == TG_ROLE_OUTPUT || param->role == TG_ROLE_SCRATCH || is_alias(k, p);
}

/* `places`: of each parameter in the new list.  Companions stand behind all of their role. */
static void add_companion(tg_bound *b, uint32_t p, const uint32_t *companions)
{
    const tg_param *param = &b->from->params[p];
    tg_param *made = &b->to->params[b->to->param_count];
    const size_t room = strlen(param->name) + sizeof TG_BOUND_SUFFIX;
    *made = *param;
    made->name = tg_bound_take(b, room, 1);
    if (!made->name) return;
    snprintf(made->name, room, "%s" TG_BOUND_SUFFIX, param->name);
    made->array.dtype = made->ref.dtype = TG_DT_f64;
    if (param->alias >= 0) made->alias = (int)companions[param->alias];
    if (param->index_map) {
        made->index_map = tg_bound_take(b, 1, sizeof *made->index_map);
        if (made->index_map) copy_map(b, param->index_map, made->index_map);
    }
    const tg_value_id arg = b->from->body.args[p];
    b->to->body.args[b->to->param_count] = give_companion(b, arg);
    b->to->param_count++;
}

static void add_params(tg_bound *b, uint32_t *places, uint32_t *companions)
{
    const tg_kernel *k = b->from;
    for (int role = 0; role < TG_ROLE_COUNT; role++) {
        for (uint32_t p = 0; p < k->param_count; p++) {
            if ((int)k->params[p].role != role) continue;
            tg_param *made = &b->to->params[places[p] = b->to->param_count];
            *made = k->params[p];
            if (made->alias >= 0) made->alias = (int)places[made->alias];
            b->to->body.args[b->to->param_count++] = k->body.args[p];
        }
        for (uint32_t p = 0; p < k->param_count && b->status == TG_OK; p++) {
            if ((int)k->params[p].role != role || !is_doubled(k, p)) continue;
            companions[p] = b->to->param_count;
            add_companion(b, p, companions);
        }
    }
    b->to->body.arg_count = b->to->param_count;
}

/* ---- the whole ---- */

static bool begin(tg_bound *b)
{
    const tg_kernel *k = b->from;
    b->out->locs = b->module->locs;
    b->out->loc_count = b->module->loc_count;
    b->out->kernels = b->to = tg_bound_take(b, 1, sizeof *b->to);
    if (!b->to) return false;
    b->out->kernel_count = 1;
    *b->to = *k;
    b->to->param_count = 0;
    b->to->params = tg_bound_take(b, 2 * (size_t)k->param_count + 1, sizeof *k->params);
    b->value_capacity = k->value_count;
    b->to->body =
        (tg_region){.args = tg_bound_take(b, 2 * (size_t)k->param_count + 1, sizeof *k->body.args)};
    for (uint32_t v = 0; v < k->value_count; v++) b->companion[v] = TG_NO_BOUND;
    return b->status == TG_OK;
}

/* Numbers of values in texts are those of their places: they need only be different. */
static void number_values(tg_kernel *k)
{
    for (uint32_t v = 0; v < k->value_count; v++) k->values[v].id = (int64_t)v;
}

static void build(tg_bound *b, uint32_t *lists)
{
    const tg_kernel *k = b->from;
    if (!begin(b)) return;
    add_params(b, lists, lists + k->param_count);
    if (b->status == TG_OK) fill_region(b, &k->body, &b->to->body, 0);
    if (b->status == TG_OK) number_values(b->to);
}

tg_status tg_bound_kernel_new(const tg_module *module, const tg_kernel *kernel, tg_module **out,
                              tg_diags *diags)
{
    tg_bound b = {.module = module, .from = kernel, .diags = diags};
    tg_arena arena = {0};
    uint32_t *lists = calloc(2 * (size_t)kernel->param_count + 1, sizeof *lists);
    b.companion = calloc((size_t)kernel->value_count + 1, sizeof *b.companion);
    b.out = tg_arena_take(&arena, 1, sizeof *b.out);
    *out = NULL;
    if (b.out) b.out->arena = arena;
    if (lists && b.companion && b.out)
        build(&b, lists);
    else
        b.status = tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "memory is exhausted");
    free(lists);
    free(b.companion);
    if (b.status == TG_OK)
        *out = b.out;
    else
        tg_module_destroy(b.out);
    return b.status;
}
