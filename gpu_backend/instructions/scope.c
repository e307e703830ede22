#include "gpu_backend/instructions/scope.h"
#include "gpu_backend/instructions/insts.h"

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/ref.h"
#include "gpu_backend/emit/slot.h"
#include "gpu_backend/emit/uniform.h"

/* The initial bits: 0 for semaphores, undefined for all others. */
static tg_ptx_reg first_bits(tg_ptx_emitter *em, tg_dtype dtype)
{
    return tg_is_semaphore(dtype)
               ? tg_ptx_uniform_reg(em, tg_ptx_known(0))
               : tg_ptx_to_memory(&em->w, dtype, tg_ptx_undefined(&em->w, dtype));
}

void tg_ptx_fill_first(tg_ptx_emitter *em, tg_dtype dtype, int64_t count, tg_ptx_reg base,
                       int64_t displacement)
{
    if (count == 0) return;
    if (tg_dtypes[dtype].bytes == 1) count = (count + 3) / 4 * 4; /* atomics work on whole words */
    const tg_ptx_reg bits = first_bits(em, dtype);
    const int64_t bytes = tg_dtypes[dtype].bytes;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, count);
    const tg_ptx_reg first =
        tg_ptx_uniform_reg(em, tg_ptx_add(em, tg_ptx_held(base), tg_ptx_known(displacement)));
    const tg_ptx_reg at = tg_ptx_address_in_row(em, first, count, loop.element, bytes);
    tg_ptx_store_bits(em, em->space, (int)bytes, at, bits);
    tg_ptx_loop_end(em, &loop);
}

/* Sets the ref of scoped memory, and fills that memory with its initial values. */
void tg_ptx_inst_scope(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_scope *scope = inst->as.scope;
    const tg_slot *slot = &em->plan->slots[scope->slot];
    tg_ptx_ref *ref = &em->refs[scope->out];
    const tg_ptx_reg base = tg_ptx_slot_address(em, scope->slot);
    ref->space = em->space;
    ref->base = tg_ptx_held(base);
    ref->extent = tg_ptx_extent_of(slot->offset, slot->bytes);
    ref->origin = tg_ptx_known(0);
    tg_ptx_ref_set_whole(ref, scope->type.rank, scope->type.shape);
    /* Atomics on single bytes work on whole words, of which the last may reach further. */
    if (!scope->is_overwritten || tg_dtypes[scope->type.dtype].bytes == 1)
        tg_ptx_fill_first(em, scope->type.dtype, tg_type_count(&scope->type), base, 0);
}
