#include "gpu_backend/instructions/recast.h"
#include "gpu_backend/instructions/insts.h"

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/layout.h"
#include "plan/recast.h"

/* ---- making one ---- */

static bool is_whole(const tg_ptx_ref *ref, const tg_type *type)
{
    if (!tg_ptx_is_known(ref->is_inside, 1)) return false;
    for (int d = 0; d < type->rank; d++)
        if (!tg_ptx_is_known(ref->low[d], 0) || !tg_ptx_is_known(ref->high[d], type->shape[d]))
            return false;
    return true;
}

/* The ref that an instruction makes from another one. */
void tg_ptx_inst_recast(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_recast *recast = inst->as.recast;
    const tg_type *type = &recast->type;
    const tg_ptx_ref from = em->refs[recast->from];
    tg_ptx_ref *ref = &em->refs[recast->out];
    int64_t shift;
    tg_ptx_one_block(em, &from, recast->from_type.rank, recast->from_type.shape);
    *ref = from;
    ref->part = 0;
    const tg_recast_way way = tg_recast_strides(
        inst->op, recast, from.stride, is_whole(&from, &recast->from_type), ref->stride, &shift);
    ref->origin = tg_ptx_add(em, from.origin, tg_ptx_known(shift));
    for (int d = 0; d < type->rank; d++) {
        const int source = way == TG_RECAST_PERMUTED ? recast->permutation[d] : d;
        const bool stays = way == TG_RECAST_PERMUTED || way == TG_RECAST_SAME;
        ref->shape[d] = tg_ptx_known(type->shape[d]);
        ref->low[d] = stays ? from.low[source] : tg_ptx_known(0);
        ref->high[d] = stays ? from.high[source] : tg_ptx_known(type->shape[d]);
    }
    if (way != TG_RECAST_NUMBERED) return;
    ref->origin = tg_ptx_known(0);
    ref->is_inside = tg_ptx_known(1);
    ref->through = recast;
}

/* ---- the way back to memory ---- */

/* An element, or a run of bytes within it, of one of the references on the way. */
typedef struct place {
    const tg_ptx_ref *ref;
    tg_ptx_uniform offset, byte;
    int64_t element_bytes;
} place;

/* The index per dimension of the element with linear index `number`, row-major. */
static void index_of(tg_ptx_emitter *em, tg_ptx_uniform number, const tg_type *shape,
                     tg_ptx_uniform *index)
{
    for (int d = shape->rank - 1; d >= 0; d--) {
        index[d] = d == 0 ? number : tg_ptx_rem(em, number, tg_ptx_known(shape->shape[d]));
        if (d > 0) number = tg_ptx_div(em, number, tg_ptx_known(shape->shape[d]));
    }
}

static tg_ptx_uniform is_between(tg_ptx_emitter *em, tg_ptx_uniform at, tg_ptx_uniform low,
                                 tg_ptx_uniform high, int64_t extent)
{
    const tg_ptx_uniform from = tg_ptx_is_known(low, 0)
                                    ? tg_ptx_known(1)
                                    : tg_ptx_is_less(em, tg_ptx_sub(em, low, tg_ptx_known(1)), at);
    const tg_ptx_uniform to =
        tg_ptx_is_known(high, extent) ? tg_ptx_known(1) : tg_ptx_is_less(em, at, high);
    return tg_ptx_both(em, from, to);
}

/* Moves `at` to the same bytes in the reference that its ref was made from.  Returns 1 or 0:
 * whether these are inside the array. */
static tg_ptx_uniform step_back(tg_ptx_emitter *em, place *at)
{
    const struct tg_inst_recast *recast = at->ref->through;
    const tg_ptx_ref *from = &em->refs[recast->from];
    const int64_t from_bytes = tg_dtypes[recast->from_type.dtype].bytes;
    const int rank = recast->from_type.rank;
    tg_ptx_uniform index[TG_MAX_RANK] = {0}, is_inside = from->is_inside;
    if (at->element_bytes == from_bytes) {
        const tg_ptx_uniform number =
            recast->layout ? tg_ptx_laid_out(em, recast->layout, at->offset) : at->offset;
        index_of(em, number, &recast->from_type, index);
    } else {
        index_of(em, at->offset, &recast->type, index);
        const tg_ptx_uniform row =
            tg_ptx_add(em, tg_ptx_mul(em, index[rank - 2], at->element_bytes), at->byte);
        index[rank - 2] = tg_ptx_div(em, row, tg_ptx_known(from_bytes));
        at->byte = tg_ptx_rem(em, row, tg_ptx_known(from_bytes));
    }
    at->ref = from;
    at->element_bytes = from_bytes;
    at->offset = from->origin;
    for (int d = 0; d < rank; d++) {
        is_inside = tg_ptx_both(
            em, is_inside,
            is_between(em, index[d], from->low[d], from->high[d], recast->from_type.shape[d]));
        at->offset = tg_ptx_mul_add(em, index[d], from->stride[d], at->offset);
    }
    return is_inside;
}

/* Bytes of the narrowest element type on the way. */
static int narrowest(const tg_ptx_emitter *em, const tg_ptx_ref *ref, int bytes)
{
    for (; ref->through; ref = &em->refs[ref->through->from]) {
        const int from_bytes = tg_dtypes[ref->through->from_type.dtype].bytes;
        if (from_bytes < bytes) bytes = from_bytes;
    }
    return bytes;
}

tg_ptx_pieces tg_ptx_find_pieces(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_dtype dtype,
                                 tg_ptx_reg number)
{
    const int bytes = tg_dtypes[dtype].bytes;
    tg_ptx_pieces pieces = {.bytes = narrowest(em, ref, bytes), .is_inside = tg_ptx_known(1)};
    pieces.count = bytes / pieces.bytes;
    for (int i = 0; i < pieces.count; i++) {
        place at = {ref, tg_ptx_held(number), tg_ptx_known(i * pieces.bytes), bytes};
        while (at.ref->through) {
            const tg_ptx_uniform is_inside = step_back(em, &at);
            pieces.is_inside = tg_ptx_both(em, pieces.is_inside, is_inside);
        }
        const tg_ptx_uniform first = tg_ptx_add(em, tg_ptx_ref_base(em, at.ref), at.byte);
        pieces.at[i] =
            tg_ptx_uniform_reg(em, tg_ptx_mul_add(em, at.offset, at.element_bytes, first));
    }
    return pieces;
}
