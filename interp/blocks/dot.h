/* Matrix products.  Common to all work on blocks: interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_DOT_H
#define TG_INTERP_BLOCKS_DOT_H

#include "interp/elementwise/elementwise.h"

/* out[b,m,n] = sum over k ascending of lhs[b,m,k] * rhs[b,k,n] as one chain of fused multiply-adds
 * that starts at +0, in `acc` (f32, f64, i32, u32, i64 or u64; ints wrap).  Both operands are in
 * the carrier of `acc`.  `out` is dense row-major [b,m,n].  Strides in elements; any may be 0. */
typedef struct tg_dot_shape {
    int64_t b, m, n, k;
    int64_t lhs_b, lhs_m, lhs_k; /* strides */
    int64_t rhs_b, rhs_k, rhs_n;
    /* The sides as tg_dot_pack packed them, or NULL; and the right-hand side that the next product
     * will probably have. */
    const char *lhs_panels, *rhs_panels, *next_rhs_panels;
} tg_dot_shape;
size_t tg_dot_workspace(const tg_dot_shape *shape, tg_dtype acc);
void tg_dot(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *shape, const void *lhs,
            const void *rhs, void *out, void *workspace);

/* out[m,n] = result of tg_dot + addend[m,n], with one more rounding; only for b = 1, n > 1, k > 0.
 * Rows are `out_row` and `addend_row` elements apart; their elements are dense.  `out` must not
 * overlap anything that is read, but may be the addend itself if k <= TG_DOT_IN_PLACE.  Without an
 * addend, `out` is the result of tg_dot. */
typedef struct tg_dot_sum {
    const void *addend; /* NULL: none */
    int64_t addend_row, out_row;
} tg_dot_sum;
void tg_dot_add(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *shape,
                const void *lhs, const void *rhs, const tg_dot_sum *sum, void *out,
                void *workspace);

/* A side that many products share is packed once: tg_dot_pack writes it to `panels`, which is
 * aligned to 64 bytes, in the order in which products of that shape on `lanes` read it.
 * tg_dot_panels_bytes returns the size of the panels in bytes, a multiple of 64, or 0 if packing
 * would not pay, or the side does not fit into one block of panels. */
typedef enum tg_dot_side { TG_DOT_LHS, TG_DOT_RHS } tg_dot_side;
size_t tg_dot_panels_bytes(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *shape,
                           tg_dot_side side);
void tg_dot_pack(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *shape,
                 tg_dot_side side, const void *from, void *panels);

#endif
