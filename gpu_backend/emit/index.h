/* From an element's number to its index, and from there to its address. */
#ifndef TG_GPU_BACKEND_EMIT_INDEX_H
#define TG_GPU_BACKEND_EMIT_INDEX_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"

/* Elements by index: how many there are along each of `rank` dimensions, and how many elements of
 * memory lie from one to the next. */
typedef struct tg_ptx_strided {
    int rank;
    const int64_t *shape, *stride;
} tg_ptx_strided;

/* Index of element number `element` (.b32) in a shape, row-major: .b32 registers, one per
 * dimension; those of dimensions of extent 1 are not set and must not be looked at (their index is
 * 0). */
void tg_ptx_unravel(tg_ptx_emitter *em, tg_ptx_reg element, int rank, const int64_t *shape,
                    tg_ptx_reg *index);

/* The .b64 register base + sum of index[d] * stride[d] * bytes over the dimensions of extent other
 * than 1. */
tg_ptx_reg tg_ptx_address_of(tg_ptx_emitter *em, tg_ptx_reg base, const tg_ptx_strided *s,
                             const tg_ptx_reg *index, int64_t bytes);

/* The same of `count` elements that lie one behind the other. */
tg_ptx_reg tg_ptx_address_in_row(tg_ptx_emitter *em, tg_ptx_reg base, int64_t count,
                                 tg_ptx_reg element, int64_t bytes);

#endif
