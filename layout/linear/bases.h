/* Bases as they are read, before the sizes of the out dimensions are known. */
#ifndef TG_LAYOUT_LINEAR_BASES_H
#define TG_LAYOUT_LINEAR_BASES_H

#include "layout/linear/linear.h"
#include "layout/scan.h"
#include "layout/shape.h"

typedef struct tg_bases {
    tg_linear_dims in;
    int count, rank;                   /* bases; numbers of each, -1 if there is no basis yet */
    tg_shape list[TG_LINEAR_MAX_BITS]; /* of each bit of the in dimensions */
    size_t at[TG_LINEAR_MAX_BITS];     /* where it is in the text */
} tg_bases;

void tg_bases_begin(tg_bases *bases);

/* Reads "{name = [[0, 1], ..], ..}".  TG_ERR_SYNTAX, TG_ERR_INVALID with the offset;
 * TG_ERR_UNSUPPORTED for more than TG_LINEAR_MAX_BITS bases. */
tg_status tg_bases_read(tg_scanner *s, tg_bases *bases);

/* Reads "[[0, 1], [0, 2]]", the bases of one more in dimension.  The same errors. */
tg_status tg_bases_read_dim(tg_scanner *s, const char *name, tg_bases *bases);

/* The bits that the bases need in out dimension `out`. */
int tg_bases_bits(const tg_bases *bases, int out);

/* Out dimensions dim0, dim1, .. of the least sizes; at least `rank` of them. */
tg_status tg_bases_standard_outs(const tg_bases *bases, int rank, tg_linear_dims *outs,
                                 tg_diags *diags);

/* The layout of bases, whose out dimensions are those of `out`.  TG_ERR_INVALID, with the offset,
 * for bases of another number of them, or that lead beyond one. */
tg_status tg_bases_to_linear(const tg_bases *bases, tg_linear *out, tg_diags *diags);

#endif
