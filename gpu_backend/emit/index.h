/* From an element's linear index to its index per dimension, and from there to its address. */
#ifndef TG_GPU_BACKEND_EMIT_INDEX_H
#define TG_GPU_BACKEND_EMIT_INDEX_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"

/* A strided view of `rank` dimensions: extents, and strides in elements. */
typedef struct tg_ptx_strided {
    int rank;
    const int64_t *shape, *stride;
} tg_ptx_strided;

/* The index per dimension, in .b32 registers, of the element with linear index `element` (.b32),
 * row-major.  Registers of dimensions of extent 1 are not set and must not be read: that index is
 * 0. */
void tg_ptx_unravel(tg_ptx_emitter *em, tg_ptx_reg element, int rank, const int64_t *shape,
                    tg_ptx_reg *index);

/* A .b64 register with base + sum of index[d] * stride[d] * bytes over the dimensions whose extent
 * is not 1. */
tg_ptx_reg tg_ptx_address_of(tg_ptx_emitter *em, tg_ptx_reg base, const tg_ptx_strided *s,
                             const tg_ptx_reg *index, int64_t bytes);

/* The same for `count` contiguous elements. */
tg_ptx_reg tg_ptx_address_in_row(tg_ptx_emitter *em, tg_ptx_reg base, int64_t count,
                                 tg_ptx_reg element, int64_t bytes);

#endif
