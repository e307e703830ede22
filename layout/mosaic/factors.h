/* A layout in the registers of a warpgroup, taken apart: for each dimension of the array, the digits of
 * its index, and what each of them counts. */
#ifndef TG_LAYOUT_MOSAIC_FACTORS_H
#define TG_LAYOUT_MOSAIC_FACTORS_H

#include "layout/axe.h"
#include "layout/shape.h"

typedef struct tg_factor {
    tg_iter iter; /* its axis is wid_in_wg, lane or reg; its extent is at least 2 */
    int dim;      /* of the array */
} tg_factor;

typedef struct tg_factors {
    int count;
    tg_factor list[2 * TG_AXE_MAX_ITERS]; /* by dimension, then from major to minor */
    tg_iters copies;                      /* canonical R: iters on wid_in_wg and lane */
    tg_shape shape;
    int64_t values; /* that a thread holds */
} tg_factors;

/* Rewrites axis tid_in_wg as wid_in_wg and lane, and the whole as canonical.  TG_ERR_UNSUPPORTED for an
 * iter across warps that is no multiple of lanes, a swizzle, an offset, or an axis that is not of
 * registers of a warpgroup. */
tg_status tg_warpgroup_axe(const tg_axe *axe, tg_axe *out, tg_diags *diags);

/* TG_ERR_INVALID if shape and layout have different sizes; TG_ERR_UNSUPPORTED if tg_warpgroup_axe
 * refuses, if warps, lanes or values are not each used once, or if an iter crosses dimensions. */
tg_status tg_factors_of(const tg_axe *axe, const tg_shape *shape, tg_factors *out, tg_diags *diags);

#endif
