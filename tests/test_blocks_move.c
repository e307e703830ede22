/* Copies and gathers against element-by-element loops. */
#include <criterion/criterion.h>

#include "tests/test_blocks.h"

static const tg_dtype by_size[] = {TG_DT_u8, TG_DT_u16, TG_DT_u32, TG_DT_u64};

/* Copies a random view to a destination whose dimensions lie in random order, perhaps with gaps. */
static void check_copy(tg_dtype dtype, int rank, const int64_t *shape)
{
    const size_t bytes = element_bytes(dtype);
    void *memory;
    const tg_view src = random_view(dtype, rank, shape, &memory);
    tg_view dst = src;
    int64_t size = random_bits() % 4 == 0 ? 2 : 1;
    const bool turned = random_bits() & 1;
    for (int i = 0; i < rank; i++) {
        const int d = turned ? i : rank - 1 - i;
        dst.stride[d] = size;
        size *= shape[d];
    }
    char *out = guarded((size_t)size * bytes), *expected = guarded((size_t)size * bytes);
    dst.data = expected;
    for (int64_t i = 0; i < view_count(&src); i++)
        memcpy((char *)(uintptr_t)view_at(&dst, i, bytes), view_at(&src, i, bytes), bytes);
    tg_copy_view(out, dst.stride, &src, bytes);
    cr_expect_arr_eq(out - GUARD, expected - GUARD, (size_t)size * bytes + 2 * GUARD,
                     "%zu bytes, rank %d, shape %ld,%ld,%ld from %ld,%ld,%ld to %ld,%ld,%ld", bytes,
                     rank, (long)shape[0], (long)shape[1], (long)shape[2], (long)src.stride[0],
                     (long)src.stride[1], (long)src.stride[2], (long)dst.stride[0],
                     (long)dst.stride[1], (long)dst.stride[2]);
    guarded_free(out);
    guarded_free(expected);
    free(memory);
}

Test(blocks_move, copies_of_random_views)
{
    for (int i = 0; i < 6000; i++) {
        const int rank = (int)random_below(6);
        int64_t shape[6] = {1, 1, 1, 1, 1, 1};
        for (int d = 0; d < rank; d++) shape[d] = random_below(rank > 3 ? 6 : 20);
        check_copy(by_size[i % 4], rank, shape);
    }
}

Test(blocks_move, copies_of_large_views)
{
    for (int i = 0; i < 200; i++)
        check_copy(by_size[i % 4], 2, (int64_t[]){1 + random_below(200), 1 + random_below(200), 0});
}

/* The definition of XLA's gather for one element of the result. */
static const char *gathered(const tg_gather_shape *g, const tg_view *operand,
                            const tg_view *indices, const tg_type *result, int64_t element,
                            size_t bytes, const char *fill)
{
    int64_t index[TG_MAX_RANK], batch[TG_MAX_RANK + 1] = {0}, at[TG_MAX_RANK] = {0},
                                                    in_slice[TG_MAX_RANK];
    for (int d = result->rank - 1; d >= 0; d--) {
        index[d] = element % result->shape[d];
        element /= result->shape[d];
    }
    int batches = 0, slices = 0;
    for (int d = 0; d < result->rank; d++)
        if (g->offset_dims >> d & 1)
            in_slice[slices++] = index[d];
        else
            batch[batches++] = index[d];
    for (int c = 0; c < g->index_size; c++) {
        batch[batches] = c;
        int64_t offset = 0;
        for (int d = 0; d <= batches; d++) offset += batch[d] * indices->stride[d];
        const int d = g->start_index_map[c];
        const int64_t start = ((const int32_t *)indices->data)[offset];
        const int64_t last = operand->shape[d] - g->slice_sizes[d];
        if (fill != NULL && (start < 0 || start > last)) return fill;
        at[d] = start < 0 ? 0 : start > last ? last : start;
    }
    int s = 0;
    for (int d = 0; d < operand->rank; d++) {
        bool left_out = g->collapsed_dims >> d & 1;
        for (int b = 0; b < g->batch_count; b++)
            if (g->operand_batch[b] == d) {
                at[d] = batch[g->indices_batch[b]];
                left_out = true;
            }
        if (!left_out) at[d] += in_slice[s++];
    }
    int64_t offset = 0;
    for (int d = 0; d < operand->rank; d++) offset += at[d] * operand->stride[d];
    return (const char *)operand->data + offset * (int64_t)bytes;
}

/* A random legal gather: operand dimensions are batch, collapsed or sliced; the result mixes both sorts. */
static void check_gather(tg_dtype dtype, bool clamps)
{
    tg_gather_shape g = {0};
    const int rank = 1 + (int)random_below(3), own_batches = (int)random_below(3);
    int64_t operand_shape[TG_MAX_RANK], index_shape[TG_MAX_RANK], slices[TG_MAX_RANK];
    int slice_rank = 0, batch_rank = 0;
    for (int d = 0; d < own_batches; d++) index_shape[batch_rank++] = random_below(5);
    for (int d = 0; d < rank; d++) {
        operand_shape[d] = 1 + random_below(7);
        g.slice_sizes[d] = 1;
        const int64_t kind = random_below(4);
        if (kind == 0) {
            g.operand_batch[g.batch_count] = (int8_t)d;
            g.indices_batch[g.batch_count++] = (int8_t)batch_rank;
            index_shape[batch_rank++] = operand_shape[d];
            continue;
        }
        if (kind == 1)
            g.collapsed_dims |= 1u << d;
        else
            slices[slice_rank++] = g.slice_sizes[d] = 1 + random_below(operand_shape[d]);
        if (random_bits() % 4) g.start_index_map[g.index_size++] = (int8_t)d;
    }
    index_shape[batch_rank] = g.index_size;
    tg_type result = {.dtype = dtype, .rank = slice_rank + batch_rank};
    for (int d = 0, s = 0, b = 0; d < result.rank; d++) {
        const bool offset = b == batch_rank || (s < slice_rank && random_bits() & 1);
        if (offset) g.offset_dims |= 1u << d;
        result.shape[d] = offset ? slices[s++] : index_shape[b++];
    }
    void *operand_memory, *index_memory;
    const size_t bytes = element_bytes(dtype);
    const tg_view operand = random_view(dtype, rank, operand_shape, &operand_memory);
    const tg_view indices = random_view(TG_DT_i32, batch_rank + 1, index_shape, &index_memory);
    for (int64_t i = 0; i < view_count(&indices); i++)
        *(int32_t *)(uintptr_t)view_at(&indices, i, 4) = (int32_t)random_below(12) - 3;
    const int64_t count = tg_type_count(&result);
    char *out = guarded((size_t)count * bytes);
    const uint64_t fill = 0x1122334455667788;
    tg_gather(&g, &operand, &indices, &result, bytes, clamps ? NULL : &fill, out);
    for (int64_t i = 0; i < count; i++) {
        const char *want = gathered(&g, &operand, &indices, &result, i, bytes,
                                    clamps ? NULL : (const char *)&fill);
        cr_assert_arr_eq(out + (size_t)i * bytes, want, bytes, "element %ld", (long)i);
    }
    cr_expect(guards_intact(out, (size_t)count * bytes));
    guarded_free(out);
    free(operand_memory);
    free(index_memory);
}

Test(blocks_move, random_gathers)
{
    for (int i = 0; i < 4000; i++) check_gather(by_size[i % 4], i / 4 % 2);
}
