/* Sorting and scattering against definitions written out element by element. */
#include <criterion/criterion.h>

#include "tests/sampled.h"
#include "tests/test_blocks.h"

/* ---- sort ---- */

/* The bits of an element as a number whose order is that of IEEE's totalOrder, or of the ints. */
static bool comes_before(tg_dtype dtype, const void *a, const void *b, bool total)
{
    switch (tg_carrier_of(dtype)) {
    case TG_C_f32:
    case TG_C_f64: {
        const bool wide = tg_carrier_of(dtype) == TG_C_f64;
        const double x = wide ? *(const double *)a : (double)*(const float *)a;
        const double y = wide ? *(const double *)b : (double)*(const float *)b;
        if (!total) return isnan(y) ? !isnan(x) : x < y;
        if (isnan(x) || isnan(y)) {
            const int p = isnan(x) ? (signbit(x) ? -1 : 1) : 0;
            const int q = isnan(y) ? (signbit(y) ? -1 : 1) : 0;
            return p < q;
        }
        return x < y || (x == y && signbit(x) && !signbit(y));
    }
    case TG_C_b8:
    case TG_C_u8: return *(const uint8_t *)a < *(const uint8_t *)b;
    case TG_C_u16: return *(const uint16_t *)a < *(const uint16_t *)b;
    case TG_C_u32: return *(const uint32_t *)a < *(const uint32_t *)b;
    case TG_C_u64: return *(const uint64_t *)a < *(const uint64_t *)b;
    case TG_C_i8: return *(const int8_t *)a < *(const int8_t *)b;
    case TG_C_i16: return *(const int16_t *)a < *(const int16_t *)b;
    case TG_C_i32: return *(const int32_t *)a < *(const int32_t *)b;
    default: return *(const int64_t *)a < *(const int64_t *)b;
    }
}

typedef struct sorting {
    int count, keys, axis;
    bool descending, total;
    tg_dtype dtype[3];
    tg_view in[3];
} sorting;

/* Element i of the row through `at`, whose index along the axis does not count. */
static const void *element(const sorting *s, int operand, const int64_t *at, int64_t i)
{
    const tg_view *view = &s->in[operand];
    int64_t offset = 0;
    for (int d = 0; d < view->rank; d++) offset += (d == s->axis ? i : at[d]) * view->stride[d];
    return (const char *)view->data + offset * (int64_t)element_bytes(s->dtype[operand]);
}

/* Whether element i of a row stands before element j. */
static bool stands_before(const sorting *s, const int64_t *at, int64_t i, int64_t j)
{
    for (int k = 0; k < s->keys; k++) {
        const void *a = element(s, k, at, i), *b = element(s, k, at, j);
        if (comes_before(s->dtype[k], a, b, s->total)) return !s->descending;
        if (comes_before(s->dtype[k], b, a, s->total)) return s->descending;
    }
    return i < j;
}

/* The place of each element is the number of those that stand before it. */
static void check_row(const sorting *s, const int64_t *at, char *const *out)
{
    const tg_view *first = &s->in[0];
    const int64_t n = first->shape[s->axis];
    for (int64_t i = 0; i < n; i++) {
        int64_t place = 0, to = 0;
        for (int64_t j = 0; j < n; j++) place += stands_before(s, at, j, i);
        for (int d = 0; d < first->rank; d++)
            to = to * first->shape[d] + (d == s->axis ? place : at[d]);
        for (int o = 0; o < s->count; o++) {
            const size_t bytes = element_bytes(s->dtype[o]);
            cr_assert_arr_eq(out[o] + (size_t)to * bytes, element(s, o, at, i), bytes,
                             "operand %d of %d, %d keys, element %ld of %ld", o, s->count, s->keys,
                             (long)i, (long)n);
        }
    }
}

static void check_sort(int rank, const int64_t *shape, int axis)
{
    sorting s = {.count = 1 + (int)random_below(3), .axis = axis};
    void *memory[3];
    char *out[3];
    int64_t count = 1, at[TG_MAX_RANK] = {0};
    s.keys = 1 + (int)random_below(s.count);
    s.descending = random_bits() & 1;
    s.total = random_bits() & 1;
    for (int d = 0; d < rank; d++) count *= shape[d];
    for (int o = 0; o < s.count; o++) {
        s.dtype[o] = (tg_dtype)random_below(TG_DT_COUNT);
        if (o == 0 && s.keys > 1) s.dtype[o] = TG_DT_bool; /* so that the next one matters */
        s.in[o] = random_view(s.dtype[o], rank, shape, &memory[o]);
        out[o] = guarded((size_t)count * element_bytes(s.dtype[o]));
    }
    const size_t bytes = tg_sort_workspace(&s.in[0], axis);
    char *work = guarded(bytes);
    tg_sort_start(&s.in[0], axis, work);
    for (int k = s.keys - 1; k >= 0; k--)
        tg_sort_by(&s.in[k], s.dtype[k], axis, s.descending, s.total, work);
    for (int o = 0; o < s.count; o++)
        tg_sort_apply(&s.in[o], element_bytes(s.dtype[o]), axis, out[o], work);
    cr_assert(guards_intact(work, bytes));
    int d = 0;
    for (bool more = count > 0; more; more = d >= 0) {
        check_row(&s, at, out);
        for (d = rank - 1; d >= 0; d--) {
            if (d != axis && ++at[d] < shape[d]) break;
            at[d] = 0;
        }
    }
    for (int o = 0; o < s.count; o++) {
        cr_assert(guards_intact(out[o], (size_t)count * element_bytes(s.dtype[o])));
        guarded_free(out[o]);
        free(memory[o]);
    }
    guarded_free(work);
}

Test(blocks_sort, random_rows)
{
    for (int i = 0; i < sampled(3000, 600); i++) {
        const int rank = 1 + (int)random_below(3);
        int64_t shape[3];
        for (int d = 0; d < rank; d++) shape[d] = random_below(rank == 1 ? 200 : 12);
        check_sort(rank, shape, (int)random_below(rank));
    }
}

Test(blocks_sort, long_rows)
{
    for (int i = 0; i < sampled(12, 3); i++)
        check_sort(1, (int64_t[]){500 + random_below(sampled(3000, 700))}, 0);
}

/* More rows than one chunk holds, along either axis. */
Test(blocks_sort, many_rows)
{
    for (int i = 0; i < sampled(4, 2); i++)
        check_sort(2, (int64_t[]){1500 + i, sampled(60, 12) - i}, i % 2 ? 0 : 1);
}

/* ---- scatter ---- */

static const tg_opcode combiners[] = {TG_OP_COUNT, TG_OP_add, TG_OP_sub,
                                      TG_OP_mul,   TG_OP_min, TG_OP_max};

/* element = op(element, update) by the functions for lanes, one at a time. */
static void combine_one(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype, char *element,
                        const char *update)
{
    if (op == TG_OP_COUNT) {
        memcpy(element, update, element_bytes(dtype));
        return;
    }
    const tg_elementwise_call lane = tg_elementwise_op(lanes, op, dtype, dtype);
    lane.compute(element, (const void *const[]){element, update}, 0, 1, 0);
    if (lane.finish) lane.finish(element, (const void *const[]){element}, 0, 1, 0);
}

/* XLA's scatter of one element of the updates, given by its index; offset of its element in the target, or -1. */
static int64_t target_of(const tg_gather_shape *g, const tg_view *target, const tg_view *indices,
                         const tg_view *updates, const int64_t *index, bool clamps)
{
    int64_t batch[TG_MAX_RANK + 1] = {0}, in_slice[TG_MAX_RANK], offset = 0;
    int batches = 0, slices = 0, s = 0;
    for (int d = 0; d < updates->rank; d++)
        if (g->offset_dims >> d & 1)
            in_slice[slices++] = index[d];
        else
            batch[batches++] = index[d];
    for (int d = 0; d < target->rank; d++) {
        int64_t at = 0;
        bool left_out = g->collapsed_dims >> d & 1;
        for (int c = 0; c < g->index_size; c++) {
            if (g->start_index_map[c] != d) continue;
            batch[batches] = c;
            int64_t from = 0;
            for (int k = 0; k <= batches; k++) from += batch[k] * indices->stride[k];
            const int64_t start = ((const int32_t *)indices->data)[from];
            const int64_t last = target->shape[d] - g->slice_sizes[d];
            if (!clamps && (start < 0 || start > last)) return -1;
            at = start < 0 ? 0 : start > last ? last : start;
        }
        for (int b = 0; b < g->batch_count; b++)
            if (g->operand_batch[b] == d) {
                at = batch[g->indices_batch[b]];
                left_out = true;
            }
        if (!left_out) at += in_slice[s++];
        offset += at * target->stride[d];
    }
    return offset;
}

/* Walks updates starts first, then inside slices, as the order of overlapping slices demands. */
static void scatter_plainly(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype,
                            const tg_gather_shape *g, const tg_view *indices,
                            const tg_view *updates, bool clamps, const tg_view *target)
{
    const size_t bytes = element_bytes(dtype);
    int64_t starts = 1, inside = 1;
    for (int d = 0; d < updates->rank; d++)
        *(g->offset_dims >> d & 1 ? &inside : &starts) *= updates->shape[d];
    for (int64_t i = 0; i < starts * inside; i++) {
        int64_t index[TG_MAX_RANK], in_starts = i / inside, in_slice = i % inside, from = 0;
        for (int d = updates->rank - 1; d >= 0; d--) {
            int64_t *left = g->offset_dims >> d & 1 ? &in_slice : &in_starts;
            index[d] = *left % updates->shape[d];
            *left /= updates->shape[d];
            from += index[d] * updates->stride[d];
        }
        const int64_t to = target_of(g, target, indices, updates, index, clamps);
        if (to >= 0)
            combine_one(lanes, op, dtype, (char *)(uintptr_t)target->data + (size_t)to * bytes,
                        (const char *)updates->data + from * (int64_t)bytes);
    }
}

/* A random legal scatter. */
static void check_scatter(const tg_elementwise *lanes, tg_dtype dtype, tg_opcode op, bool clamps)
{
    tg_gather_shape g = {0};
    const int rank = 1 + (int)random_below(3), own_batches = (int)random_below(3);
    int64_t target_shape[TG_MAX_RANK], index_shape[TG_MAX_RANK], slices[TG_MAX_RANK];
    int slice_rank = 0, batch_rank = 0;
    for (int d = 0; d < own_batches; d++) index_shape[batch_rank++] = random_below(5);
    for (int d = 0; d < rank; d++) {
        target_shape[d] = 1 + random_below(7);
        g.slice_sizes[d] = 1;
        const int64_t kind = random_below(4);
        if (kind == 0) {
            g.operand_batch[g.batch_count] = (int8_t)d;
            g.indices_batch[g.batch_count++] = (int8_t)batch_rank;
            index_shape[batch_rank++] = target_shape[d];
            continue;
        }
        if (kind == 1)
            g.collapsed_dims |= 1u << d;
        else
            slices[slice_rank++] = g.slice_sizes[d] = 1 + random_below(target_shape[d]);
        if (random_bits() % 4) g.start_index_map[g.index_size++] = (int8_t)d;
    }
    index_shape[batch_rank] = g.index_size;
    int64_t updates_shape[TG_MAX_RANK];
    for (int d = 0, s = 0, b = 0; d < slice_rank + batch_rank; d++) {
        const bool offset = b == batch_rank || (s < slice_rank && random_bits() & 1);
        if (offset) g.offset_dims |= 1u << d;
        updates_shape[d] = offset ? slices[s++] : index_shape[b++];
    }
    void *updates_memory, *index_memory;
    const size_t bytes = element_bytes(dtype);
    const tg_view updates =
        random_view(dtype, slice_rank + batch_rank, updates_shape, &updates_memory);
    const tg_view indices = random_view(TG_DT_i32, batch_rank + 1, index_shape, &index_memory);
    for (int64_t i = 0; i < view_count(&indices); i++)
        *(int32_t *)(uintptr_t)view_at(&indices, i, 4) = (int32_t)random_below(12) - 3;
    tg_view target = {.rank = rank};
    memcpy(target.shape, target_shape, (size_t)rank * sizeof *target_shape);
    tg_dense_strides(rank, target.shape, target.stride);
    const int64_t count = view_count(&target);
    char *out = guarded((size_t)count * bytes), *expected = guarded((size_t)count * bytes);
    random_elements(out, dtype, count);
    memcpy(expected, out, (size_t)count * bytes);
    target.data = expected;
    scatter_plainly(lanes, op, dtype, &g, &indices, &updates, clamps, &target);
    target.data = out;
    tg_scatter(lanes, op, dtype, &g, &indices, &updates, clamps, &target);
    cr_assert_eq(first_difference(dtype, out, expected, count), -1, "%s", tg_dtypes[dtype].name);
    cr_assert(guards_intact(out, (size_t)count * bytes));
    guarded_free(out);
    guarded_free(expected);
    free(updates_memory);
    free(index_memory);
}

Test(blocks_sort, random_scatters)
{
    static const tg_dtype dtypes[] = {TG_DT_i8,  TG_DT_u16,    TG_DT_f32, TG_DT_f64, TG_DT_bf16,
                                      TG_DT_i64, TG_DT_f8e5m2, TG_DT_i4,  TG_DT_u32};
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const tg_elementwise *lanes = tg_elementwise_get(isa_names[isa]);
        for (int i = 0; lanes && i < 4000; i++)
            check_scatter(lanes, dtypes[i % 9], combiners[i % 6], random_bits() & 1);
    }
}
