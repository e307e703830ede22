#include "lower/index.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"

enum { NO_DIM = -1, DEPTH_MOST = 16 };

/* An integer value v[i, j, ...] = base + start + step * (index along `dim`). */
typedef struct even {
    bool is_even;
    int dim; /* NO_DIM: the value is the same everywhere */
    int64_t base, step;
    bool has_start;
    tg_node_id start; /* a scalar of type i64 */
} even;

static even even_value(tg_lowerer *l, tg_value_id v, int depth);

static tg_node_id scalar_op(tg_lowerer *l, tg_opcode op, tg_node_id a, tg_node_id b, uint32_t loc)
{
    tg_node node = {.type = {.dtype = TG_DT_i64},
                    .op = op,
                    .dtype = TG_DT_i64,
                    .second = TG_DT_i64,
                    .loc = loc,
                    .in_count = 2,
                    .uses = 1};
    return tg_lower_pending(l, &node, (tg_node_id[]){a, b});
}

/* Computes a + b, or a - b if b does not vary along a dimension. */
static even sum(tg_lowerer *l, const tg_op *op, even a, even b)
{
    bool is_sub = op->code == TG_OP_sub;
    even none = {0};
    if (!a.is_even || !b.is_even || (is_sub && b.dim != NO_DIM)) return none;
    if (a.dim != NO_DIM && b.dim != NO_DIM && a.dim != b.dim) return none;
    even r = {.is_even = true, .dim = a.dim != NO_DIM ? a.dim : b.dim};
    if (__builtin_add_overflow(a.step, b.step, &r.step)) return none;
    if (is_sub ? __builtin_sub_overflow(a.base, b.base, &r.base)
               : __builtin_add_overflow(a.base, b.base, &r.base))
        return none;
    r.has_start = a.has_start || b.has_start;
    r.start = a.has_start ? a.start : b.start;
    if (b.has_start && is_sub && !a.has_start) return none;
    if (a.has_start && b.has_start) r.start = scalar_op(l, op->code, a.start, b.start, op->loc);
    return r;
}

static even product(even a, even b)
{
    even none = {0};
    if (!a.is_even || !b.is_even || a.has_start || b.has_start) return none;
    if (a.dim != NO_DIM && b.dim != NO_DIM) return none;
    even r = {.is_even = true, .dim = a.dim != NO_DIM ? a.dim : b.dim};
    int64_t factor = a.dim != NO_DIM ? b.base : a.base, step = a.dim != NO_DIM ? a.step : b.step;
    if (__builtin_mul_overflow(a.base, b.base, &r.base) ||
        __builtin_mul_overflow(step, factor, &r.step))
        return none;
    return r;
}

static even constant(const tg_type *type, const tg_op *op)
{
    const tg_data *data = &tg_op_attr(op, TG_ATTR_value)->as.data;
    even r = {.is_even = data->count == 1, .dim = NO_DIM};
    if (type->dtype == TG_DT_i32)
        r.base = *(const int32_t *)data->bytes;
    else if (type->dtype == TG_DT_i64)
        r.base = *(const int64_t *)data->bytes;
    else
        r.is_even = false;
    return r;
}

static even scalar(tg_lowerer *l, tg_value_id v, uint32_t loc)
{
    tg_node_id node = tg_lower_convert(l, l->value_node[v], TG_DT_i64, loc);
    return (even){.is_even = true, .dim = NO_DIM, .has_start = true, .start = node};
}

/* A reshape may add and remove dimensions of extent 1; the only other dimension is the one along
 * which the value varies. */
static even reshaped(const tg_type *from, const tg_type *to, even a)
{
    int wide = NO_DIM;
    if (!a.is_even || a.dim == NO_DIM) return a;
    for (int d = 0; d < from->rank; d++)
        if (d != a.dim && from->shape[d] != 1) return (even){0};
    for (int d = 0; d < to->rank; d++)
        if (to->shape[d] != 1) wide = d;
    a.dim = wide;
    if (wide == NO_DIM) a.step = 0; /* one element: it varies along nothing */
    return a;
}

static even from_op(tg_lowerer *l, const tg_op *op, const tg_type *type, int depth)
{
    even a = {0};
    switch (op->code) {
    case TG_OP_iota:
        return (even){.is_even = true, .dim = (int)tg_op_int(op, TG_ATTR_axis, 0), .step = 1};
    case TG_OP_constant: return constant(type, op);
    case TG_OP_add:
    case TG_OP_sub:
        a = even_value(l, op->in[0], depth + 1);
        return a.is_even ? sum(l, op, a, even_value(l, op->in[1], depth + 1)) : a;
    case TG_OP_mul:
        a = even_value(l, op->in[0], depth + 1);
        return a.is_even ? product(a, even_value(l, op->in[1], depth + 1)) : a;
    case TG_OP_reshape:
        return reshaped(tg_type_of(l->kernel, op->in[0]), type,
                        even_value(l, op->in[0], depth + 1));
    case TG_OP_broadcast_in_dim:
        a = even_value(l, op->in[0], depth + 1);
        if (!a.is_even || a.dim == NO_DIM) return a;
        if (tg_type_of(l->kernel, op->in[0])->shape[a.dim] == 1) {
            a.dim = NO_DIM;
            a.step = 0;
        } else {
            a.dim = (int)tg_op_attr(op, TG_ATTR_dims)->as.ints[a.dim];
        }
        return a;
    default: return a;
    }
}

/* Whether the static part does not wrap in i32 arithmetic. */
static bool fits_i32(const even *a, const tg_type *type)
{
    int64_t span = 0, last = 0;
    if (a->dim != NO_DIM && __builtin_mul_overflow(a->step, type->shape[a->dim], &span))
        return false;
    if (__builtin_add_overflow(a->base, span, &last)) return false;
    return a->base >= INT32_MIN && a->base <= INT32_MAX && last >= INT32_MIN && last <= INT32_MAX;
}

static even even_value(tg_lowerer *l, tg_value_id v, int depth)
{
    const tg_type *type = tg_type_of(l->kernel, v);
    const tg_op *op = l->value_op[v];
    if (type->dtype != TG_DT_i32 && type->dtype != TG_DT_i64) return (even){0};
    if (type->rank == 0) {
        if (op && op->code == TG_OP_constant) return constant(type, op);
        return scalar(l, v, op ? op->loc : 0);
    }
    even a = op && depth < DEPTH_MOST ? from_op(l, op, type, depth) : (even){0};
    if (a.is_even && type->dtype == TG_DT_i32 && !fits_i32(&a, type)) a.is_even = false;
    return a;
}

/* Replaces positions that are even along result dimension `at` by a slice. */
static void set_slice(tg_lowerer *l, tg_access_dim *dim, const even *e, int at, int64_t size,
                      uint32_t loc)
{
    dim->kind = TG_INDEX_SLICE;
    dim->start = e->base;
    dim->size = size;
    dim->stride = e->step;
    dim->result_dim = at;
    dim->has_operand = e->has_start;
    if (!e->has_start) return;
    tg_type type = {.dtype = TG_DT_i64};
    tg_slot_id slot = tg_lower_constant(l, TG_DT_i64, 1, &e->base);
    tg_node_id base = tg_lower_leaf(l, &type, tg_lower_dense(slot, &type), 1);
    dim->operand =
        tg_lower_at(l, e->base ? scalar_op(l, TG_OP_add, e->start, base, loc) : e->start);
}

bool tg_lower_even_positions(tg_lowerer *l, const tg_op *op, const tg_access *access,
                             tg_access_plan *a, const tg_type *positions)
{
    even found[TG_MAX_RANK] = {{0}};
    int at[TG_MAX_RANK] = {0};
    unsigned taken = 0;
    uint32_t next = access->first_index;
    for (int d = 0; d < a->rank; d++) {
        const tg_index_dim *dim = &access->index[d];
        if (dim->kind == TG_INDEX_SLICE && dim->has_start) continue;
        tg_value_id v = op->in[next++];
        int rank = tg_type_of(l->kernel, v)->rank;
        if (dim->kind == TG_INDEX_SLICE || rank == 0) continue;
        found[d] = even_value(l, v, 0);
        at[d] = positions->rank - rank + found[d].dim;
        if (!found[d].is_even || found[d].dim == NO_DIM || found[d].step < 1) return false;
        if (tg_type_of(l->kernel, v)->shape[found[d].dim] != positions->shape[at[d]]) return false;
        if (taken >> at[d] & 1) return false;
        taken |= 1U << at[d];
    }
    for (int r = 0; r < positions->rank; r++)
        if (!(taken >> r & 1) && positions->shape[r] != 1) return false;
    for (int d = 0; d < a->rank; d++)
        if (found[d].is_even)
            set_slice(l, &a->dims[d], &found[d], a->position_first + at[d], positions->shape[at[d]],
                      op->loc);
    return true;
}
