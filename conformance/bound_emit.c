/* Ops of the kernel of bounds, one by one. */
#include "conformance/bound_impl.h"

#include <string.h>

void *tg_bound_take(tg_bound *b, size_t count, size_t size)
{
    void *taken = tg_arena_take(&b->out->arena, count, size);
    if (!taken && b->status == TG_OK)
        b->status = tg_fail(b->diags, TG_ERR_NO_MEMORY, NULL, "memory is exhausted");
    return taken;
}

void tg_bound_refuse(tg_bound *b, const char *why)
{
    const tg_loc *loc = &b->module->locs[b->op ? b->op->loc : 0];
    if (b->status != TG_OK) return;
    b->status =
        tg_fail(b->diags, TG_ERR_UNSUPPORTED, NULL, "no bound can be derived: %s: %s%s%s%s%.0ld",
                b->op ? tg_ops[b->op->code].name : "kernel", why, loc->line ? " at " : "",
                loc->line ? loc->file : "", loc->line ? ":" : "", (long)loc->line);
}

/* ---- values ---- */

static bool make_room(tg_bound *b)
{
    if (b->to->value_count < b->value_capacity) return true;
    const uint32_t capacity = 2 * b->value_capacity + 64;
    tg_value *wider = tg_bound_take(b, capacity, sizeof *wider);
    if (!wider) return false;
    if (b->to->value_count) memcpy(wider, b->to->values, b->to->value_count * sizeof *wider);
    b->to->values = wider;
    b->value_capacity = capacity;
    return true;
}

tg_value_id tg_bound_value(tg_bound *b, const tg_type *type)
{
    if (b->status != TG_OK || !make_room(b)) return 0;
    const tg_value_id v = b->to->value_count++;
    b->to->values[v] = (tg_value){.type = *type, .id = (int64_t)v};
    return v;
}

tg_type tg_bound_type(const tg_bound *b, tg_value_id like)
{
    tg_type type = b->to->values[like].type;
    type.dtype = TG_DT_f64;
    return type;
}

/* ---- ops ---- */

static tg_op *add_op(tg_bound *b)
{
    tg_region *region = b->region;
    if (region->op_count == b->op_capacity) {
        const uint32_t capacity = 2 * b->op_capacity + 16;
        tg_op *wider = tg_bound_take(b, capacity, sizeof *wider);
        if (!wider) return NULL;
        if (region->op_count) memcpy(wider, region->ops, region->op_count * sizeof *wider);
        region->ops = wider;
        b->op_capacity = capacity;
    }
    return &region->ops[region->op_count++];
}

static void *copied(tg_bound *b, const void *from, size_t count, size_t size)
{
    void *to = tg_bound_take(b, count, size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

tg_value_id tg_bound_emit(tg_bound *b, const tg_op *op, const tg_type *type)
{
    if (b->status != TG_OK) return 0;
    tg_op made = *op;
    made.loc = b->op ? b->op->loc : 0;
    made.in = copied(b, op->in, op->in_count, sizeof *op->in);
    made.attrs = copied(b, op->attrs, op->attr_count, sizeof *op->attrs);
    made.out_count = type ? 1 : 0;
    made.out = tg_bound_take(b, 1, sizeof *made.out);
    const tg_value_id result = type ? tg_bound_value(b, type) : 0;
    tg_op *place = b->status == TG_OK ? add_op(b) : NULL;
    if (!place) return 0;
    made.out[0] = result;
    *place = made;
    return result;
}

/* ---- arithmetic ---- */

tg_value_id tg_bound_1(tg_bound *b, tg_opcode code, tg_value_id a)
{
    const tg_type type = tg_bound_type(b, a);
    return tg_bound_emit(b, &(tg_op){.code = code, .in_count = 1, .in = &a}, &type);
}

static bool is_predicate(tg_opcode code) { return tg_ops[code].rule == TG_RULE_PREDICATE; }

tg_value_id tg_bound_2(tg_bound *b, tg_opcode code, tg_value_id x, tg_value_id y)
{
    tg_type type = b->to->values[x].type;
    if (is_predicate(code)) type.dtype = TG_DT_bool;
    return tg_bound_emit(b, &(tg_op){.code = code, .in_count = 2, .in = (tg_value_id[]){x, y}},
                         &type);
}

tg_value_id tg_bound_number(tg_bound *b, tg_value_id like, double value)
{
    const tg_type type = tg_bound_type(b, like);
    double *held = tg_bound_take(b, 1, sizeof *held);
    if (!held) return 0;
    *held = value;
    tg_attr attr = {.id = TG_ATTR_value, .as.data = {1, held}};
    return tg_bound_emit(b, &(tg_op){.code = TG_OP_constant, .attr_count = 1, .attrs = &attr},
                         &type);
}

tg_value_id tg_bound_scaled(tg_bound *b, tg_value_id a, double factor)
{
    return tg_bound_2(b, TG_OP_mul, a, tg_bound_number(b, a, factor));
}

tg_value_id tg_bound_choose(tg_bound *b, tg_value_id flags, tg_value_id where,
                            tg_value_id elsewhere)
{
    const tg_type type = tg_bound_type(b, flags);
    tg_value_id in[] = {flags, elsewhere, where};
    return tg_bound_emit(b, &(tg_op){.code = TG_OP_select, .in_count = 3, .in = in}, &type);
}

tg_value_id tg_bound_where_zero(tg_bound *b, tg_value_id tested, tg_value_id otherwise)
{
    const tg_value_id zero = tg_bound_number(b, tested, 0);
    return tg_bound_choose(b, tg_bound_2(b, TG_OP_eq, tested, zero), zero, otherwise);
}

tg_value_id tg_bound_real(tg_bound *b, tg_value_id v)
{
    return b->to->values[v].type.dtype == TG_DT_f64 ? v : tg_bound_1(b, TG_OP_convert, v);
}

tg_value_id tg_bound_of(tg_bound *b, tg_value_id v)
{
    const tg_value_id companion = b->companion[v];
    return companion == TG_NO_BOUND ? tg_bound_number(b, v, 0) : companion;
}
