/* Cumulative sums, products, maxima and minima: one element-wise op for each step along the axis.
 * If too few results lie side by side, chunks of the view are transposed to the workspace as
 * [n][chunk], and back. */
#include "interp/blocks/scan.h"

#include "interp/blocks/chunks.h"
#include "interp/blocks/copy.h"
#include "ir/reduction.h"

enum { LONG_RUN = 64 }; /* elements that make a call for one run worthwhile */

/* Scans `n` dense rows of `count` elements in place. */
static void scan_rows(tg_elementwise_call op, char *rows, int64_t n, int64_t count, size_t bytes,
                      bool reverse)
{
    const int64_t step = (reverse ? -1 : 1) * count * (int64_t)bytes;
    char *row = reverse ? rows - (n - 1) * step : rows;
    for (int64_t i = 1; i < n; i++, row += step) {
        char *next = row + step;
        op.compute(next, (const void *const[]){row, next}, 0, (size_t)count, 0);
        if (op.finish) op.finish(next, (const void *const[]){next}, 0, (size_t)count, 0);
    }
}

static tg_view dense_view(const tg_view *shape, void *data)
{
    tg_view view = *shape;
    view.data = data;
    tg_dense_strides(view.rank, view.shape, view.stride);
    return view;
}

/* Scans by way of the workspace, chunk by chunk. */
static void scan_turned(tg_elementwise_call op, const tg_view *in, int axis, size_t bytes,
                        bool reverse, void *out, void *work)
{
    const tg_view result = dense_view(in, out);
    const tg_split from = tg_split_view(in, 1u << axis), to = tg_split_view(&result, 1u << axis);
    const int64_t most = tg_chunk_size(&from);
    tg_chunk source = {0}, target = {0};
    while (tg_chunk_next(&from.kept, most, &source) && tg_chunk_next(&to.kept, most, &target)) {
        const tg_view columns =
            tg_dims_view(tg_element_at(in->data, source.offset, bytes), &from.along, &source.dims);
        const tg_view turned = dense_view(&columns, work);
        const tg_view back = tg_dims_view(NULL, &to.along, &target.dims);
        tg_copy_view(work, turned.stride, &columns, bytes);
        scan_rows(op, work, from.along.count, source.dims.count, bytes, reverse);
        tg_copy_view((char *)out + target.offset * (int64_t)bytes, back.stride, &turned, bytes);
    }
}

size_t tg_scan_workspace(const tg_view *in, int axis, tg_dtype dtype)
{
    const tg_split split = tg_split_view(in, 1u << axis);
    return (size_t)(split.along.count * tg_chunk_size(&split)) *
           tg_carrier_bytes[tg_carrier_of(dtype)];
}

void tg_scan(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype, const tg_view *in, int axis,
             bool reverse, void *out, void *workspace)
{
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(dtype)];
    const tg_elementwise_call lane_op =
        tg_elementwise_op(lanes, tg_reduction_step(op), dtype, dtype);
    const tg_view result = dense_view(in, out);
    const int64_t n = in->shape[axis], inner = result.stride[axis];
    int64_t outer = 1;
    for (int d = 0; d < axis; d++) outer *= in->shape[d];
    if (n * inner * outer == 0) return;
    if (inner < LONG_RUN && n > 1) {
        scan_turned(lane_op, in, axis, bytes, reverse, out, workspace);
        return;
    }
    tg_copy_view(out, result.stride, in, bytes);
    for (int64_t i = 0; i < outer; i++)
        scan_rows(lane_op, (char *)out + i * n * inner * (int64_t)bytes, n, inner, bytes, reverse);
}
