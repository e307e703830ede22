/* Work on whole blocks: moving, reducing, scanning, multiplying.  Operands are strided views of elements
 * in carriers; results are dense unless a stride is given.  No function here allocates: each says how much
 * workspace it wants.  All give the same bits on every instruction set. */
#ifndef TG_INTERP_BLOCKS_BLOCKS_H
#define TG_INTERP_BLOCKS_BLOCKS_H

#include "interp/lanes/lanes.h"
#include "ir/gather.h"
#include "ir/type.h"
#include "ir/view.h"

/* Copies `src` to `dst`, whose strides (elements, none 0 where the extent exceeds 1) are given.
 * `bytes` is the element size: 1, 2, 4 or 8.  Source and destination do not overlap.
 * Tiles transposes so that both sides stay in cache. */
void tg_copy_view(void *dst, const int64_t *dst_stride, const tg_view *src, size_t bytes);

/* reduce_sum, _prod, _max, _min, _and, _or, _xor over the dimensions whose bit is set in `axes`.
 * The reduced dimensions are taken together, row-major, as one of n elements; then with P the least power
 * of two >= n, for s = P/2, P/4, ... 1: x[i] = op(x[i], x[i+s]) for i < s and i+s < n; x[0] is the result,
 * rounded to `dtype` at each step.  n = 0 gives 0 (sum, or, xor), 1 (prod), all ones (and), and for max and
 * min the least and greatest value (-inf, inf).  `out` is dense, in the order of the other dimensions. */
size_t tg_reduce_workspace(const tg_view *in, unsigned axes, tg_dtype dtype);
void tg_reduce(const tg_lanes *lanes, tg_opcode op, tg_dtype dtype, const tg_view *in,
               unsigned axes, void *out, void *workspace);

/* argmax, argmin along `axis`; `out` is dense i32 or i64 by `index` (TG_DT_i32, TG_DT_i64, u32, u64 ...). */
void tg_arg_reduce(tg_opcode op, tg_dtype dtype, const tg_view *in, int axis, tg_dtype index,
                   void *out);

/* cumsum, cumprod, cummax, cummin along `axis`, sequentially from the first (or last) element, each step
 * rounded to `dtype`; `out` is dense and has the shape of `in`. */
size_t tg_scan_workspace(const tg_view *in, int axis, tg_dtype dtype);
void tg_scan(const tg_lanes *lanes, tg_opcode op, tg_dtype dtype, const tg_view *in, int axis,
             bool reverse, void *out, void *workspace);

/* out[b,m,n] = sum over k ascending of lhs[b,m,k] * rhs[b,k,n] as one chain of fused multiply-adds that
 * starts at +0, in `acc` (f32, f64, i32, u32, i64 or u64; ints wrap).  Both operands are in the carrier of
 * `acc`.  `out` is dense row-major [b,m,n].  Strides in elements; any may be 0. */
typedef struct tg_dot_shape {
    int64_t b, m, n, k;
    int64_t lhs_b, lhs_m, lhs_k; /* strides */
    int64_t rhs_b, rhs_k, rhs_n;
    /* The sides as tg_dot_pack left them, or NULL; and a right-hand one that the next product will probably have. */
    const char *lhs_panels, *rhs_panels, *next_rhs_panels;
} tg_dot_shape;
size_t tg_dot_workspace(const tg_dot_shape *shape, tg_dtype acc);
void tg_dot(const tg_lanes *lanes, tg_dtype acc, const tg_dot_shape *shape, const void *lhs,
            const void *rhs, void *out, void *workspace);

/* out[m,n] = what tg_dot gives + addend[m,n], which is one more rounding, where b = 1, n > 1 and k > 0.  Rows
 * are `out_row` and `addend_row` elements apart, their elements dense.  `out` overlaps nothing that is read, but
 * may be the addend itself where k <= TG_DOT_IN_PLACE. */
typedef struct tg_dot_sum {
    const void *addend;
    int64_t addend_row, out_row;
} tg_dot_sum;
void tg_dot_add(const tg_lanes *lanes, tg_dtype acc, const tg_dot_shape *shape, const void *lhs,
                const void *rhs, const tg_dot_sum *sum, void *out, void *workspace);

/* A side that many products have in common is packed once: tg_dot_pack leaves it in `panels`, aligned to 64 bytes, in the
 * order in which products of that shape on `lanes` read it.  tg_dot_panels_bytes is how many bytes that takes, a multiple of
 * 64, or 0 where it would not pay, or the side does not go into panels in one piece. */
typedef enum tg_dot_side { TG_DOT_LHS, TG_DOT_RHS } tg_dot_side;
size_t tg_dot_panels_bytes(const tg_lanes *lanes, tg_dtype acc, const tg_dot_shape *shape,
                           tg_dot_side side);
void tg_dot_pack(const tg_lanes *lanes, tg_dtype acc, const tg_dot_shape *shape, tg_dot_side side,
                 const void *from, void *panels);

/* Sorts along `axis` stably, in steps that share a workspace: tg_sort_start, tg_sort_by for each key from the
 * last to the first, then tg_sort_apply for each operand; all have one shape, with less than 2^32 elements along
 * the axis.  -0 equals 0 and NaN is the greatest; with `total` floats go by sign, then magnitude, of their bits.
 * `out` is dense; it does not overlap `in`. */
size_t tg_sort_workspace(const tg_view *in, int axis);
void tg_sort_start(const tg_view *in, int axis, void *workspace);
void tg_sort_by(const tg_view *in, tg_dtype dtype, int axis, bool descending, bool total,
                void *workspace);
void tg_sort_apply(const tg_view *in, size_t bytes, int axis, void *out, void *workspace);

/* XLA's gather and scatter (ir/gather.h); `indices` is i32 (carrier). */
/* `out` is dense with the result's shape.  Outside the operand: fill = NULL clamps the start of the slice, else
 * the whole slice gives *fill. */
void tg_gather(const tg_gather_shape *g, const tg_view *operand, const tg_view *indices,
               const tg_type *result, size_t bytes, const void *fill, void *out);

/* Combines `target` (whose memory is written) with the updates in their order: element = op(element, update),
 * rounded to `dtype`, or the update itself where `op` is TG_OP_COUNT.  Outside the target: the start of the slice
 * is clamped, or else the whole slice left out. */
void tg_scatter(const tg_lanes *lanes, tg_opcode op, tg_dtype dtype, const tg_gather_shape *g,
                const tg_view *indices, const tg_view *updates, bool clamps, tg_view *target);

#endif
