/* Linear layouts: maps of bits that are linear over GF(2), between named dimensions.
 *
 *     L(a ^ b) = L(a) ^ L(b)
 *
 * A dimension of 2^n indices has n bits.  For each bit of an in dimension the layout has a *basis*: the
 * indices of the out dimensions where that bit alone leads.  The image of an index is the xor of the
 * bases of its bits.  Triton describes with them who holds which element (register, lane, warp, block ->
 * dim0, dim1, ..) and where it is (offset, block -> dim0, ..).  (Zhou et al., Linear Layouts: Robust Code
 * Generation of Efficient Tensor Computation Using F2, arXiv 2505.23819.)
 *
 * Bits are numbered through: the low bit of the first dimension is bit 0. */
#ifndef TG_LAYOUT_LINEAR_LINEAR_H
#define TG_LAYOUT_LINEAR_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum {
    TG_LINEAR_MAX_DIMS = 16,
    TG_LINEAR_MAX_BITS = 62, /* of all in dimensions, and of all out dimensions */
    TG_LINEAR_NAME_SIZE = 24 /* with the NUL */
};

typedef struct tg_linear_dim {
    char name[TG_LINEAR_NAME_SIZE];
    int bits; /* it has 2^bits indices */
} tg_linear_dim;

/* No two have the same name. */
typedef struct tg_linear_dims {
    int count;
    tg_linear_dim list[TG_LINEAR_MAX_DIMS];
} tg_linear_dims;

/* Zero-initialise, or tg_linear_begin: the empty layout, without dimensions.  columns[i] has the bits of
 * all out dimensions where in bit i leads; no bit above the last one is set. */
typedef struct tg_linear {
    tg_linear_dims in, out;
    uint64_t columns[TG_LINEAR_MAX_BITS];
} tg_linear;

void tg_linear_begin(tg_linear *linear);

/* ---- dimensions ---- */

/* Adds a dimension at the end.  TG_ERR_INVALID if the name is empty, too long, or there already;
 * TG_ERR_UNSUPPORTED for more dimensions or more bits than fit. */
tg_status tg_linear_add_dim(tg_linear_dims *dims, const char *name, int bits, tg_diags *diags);

/* The dimension of that name, or -1. */
int tg_linear_find_dim(const tg_linear_dims *dims, const char *name);

/* As tg_linear_find_dim, but TG_ERR_INVALID with the names that there are. */
tg_status tg_linear_need_dim(const tg_linear_dims *dims, const char *name, int *dim,
                             tg_diags *diags);

/* Bits of all dimensions; the first bit of one. */
int tg_linear_bit_count(const tg_linear_dims *dims);
int tg_linear_first_bit(const tg_linear_dims *dims, int dim);

/* Same names and sizes in the same order; same names in any order. */
bool tg_linear_dims_same(const tg_linear_dims *a, const tg_linear_dims *b);
bool tg_linear_dims_same_names(const tg_linear_dims *a, const tg_linear_dims *b);

/* The number of bits of a size.  TG_ERR_INVALID if it is no power of two. */
tg_status tg_linear_size_bits(int64_t size, int *bits, tg_diags *diags);

/* ---- bases ---- */

/* Where bit `bit` of in dimension `in` leads in out dimension `out`. */
int64_t tg_linear_basis(const tg_linear *linear, int in, int bit, int out);

/* Sets it; `value` has at most the bits of the out dimension. */
void tg_linear_set_basis(tg_linear *linear, int in, int bit, int out, int64_t value);

/* The bits of out dimension `out` of a column, and the column that has `value` there. */
int64_t tg_linear_part(const tg_linear_dims *out, uint64_t column, int dim);
uint64_t tg_linear_column(const tg_linear_dims *out, int dim, int64_t value);

/* Same dimensions in the same order, same sizes, same bases. */
bool tg_linear_same(const tg_linear *a, const tg_linear *b);

/* The same, whatever the sizes of the out dimensions. */
bool tg_linear_same_bases(const tg_linear *a, const tg_linear *b);

#endif
