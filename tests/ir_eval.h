/* A second opinion: evaluates kernels over i8, i32 and bool straight from the IR, op by op, each value in a
 * block of its own, one program after the other.  Nothing is shared with lowering or machine. */
#ifndef TESTS_IR_EVAL_H
#define TESTS_IR_EVAL_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ir/ir.h"

typedef struct eval_memory {
    int64_t *e;
    bool *outside; /* of the array: reads as undefined, drops what is stored */
} eval_memory;

typedef struct eval_ref {
    eval_memory *memory;
    int64_t origin, stride[TG_MAX_RANK];
} eval_ref;

typedef struct evaluation {
    const tg_kernel *kernel;
    tg_arena arena;  /* of one program */
    int64_t **value; /* elements, row-major */
    eval_ref *ref;
    int64_t program[TG_MAX_AXES];
} evaluation;

static inline void *eval_take(evaluation *v, int64_t count, size_t size)
{
    void *taken = tg_arena_take(&v->arena, (size_t)count + 1, size);
    cr_assert_not_null(taken);
    return taken;
}

static inline int64_t eval_wrap(tg_dtype dtype, int64_t x)
{
    switch (dtype) {
    case TG_DT_bool: return x != 0;
    case TG_DT_i8: return (int8_t)x;
    case TG_DT_i32: return (int32_t)x;
    default: return x;
    }
}

static inline int64_t eval_undefined(tg_dtype dtype)
{
    return dtype == TG_DT_bool ? 0 : dtype == TG_DT_i8 ? INT8_MIN : INT32_MIN;
}

/* Counts `index` on, row-major; false at the end. */
static inline bool eval_next(int rank, const int64_t *shape, int64_t *index)
{
    for (int d = rank - 1; d >= 0; d--) {
        if (++index[d] < shape[d]) return true;
        index[d] = 0;
    }
    return false;
}

static inline int64_t eval_offset(const tg_type *type, const int64_t *index)
{
    int64_t at = 0;
    for (int d = 0; d < type->rank; d++) at = at * type->shape[d] + index[d];
    return at;
}

static inline const tg_type *eval_type(const evaluation *v, tg_value_id id)
{
    return tg_type_of(v->kernel, id);
}

/* ---- element-wise ---- */

static inline int64_t eval_lane(tg_opcode op, const int64_t *x, uint32_t count)
{
    switch (op) {
    case TG_OP_neg: return -x[0];
    case TG_OP_abs: return x[0] < 0 ? -x[0] : x[0];
    case TG_OP_sign: return (x[0] > 0) - (x[0] < 0);
    case TG_OP_not: return ~x[0];
    case TG_OP_square: return x[0] * x[0];
    case TG_OP_convert:
    case TG_OP_assume_multiple: return x[0];
    case TG_OP_add: return x[0] + x[1];
    case TG_OP_sub: return x[0] - x[1];
    case TG_OP_mul: return x[0] * x[1];
    case TG_OP_max: return x[0] > x[1] ? x[0] : x[1];
    case TG_OP_min: return x[0] < x[1] ? x[0] : x[1];
    case TG_OP_and: return x[0] & x[1];
    case TG_OP_or: return x[0] | x[1];
    case TG_OP_xor: return x[0] ^ x[1];
    case TG_OP_eq: return x[0] == x[1];
    case TG_OP_ne: return x[0] != x[1];
    case TG_OP_lt: return x[0] < x[1];
    case TG_OP_le: return x[0] <= x[1];
    case TG_OP_gt: return x[0] > x[1];
    case TG_OP_ge: return x[0] >= x[1];
    case TG_OP_select: {
        int64_t most = (int64_t)count - 2;
        return x[1 + (x[0] < 0 ? 0 : x[0] > most ? most : x[0])];
    }
    case TG_OP_clamp: {
        int64_t low = x[1] > x[0] ? x[1] : x[0];
        return low < x[2] ? low : x[2];
    }
    default: cr_assert_fail("no element-wise op %s", tg_ops[op].name); return 0;
    }
}

static inline bool eval_is_lane(tg_opcode op)
{
    return tg_ops[op].rule == TG_RULE_SAME || tg_ops[op].rule == TG_RULE_PREDICATE ||
           tg_ops[op].rule == TG_RULE_RETYPE || op == TG_OP_select || op == TG_OP_clamp;
}

static inline void eval_lanes(evaluation *v, const tg_op *op, int64_t *out)
{
    const tg_type *type = eval_type(v, op->out[0]);
    for (int64_t i = 0; i < tg_type_count(type); i++) {
        int64_t x[TG_MAX_RANK];
        for (uint32_t k = 0; k < op->in_count; k++)
            x[k] = v->value[op->in[k]][eval_type(v, op->in[k])->rank ? i : 0];
        int64_t r = eval_lane(op->code, x, op->in_count);
        out[i] =
            op->code == TG_OP_not && type->dtype == TG_DT_bool ? !x[0] : eval_wrap(type->dtype, r);
    }
}

/* ---- moving ---- */

static inline int64_t eval_start(const evaluation *v, const tg_op *op, uint32_t operand,
                                 int64_t most)
{
    int64_t start = v->value[op->in[operand]][0];
    return start < 0 ? 0 : start > most ? most : start;
}

/* Index in the operand that result index `at` comes from; false for padding. */
static inline bool eval_source(const evaluation *v, const tg_op *op, const int64_t *at,
                               int64_t *from)
{
    const tg_type *in = eval_type(v, op->in[0]), *out = eval_type(v, op->out[0]);
    const tg_attr *attr;
    for (int d = 0; d < in->rank; d++) {
        switch (op->code) {
        case TG_OP_broadcast_in_dim:
            from[d] = in->shape[d] == 1 ? 0 : at[tg_op_attr(op, TG_ATTR_dims)->as.ints[d]];
            break;
        case TG_OP_transpose: from[tg_op_attr(op, TG_ATTR_permutation)->as.ints[d]] = at[d]; break;
        case TG_OP_rev:
            attr = tg_op_attr(op, TG_ATTR_axes);
            from[d] = at[d];
            for (int64_t i = 0; i < attr->count; i++)
                if (attr->as.ints[i] == d) from[d] = in->shape[d] - 1 - at[d];
            break;
        case TG_OP_slice:
            from[d] = tg_op_attr(op, TG_ATTR_start)->as.ints[d] +
                      at[d] * tg_op_attr(op, TG_ATTR_stride)->as.ints[d];
            break;
        case TG_OP_tile: from[d] = at[d] % in->shape[d]; break;
        case TG_OP_pad: {
            int64_t low = tg_op_attr(op, TG_ATTR_low)->as.ints[d];
            int64_t step = tg_op_attr(op, TG_ATTR_interior)->as.ints[d] + 1;
            from[d] = (at[d] - low) / step;
            if (at[d] < low || (at[d] - low) % step || from[d] >= in->shape[d]) return false;
            break;
        }
        case TG_OP_dynamic_slice:
            from[d] = at[d] + eval_start(v, op, 1 + (uint32_t)d, in->shape[d] - out->shape[d]);
            break;
        default: cr_assert_fail("no mover %s", tg_ops[op->code].name);
        }
    }
    return true;
}

static inline void eval_move(evaluation *v, const tg_op *op, int64_t *out)
{
    const tg_type *type = eval_type(v, op->out[0]), *in = eval_type(v, op->in[0]);
    int64_t at[TG_MAX_RANK] = {0}, from[TG_MAX_RANK], i = 0;
    if (tg_type_count(type) == 0) return;
    do
        out[i++] = eval_source(v, op, at, from) ? v->value[op->in[0]][eval_offset(in, from)]
                                                : v->value[op->in[1]][0];
    while (eval_next(type->rank, type->shape, at));
}

static inline void eval_update(evaluation *v, const tg_op *op, int64_t *out)
{
    const tg_type *whole = eval_type(v, op->in[0]), *part = eval_type(v, op->in[1]);
    int64_t at[TG_MAX_RANK] = {0}, to[TG_MAX_RANK], i = 0;
    memcpy(out, v->value[op->in[0]], (size_t)tg_type_count(whole) * sizeof *out);
    do {
        for (int d = 0; d < part->rank; d++)
            to[d] = at[d] + eval_start(v, op, 2 + (uint32_t)d, whole->shape[d] - part->shape[d]);
        out[eval_offset(whole, to)] = v->value[op->in[1]][i++];
    } while (eval_next(part->rank, part->shape, at));
}

static inline void eval_concatenate(evaluation *v, const tg_op *op, int64_t *out)
{
    const tg_type *type = eval_type(v, op->out[0]);
    int64_t axis = tg_op_int(op, TG_ATTR_axis, 0), at[TG_MAX_RANK] = {0}, from[TG_MAX_RANK], i = 0;
    do {
        uint32_t k = 0;
        memcpy(from, at, sizeof from);
        while (from[axis] >= eval_type(v, op->in[k])->shape[axis])
            from[axis] -= eval_type(v, op->in[k++])->shape[axis];
        out[i++] = v->value[op->in[k]][eval_offset(eval_type(v, op->in[k]), from)];
    } while (eval_next(type->rank, type->shape, at));
}

static inline void eval_iota(evaluation *v, const tg_op *op, int64_t *out)
{
    const tg_type *type = eval_type(v, op->out[0]);
    int64_t at[TG_MAX_RANK] = {0}, i = 0;
    do out[i++] = eval_wrap(type->dtype, at[tg_op_int(op, TG_ATTR_axis, 0)]);
    while (eval_next(type->rank, type->shape, at));
}

static inline void eval_constant(evaluation *v, const tg_op *op, int64_t *out)
{
    const tg_type *type = eval_type(v, op->out[0]);
    const tg_data *data = &tg_op_attr(op, TG_ATTR_value)->as.data;
    for (int64_t i = 0; i < tg_type_count(type); i++) {
        int64_t at = data->count == 1 ? 0 : i;
        out[i] = type->dtype == TG_DT_i32   ? ((const int32_t *)data->bytes)[at]
                 : type->dtype == TG_DT_i64 ? ((const int64_t *)data->bytes)[at]
                                            : ((const int8_t *)data->bytes)[at];
    }
}

/* ---- reducing ---- */

static inline void eval_reduce(evaluation *v, const tg_op *op, int64_t *out)
{
    const tg_type *in = eval_type(v, op->in[0]), *type = eval_type(v, op->out[0]);
    const tg_attr *axes = tg_op_attr(op, TG_ATTR_axes);
    unsigned reduced = 0;
    int64_t at[TG_MAX_RANK] = {0}, i = 0;
    bool *seen = eval_take(v, tg_type_count(type), sizeof *seen);
    for (int64_t k = 0; k < axes->count; k++) reduced |= 1U << axes->as.ints[k];
    do {
        int64_t to = 0, x = v->value[op->in[0]][i++];
        for (int d = 0; d < in->rank; d++)
            if (!(reduced >> d & 1)) to = to * in->shape[d] + at[d];
        int64_t y = out[to];
        if (!seen[to])
            y = x;
        else if (op->code == TG_OP_reduce_sum)
            y += x;
        else if (op->code == TG_OP_reduce_max)
            y = x > y ? x : y;
        else
            y = x < y ? x : y;
        out[to] = eval_wrap(type->dtype, y);
        seen[to] = true;
    } while (eval_next(in->rank, in->shape, at));
}

static inline void eval_cumsum(evaluation *v, const tg_op *op, int64_t *out)
{
    const tg_type *type = eval_type(v, op->out[0]);
    int64_t axis = tg_op_int(op, TG_ATTR_axis, 0), at[TG_MAX_RANK] = {0}, i = 0;
    bool reverse = tg_op_int(op, TG_ATTR_reverse, 0) != 0;
    do {
        int64_t sum = 0, index[TG_MAX_RANK];
        memcpy(index, at, sizeof index);
        for (int64_t k = 0; k < type->shape[axis]; k++) {
            if (reverse ? k < at[axis] : k > at[axis]) continue;
            index[axis] = k;
            sum += v->value[op->in[0]][eval_offset(type, index)];
        }
        out[i++] = eval_wrap(type->dtype, sum);
    } while (eval_next(type->rank, type->shape, at));
}

/* Two matrices, [m,k] and [k,n]. */
static inline void eval_dot(evaluation *v, const tg_op *op, int64_t *out)
{
    const tg_type *a = eval_type(v, op->in[0]), *b = eval_type(v, op->in[1]);
    for (int64_t m = 0; m < a->shape[0]; m++)
        for (int64_t n = 0; n < b->shape[1]; n++) {
            uint64_t sum = 0; /* wraps */
            for (int64_t k = 0; k < a->shape[1]; k++)
                sum += (uint64_t)v->value[op->in[0]][m * a->shape[1] + k] *
                       (uint64_t)v->value[op->in[1]][k * b->shape[1] + n];
            out[m * b->shape[1] + n] = (int32_t)sum;
        }
}

/* ---- memory ---- */

/* Views take slices and scalar positions only. */
static inline eval_ref eval_view(const evaluation *v, const tg_op *op)
{
    tg_access access = tg_op_access(op);
    eval_ref from = v->ref[op->in[0]], to = from;
    uint32_t next = access.first_index;
    int rank = 0;
    for (int d = 0; d < access.rank; d++) {
        const tg_index_dim *dim = &access.index[d];
        bool known = dim->kind == TG_INDEX_SLICE && dim->has_start;
        to.origin += (known ? dim->start : v->value[op->in[next++]][0]) * from.stride[d];
        if (dim->kind == TG_INDEX_SLICE) to.stride[rank++] = dim->stride * from.stride[d];
    }
    return to;
}

/* Where the dimensions of the positions stand in the result: numpy's rule. */
typedef struct eval_places {
    int positions, position_rank, slice[TG_MAX_RANK];
} eval_places;

static inline eval_places eval_place(const tg_access *access, const tg_type *result)
{
    eval_places places = {0};
    int first = -1, last = -1, slices = 0, at = 0;
    for (int d = 0; d < access->rank; d++) {
        if (access->index[d].kind == TG_INDEX_SLICE)
            slices++;
        else
            first = first < 0 ? d : first, last = d, at++;
    }
    places.position_rank = result->rank - slices;
    places.positions = at && last - first + 1 == at ? first : 0;
    for (int d = 0, r = 0; d < access->rank; d++) {
        if (access->index[d].kind != TG_INDEX_SLICE) continue;
        if (r == places.positions) r += places.position_rank;
        places.slice[d] = r++;
    }
    return places;
}

/* Offset in memory of result index `at`. */
static inline int64_t eval_element(const evaluation *v, const tg_op *op, const tg_access *access,
                                   const eval_places *places, const int64_t *at)
{
    const eval_ref *ref = &v->ref[op->in[0]];
    const tg_type *type = eval_type(v, op->in[0]);
    uint32_t next = access->first_index;
    int64_t offset = ref->origin;
    for (int d = 0; d < access->rank; d++) {
        const tg_index_dim *dim = &access->index[d];
        int64_t index;
        if (dim->kind == TG_INDEX_SLICE) {
            index = (dim->has_start ? dim->start : v->value[op->in[next++]][0]) +
                    at[places->slice[d]] * dim->stride;
        } else {
            const tg_type *in = eval_type(v, op->in[next]);
            int64_t from = 0;
            for (int k = 0; k < in->rank; k++)
                from = from * in->shape[k] +
                       (in->shape[k] == 1
                            ? 0
                            : at[places->positions + places->position_rank - in->rank + k]);
            index = v->value[op->in[next++]][from];
        }
        cr_assert(index >= 0 && index < type->shape[d], "index %lld", (long long)index);
        offset += index * ref->stride[d];
    }
    return offset;
}

static inline int64_t eval_operand(const evaluation *v, const tg_op *op, int64_t operand, int64_t i)
{
    return v->value[op->in[operand]][eval_type(v, op->in[operand])->rank ? i : 0];
}

/* First everything is read, then everything written, row-major. */
static inline void eval_access(evaluation *v, const tg_op *op)
{
    tg_access access = tg_op_access(op);
    tg_type type;
    cr_assert(tg_access_shape(v->kernel, op, &access, &type));
    eval_places places = eval_place(&access, &type);
    int64_t at[TG_MAX_RANK] = {0}, count = tg_type_count(&type), i = 0;
    int64_t *out = eval_take(v, count, sizeof *out), *where = eval_take(v, count, sizeof *where);
    const eval_memory *memory = v->ref[op->in[0]].memory;
    do {
        bool on = access.mask < 0 || eval_operand(v, op, access.mask, i);
        int64_t other = eval_undefined(type.dtype);
        if (access.other >= 0) other = eval_operand(v, op, access.other, i);
        if (op->code == TG_OP_swap) other = v->value[op->in[1]][i];
        where[i] = eval_element(v, op, &access, &places, at);
        out[i] = !on                         ? other
                 : memory->outside[where[i]] ? eval_undefined(type.dtype)
                                             : memory->e[where[i]];
        if (!on || memory->outside[where[i]]) where[i] = -1;
        i++;
    } while (eval_next(type.rank, type.shape, at));
    for (i = 0; i < count && op->code != TG_OP_load; i++) {
        int64_t next = v->value[op->in[1]][i];
        if (where[i] < 0) continue;
        if (op->code == TG_OP_add_update) next = eval_wrap(type.dtype, memory->e[where[i]] + next);
        memory->e[where[i]] = next;
    }
    if (op->out_count) v->value[op->out[0]] = out;
}

/* ---- control ---- */

static inline void eval_region(evaluation *v, const tg_region *region);

static inline void eval_bind(evaluation *v, const tg_value_id *to, const tg_value_id *from,
                             uint32_t count)
{
    int64_t *moved[64];
    for (uint32_t i = 0; i < count; i++) moved[i] = v->value[from[i]];
    for (uint32_t i = 0; i < count; i++) v->value[to[i]] = moved[i];
}

static inline void eval_control(evaluation *v, const tg_op *op)
{
    const tg_region *r = op->regions;
    switch (op->code) {
    case TG_OP_for: {
        int64_t upper = v->value[op->in[1]][0], step = v->value[op->in[2]][0];
        eval_bind(v, r->args + 1, op->in + 3, op->out_count);
        for (int64_t i = v->value[op->in[0]][0]; i < upper; i += step) {
            int64_t *counter = v->value[r->args[0]] = eval_take(v, 1, sizeof *counter);
            *counter = i;
            eval_region(v, r);
            eval_bind(v, r->args + 1, r->yields, op->out_count);
        }
        eval_bind(v, op->out, r->args + 1, op->out_count);
        return;
    }
    case TG_OP_while:
        eval_bind(v, r[0].args, op->in, op->out_count);
        while (eval_region(v, &r[0]), v->value[r[0].yields[0]][0]) {
            eval_bind(v, r[1].args, r[0].args, op->out_count);
            eval_region(v, &r[1]);
            eval_bind(v, r[0].args, r[1].yields, op->out_count);
        }
        eval_bind(v, op->out, r[0].args, op->out_count);
        return;
    case TG_OP_switch: {
        int64_t on = v->value[op->in[0]][0];
        if (on < 0 || on >= op->region_count) on = op->region_count - 1;
        eval_region(v, &r[on]);
        eval_bind(v, op->out, r[on].yields, op->out_count);
        return;
    }
    case TG_OP_scoped:
        for (uint32_t i = 0; i < r->arg_count; i++) {
            const tg_type *type = eval_type(v, r->args[i]);
            eval_memory *memory = eval_take(v, 1, sizeof *memory);
            *memory = (eval_memory){eval_take(v, tg_type_count(type), sizeof(int64_t)),
                                    eval_take(v, tg_type_count(type), sizeof(bool))};
            for (int64_t k = 0; k < tg_type_count(type); k++)
                memory->e[k] = eval_undefined(type->dtype);
            v->ref[r->args[i]] = (eval_ref){.memory = memory};
            tg_dense_strides(type->rank, type->shape, v->ref[r->args[i]].stride);
        }
        eval_region(v, r);
        eval_bind(v, op->out, r->yields, op->out_count);
        return;
    default: cr_assert_fail("no op %s", tg_ops[op->code].name);
    }
}

static inline void eval_pure(evaluation *v, const tg_op *op)
{
    int64_t count = tg_type_count(eval_type(v, op->out[0])),
            *out = eval_take(v, count, sizeof *out);
    switch (op->code) {
    case TG_OP_program_id: *out = v->program[tg_op_int(op, TG_ATTR_axis, 0)]; break;
    case TG_OP_constant: eval_constant(v, op, out); break;
    case TG_OP_iota: eval_iota(v, op, out); break;
    case TG_OP_reshape:
        if (count) memcpy(out, v->value[op->in[0]], (size_t)count * sizeof *out);
        break;
    case TG_OP_dynamic_update_slice: eval_update(v, op, out); break;
    case TG_OP_concatenate: eval_concatenate(v, op, out); break;
    case TG_OP_reduce_sum:
    case TG_OP_reduce_max:
    case TG_OP_reduce_min: eval_reduce(v, op, out); break;
    case TG_OP_cumsum: eval_cumsum(v, op, out); break;
    case TG_OP_dot_general: eval_dot(v, op, out); break;
    default:
        if (eval_is_lane(op->code))
            eval_lanes(v, op, out);
        else
            eval_move(v, op, out);
    }
    v->value[op->out[0]] = out;
}

static inline void eval_region(evaluation *v, const tg_region *region)
{
    for (uint32_t o = 0; o < region->op_count; o++) {
        const tg_op *op = &region->ops[o];
        unsigned traits = tg_ops[op->code].traits;
        if (op->code == TG_OP_view)
            v->ref[op->out[0]] = eval_view(v, op);
        else if (traits & (TG_TRAIT_READS | TG_TRAIT_WRITES | TG_TRAIT_ATOMIC))
            eval_access(v, op);
        else if (traits & TG_TRAIT_CONTROL)
            eval_control(v, op);
        else
            eval_pure(v, op);
    }
}

/* Runs one program; refs[p] is what param p gives it. */
static inline void eval_program(const tg_kernel *kernel, const int64_t *program,
                                const eval_ref *refs)
{
    evaluation v = {.kernel = kernel};
    v.value = eval_take(&v, kernel->value_count, sizeof *v.value);
    v.ref = eval_take(&v, kernel->value_count, sizeof *v.ref);
    for (int a = 0; a < kernel->axis_count; a++) v.program[a] = program[a];
    for (uint32_t p = 0; p < kernel->param_count; p++) v.ref[kernel->body.args[p]] = refs[p];
    eval_region(&v, &kernel->body);
    tg_arena_free(&v.arena);
}

#endif
