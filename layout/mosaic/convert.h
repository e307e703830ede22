/* Layouts of Mosaic GPU as Axe layouts, and back.
 *
 * In registers, axis wid_in_wg has the warp, lane the lane, reg the value: the register in row-major
 * order, times the length of a vector, plus the place in the vector.  In tensor memory, TLane has the
 * lane, TCol the column, of 32 bits, and byte the place in the column of elements that share one. */
#ifndef TG_LAYOUT_MOSAIC_CONVERT_H
#define TG_LAYOUT_MOSAIC_CONVERT_H

#include "layout/axe.h"
#include "layout/mosaic/fragment.h"

/* The layout of an array of a shape, canonical; `bits` of an element count in tensor memory only.
 * TG_ERR_INVALID if the array cannot have the layout (tg_fragment_fits); TG_ERR_UNSUPPORTED for elements
 * of less than a byte that share a column. */
tg_status tg_fragment_to_axe(const tg_fragment *fragment, const tg_shape *shape, int bits,
                             tg_axe *out, tg_diags *diags);
tg_status tg_tiled_to_axe(const tg_tiled *tiled, const tg_shape *shape, tg_axe *out,
                          tg_diags *diags);

/* A tiled layout of an array of a shape that is the same map, canonical, with a first tile as small as
 * possible.  Axis tid_in_wg is read as wid_in_wg and lane.
 *
 * TG_ERR_INVALID if shape and layout have different sizes; TG_ERR_UNSUPPORTED if there is none: another
 * axis, a swizzle or an offset; threads or values that are not all used, each once; an iter across two
 * dimensions; values of a dimension, vectors apart, that are not in ascending order.  Also if there is
 * one, but with more dimensions than tg_tiling holds, which needs a shape of a high rank. */
tg_status tg_tiled_from_axe(const tg_axe *axe, const tg_shape *shape, tg_tiled *out,
                            tg_diags *diags);

/* The length of vectors of a strided layout that is the same map.  Errors as above. */
tg_status tg_strided_from_axe(const tg_axe *axe, const tg_shape *shape, int64_t *vector_length,
                              tg_diags *diags);

/* Whether all elements are one value, which every thread of the warpgroup holds. */
tg_status tg_splat_from_axe(const tg_axe *axe, const tg_shape *shape, tg_diags *diags);

/* A layout in registers that is the same map: tiled, else strided, else splat.  The reason is that of
 * the tiled one, or that of the splat where elements share a value. */
tg_status tg_fragment_from_axe(const tg_axe *axe, const tg_shape *shape, tg_fragment *out,
                               tg_diags *diags);

#endif
