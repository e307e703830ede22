/* References to the same elements in another shape or dtype.  Where strides can describe the
 * elements, the result is a plain reference.  Otherwise its offsets are row-major linear indices of
 * the elements of the reference that it was made from.  Each access then finds its address through
 * any number of such steps (interp/memory/recast.c does so at run time). */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_RECAST_H
#define TG_GPU_BACKEND_INSTRUCTIONS_RECAST_H

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"
#include "plan/plan.h"

/* Where the bytes of an element are, for a ref without strides: `bytes` bytes at each of `count`
 * addresses, lowest bytes first.  All are inside the array, or none if `is_inside` is 0. */
enum { TG_PTX_MOST_PIECES = 8 };
typedef struct tg_ptx_pieces {
    tg_ptx_reg at[TG_PTX_MOST_PIECES];
    int count, bytes;
    tg_ptx_uniform is_inside;
} tg_ptx_pieces;

/* The pieces of the element with linear index `number` (.b64), as the strides of a ref with
 * `through` count. */
tg_ptx_pieces tg_ptx_find_pieces(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_dtype dtype,
                                 tg_ptx_reg number);

#endif
