/* Reductions.  Contiguous rows of f32, f64 and wide ints have kernels of their own.  Everything
 * else is copied to the workspace as [n][chunk of results], so that each level of the tree is one
 * element-wise op on a long run. */
#include "interp/blocks/reduce.h"

#include <string.h>

#include "interp/blocks/chunks.h"
#include "interp/blocks/copy.h"
#include "interp/blocks/kernels.h"
#include "ir/reduction.h"

static void fill_with_nothing(tg_opcode step, tg_dtype dtype, int64_t count, size_t bytes,
                              void *out)
{
    uint64_t value;
    tg_reduction_of_nothing(step, dtype, &value);
    const tg_view repeated = {&value, 1, {count}, {0}};
    tg_copy_view(out, (int64_t[]){1}, &repeated, bytes);
}

/* dst[i] = a[i] op b[i], rounded. */
static void combine(tg_elementwise_call op, void *dst, const void *a, const void *b, int64_t count)
{
    op.compute(dst, (const void *const[]){a, b}, 0, (size_t)count, 0);
    if (op.finish) op.finish(dst, (const void *const[]){dst}, 0, (size_t)count, 0);
}

static tg_rows_fn *rows_fn_of(const tg_elementwise *lanes, tg_opcode step, tg_dtype dtype,
                              bool rounds)
{
    const enum tg_kernel_type type = tg_kernel_type_of(tg_carrier_of(dtype));
    if (type == TG_KERNEL_TYPES || rounds) return NULL;
    const tg_block_kernels *kernels = tg_block_kernels_of(lanes);
    switch (step) {
    case TG_OP_add: return kernels->sum_rows[type];
    case TG_OP_max: return kernels->max_rows[type];
    case TG_OP_min: return kernels->min_rows[type];
    default: return NULL;
    }
}

static void reduce_rows(tg_rows_fn *rows, const tg_split *split, const void *data, size_t bytes,
                        void *out, void *work)
{
    const tg_dims *kept = &split->kept;
    const int64_t most = kept->rank > 0 ? kept->shape[kept->rank - 1] : 1;
    for (tg_chunk c = {0}; tg_chunk_next(kept, most, &c);) {
        const int64_t row_stride = c.dims.rank > 0 ? c.dims.stride[c.dims.rank - 1] : 0;
        rows((char *)out + c.first * (int64_t)bytes, tg_element_at(data, c.offset, bytes),
             row_stride, c.dims.count, split->along.count, work);
    }
}

static int64_t half_power(int64_t n)
{
    int64_t half = 1;
    while (2 * half < n) half *= 2;
    return half;
}

/* Returns whether a chunk can be read in place, row by row: x[i] of all its elements is one long
 * run. */
static bool in_place(const tg_split *split, const tg_chunk *chunk)
{
    const int64_t long_enough = 64;
    if (split->along.rank != 1 || chunk->dims.count < long_enough) return false;
    tg_dims dims = chunk->dims;
    tg_dims_join(&dims);
    return dims.rank == 1 && dims.stride[0] == 1;
}

/* The first level of the tree, from rows of the source, `stride` apart, to dense rows of `work`. */
static void first_level(tg_elementwise_call op, const void *from, int64_t stride, int64_t n,
                        int64_t count, size_t bytes, void *work)
{
    const int64_t half = half_power(n), row_bytes = count * (int64_t)bytes;
    const bool dense = stride == count;
    const int64_t steps = dense ? 1 : n - half, length = dense ? (n - half) * count : count;
    for (int64_t i = 0; i < steps; i++)
        combine(op, (char *)work + i * row_bytes, tg_element_at(from, i * stride, bytes),
                tg_element_at(from, (i + half) * stride, bytes), length);
    for (int64_t i = n - half; i < half; i++)
        memcpy((char *)work + i * row_bytes, tg_element_at(from, i * stride, bytes),
               (size_t)row_bytes);
}

/* Computes the results of one chunk in the first row of `work`. */
static void reduce_chunk(tg_elementwise_call op, const tg_split *split, const tg_chunk *chunk,
                         const void *data, size_t bytes, void *work)
{
    const int64_t count = chunk->dims.count, row_bytes = count * (int64_t)bytes;
    const void *from = tg_element_at(data, chunk->offset, bytes);
    int64_t n = split->along.count;
    if (n > 1 && in_place(split, chunk)) {
        first_level(op, from, split->along.stride[0], n, count, bytes, work);
        n = half_power(n);
    } else {
        const tg_view view = tg_dims_view(from, &split->along, &chunk->dims);
        int64_t dense[TG_MAX_RANK];
        tg_dense_strides(view.rank, view.shape, dense);
        tg_copy_view(work, dense, &view, bytes);
    }
    while (n > 1) {
        const int64_t half = half_power(n);
        combine(op, work, work, (char *)work + half * row_bytes, (n - half) * count);
        n = half;
    }
}

size_t tg_reduce_workspace(const tg_view *in, unsigned axes, tg_dtype dtype)
{
    const tg_split split = tg_split_view(in, axes);
    return (size_t)(split.along.count * tg_chunk_size(&split)) *
           tg_carrier_bytes[tg_carrier_of(dtype)];
}

/* Rows at equal distances, each contiguous: the usual case. */
typedef struct plain_rows {
    int64_t rows, row_stride, n;
} plain_rows;

/* Returns whether the view is such rows, with the last dimensions reduced; this is a cheap test. */
static bool is_plain_rows(const tg_view *in, unsigned axes, plain_rows *it)
{
    int d = in->rank - 1;
    *it = (plain_rows){.rows = 1, .n = 1};
    for (; d >= 0 && axes >> d & 1; d--) {
        if (in->shape[d] != 1 && in->stride[d] != it->n) return false;
        it->n *= in->shape[d];
    }
    for (; d >= 0; d--) {
        if (in->shape[d] == 1) continue;
        if (axes >> d & 1 || it->rows != 1) return false;
        it->rows = in->shape[d];
        it->row_stride = in->stride[d];
    }
    return it->rows > 0 && it->n > 0;
}

void tg_reduce(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype, const tg_view *in,
               unsigned axes, void *out, void *workspace)
{
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(dtype)];
    const tg_opcode step = tg_reduction_step(op);
    const tg_elementwise_call lane_op = tg_elementwise_op(lanes, step, dtype, dtype);
    const bool orders = step == TG_OP_max || step == TG_OP_min; /* these never round */
    tg_rows_fn *rows = rows_fn_of(lanes, step, dtype, lane_op.finish != NULL && !orders);
    plain_rows plain;
    if (rows && is_plain_rows(in, axes, &plain)) {
        rows(out, in->data, plain.row_stride, plain.rows, plain.n, workspace);
        return;
    }
    tg_split split = tg_split_view(in, axes);
    const int64_t most = tg_chunk_size(&split);
    if (split.kept.count == 0) return;
    if (split.along.count == 0) {
        fill_with_nothing(step, dtype, split.kept.count, bytes, out);
        return;
    }
    tg_dims_join(&split.kept);
    tg_dims_join(&split.along);
    if (rows && split.along.rank == 1 && split.along.stride[0] == 1) {
        reduce_rows(rows, &split, in->data, bytes, out, workspace);
        return;
    }
    for (tg_chunk c = {0}; tg_chunk_next(&split.kept, most, &c);) {
        reduce_chunk(lane_op, &split, &c, in->data, bytes, workspace);
        memcpy((char *)out + c.first * (int64_t)bytes, workspace, (size_t)c.dims.count * bytes);
    }
}
