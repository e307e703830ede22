/* XLA's scatter: slices of the updates are combined with those of the operand, in the order of the
 * indices. */
#include "interp/blocks/scatter.h"

#include <string.h>

#include "interp/blocks/chunks.h"
#include "interp/blocks/copy.h"
#include "interp/blocks/slices.h"

typedef struct scatter {
    tg_elementwise_call op; /* compute is NULL: the update replaces the element */
    size_t bytes;
    /* the last dimension of a slice is dense in the operand, and dense or repeated in the
     * updates */
    bool runs;
} scatter;

/* Combines `count` elements at `to` with those at `update`, which is a single one if `repeats`. */
static void combine(const scatter *c, char *to, const char *update, bool repeats, int64_t count)
{
    c->op.compute(to, (const void *const[]){to, update}, repeats ? 2 : 0, (size_t)count, 0);
    if (c->op.finish) c->op.finish(to, (const void *const[]){to}, 0, (size_t)count, 0);
}

/* Combines one slice, from its outermost dimension in. */
static void combine_slice(const scatter *c, const tg_slices *s, int d, char *to, const char *update)
{
    if (d == s->rank || (c->runs && d == s->rank - 1)) {
        const int64_t count = d == s->rank ? 1 : s->shape[d];
        combine(c, to, update, d < s->rank && s->in_list[d] == 0, count);
        return;
    }
    const int64_t size = (int64_t)c->bytes;
    for (int64_t i = 0; i < s->shape[d]; i++)
        combine_slice(c, s, d + 1, to + i * s->in_operand[d] * size,
                      update + i * s->in_list[d] * size);
}

static void set_slice(const scatter *c, const tg_slices *s, char *to, const char *update)
{
    if (s->slice_count == 1) {
        memcpy(to, update, c->bytes);
        return;
    }
    tg_view from = {.data = update, .rank = s->rank};
    memcpy(from.shape, s->shape, sizeof from.shape);
    memcpy(from.stride, s->in_list, sizeof from.stride);
    tg_copy_view(to, s->in_operand, &from, c->bytes);
}

/* A splat of one element can only be the second operand. */
static bool has_runs(const tg_slices *s)
{
    if (s->rank == 0) return false;
    const int64_t in_list = s->in_list[s->rank - 1];
    return s->in_operand[s->rank - 1] == 1 && (in_list == 1 || in_list == 0);
}

void tg_scatter(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype, const tg_gather_shape *g,
                const tg_view *indices, const tg_view *updates, bool clamps, tg_view *target)
{
    tg_slices s = tg_slices_of(g, target, indices, updates);
    if (s.slice_count == 0 || s.batch_count == 0) return;
    scatter c = {.bytes = tg_carrier_bytes[tg_carrier_of(dtype)], .runs = has_runs(&s)};
    if (op != TG_OP_COUNT) c.op = tg_elementwise_op(lanes, op, dtype, dtype);
    do {
        int64_t offset;
        if (!tg_slices_find(&s, clamps, &offset)) continue;
        char *to = (char *)(uintptr_t)target->data + offset * (int64_t)c.bytes;
        const char *update = tg_element_at(updates->data, s.list_offset, c.bytes);
        if (c.op.compute)
            combine_slice(&c, &s, 0, to, update);
        else
            set_slice(&c, &s, to, update);
    } while (tg_slices_next(&s));
}
