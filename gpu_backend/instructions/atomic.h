/* Changes of single elements in one atomic step. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_ATOMIC_H
#define TG_GPU_BACKEND_INSTRUCTIONS_ATOMIC_H

#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/instructions/access_walk.h"
#include "ir/op.h"

/* op(old, value), or the value if op is TG_OP_COUNT; or, if it compares, `second` where the old one is
 * `value`.  Values are carriers. */
typedef struct tg_ptx_change {
    tg_opcode op;
    bool compares;
    tg_ptx_reg value, second;
} tg_ptx_change;

/* Changes an element that is there: repeats until no other thread has changed it in between.  Returns
 * the old value as a carrier. */
tg_ptx_reg tg_ptx_change_element(tg_ptx_emitter *em, const tg_ptx_walk *walk,
                                 const tg_ptx_element *element, const tg_ptx_change *change);

#endif
