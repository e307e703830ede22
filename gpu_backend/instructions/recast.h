/* References to the same elements in another shape or dtype.  Where strides can say where the
 * elements are, the result is a plain reference.  Where none can, its offsets number the elements
 * of the reference it was made from, row-major, and each access finds its way back from there,
 * however many such steps it takes (as interp/memory/recast.c does at run time). */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_RECAST_H
#define TG_GPU_BACKEND_INSTRUCTIONS_RECAST_H

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"
#include "plan/plan.h"

/* Where the bytes of an element of a ref without strides are: `bytes` at each of `count` addresses,
 * lowest bytes first, all there unless `is_inside` is 0. */
enum { TG_PTX_MOST_PIECES = 8 };
typedef struct tg_ptx_pieces {
    tg_ptx_reg at[TG_PTX_MOST_PIECES];
    int count, bytes;
    tg_ptx_uniform is_inside;
} tg_ptx_pieces;

/* Those of element `number` (.b64), as the strides of a ref with `through` count. */
tg_ptx_pieces tg_ptx_find_pieces(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_dtype dtype,
                                 tg_ptx_reg number);

#endif
