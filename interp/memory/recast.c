/* Refs to the same elements in another shape or dtype.  If strides can describe where the elements
 * are, the result is a normal ref.  If they cannot (a block of an array whose rows are reshaped, a
 * block partly outside, elements of another width), its offsets number the elements of the ref that
 * it was made from.  Each access then computes its way back from there, through any number of such
 * refs. */
#include "interp/memory/recast.h"

#include <string.h>

#include "interp/state/handlers.h"
#include "plan/recast.h"

void tg_exec_recast(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_recast *recast = inst->as.recast;
    const tg_type *type = &recast->type;
    const tg_ref *from = &m->refs[recast->from];
    tg_ref *ref = &m->refs[recast->out];
    if (recast->is_of_scope && ref->data == from->data) return; /* as in the program before */
    *ref = *from;
    memcpy(ref->shape, type->shape, sizeof ref->shape);
    /* A part that is shorter than its type is not inside: here, the elements inside have the type's
     * shape. */
    int64_t shift;
    const tg_recast_way way =
        tg_recast_strides(inst->op, recast, from->stride, from->is_inside, ref->stride, &shift);
    ref->origin += shift;
    if (way == TG_RECAST_SAME) return;
    for (int d = 0; d < type->rank; d++) {
        const bool is_permuted = way == TG_RECAST_PERMUTED;
        ref->low[d] = is_permuted ? from->low[recast->permutation[d]] : 0;
        ref->high[d] = is_permuted ? from->high[recast->permutation[d]] : type->shape[d];
    }
    if (way != TG_RECAST_NUMBERED) return;
    ref->origin = 0;
    ref->is_inside = true;
    ref->is_nothing = false;
    ref->recast = recast;
}

/* ---- lists ---- */

static bool is_dense(const tg_ref *ref, const tg_type *type)
{
    int64_t dense[TG_MAX_RANK];
    if (ref->recast || !ref->is_inside || ref->is_nothing) return false;
    tg_dense_strides(type->rank, type->shape, dense);
    for (int d = 0; d < type->rank; d++)
        if (type->shape[d] != 1 && ref->stride[d] != dense[d]) return false;
    return true;
}

bool tg_ref_list(const tg_machine *m, const tg_ref *ref, tg_list *list)
{
    const struct tg_inst_recast *recast = ref->recast;
    if (!recast || !recast->runs) return false;
    const tg_ref *from = &m->refs[recast->from];
    if (!is_dense(from, &recast->from_type)) return false;
    *list = tg_list_of(recast, from->data + from->origin * tg_dtypes[recast->type.dtype].bytes);
    return true;
}

/* ---- the way back ---- */

/* An element, or a run of bytes in it, of a ref on the way. */
typedef struct place {
    const tg_ref *ref;
    int64_t offset;
    size_t element_bytes, byte;
} place;

/* The index of element `number` in a shape, row-major. */
static void index_of(int64_t number, const tg_type *shape, int64_t *index)
{
    for (int d = shape->rank - 1; d >= 0; d--) {
        index[d] = number % shape->shape[d];
        number /= shape->shape[d];
    }
}

/* Goes to the same bytes in the ref that `at` was made from.  Returns false if they are outside the
 * array. */
static bool step_back(const tg_machine *m, place *at)
{
    const struct tg_inst_recast *recast = at->ref->recast;
    const tg_ref *from = &m->refs[recast->from];
    const size_t bytes = at->element_bytes, from_bytes = tg_dtypes[recast->from_type.dtype].bytes;
    const int rank = recast->from_type.rank;
    int64_t index[TG_MAX_RANK] = {0};
    if (bytes == from_bytes) {
        index_of(tg_recast_number(recast, at->offset), &recast->from_type, index);
    } else {
        index_of(at->offset, &recast->type, index);
        size_t row = (size_t)index[rank - 2] * bytes + at->byte;
        index[rank - 2] = (int64_t)(row / from_bytes);
        at->byte = row % from_bytes;
    }
    at->ref = from;
    at->element_bytes = from_bytes;
    at->offset = from->origin;
    bool is_inside = !from->is_nothing;
    for (int d = 0; d < rank; d++) {
        is_inside = is_inside && index[d] >= from->low[d] && index[d] < from->high[d];
        at->offset += index[d] * from->stride[d];
    }
    return is_inside;
}

/* Those of the narrowest element on the way. */
size_t tg_ref_piece_bytes(const tg_machine *m, const tg_ref *ref, tg_dtype dtype)
{
    size_t bytes = tg_dtypes[dtype].bytes;
    for (; ref->recast; ref = &m->refs[ref->recast->from]) {
        size_t from_bytes = tg_dtypes[ref->recast->from_type.dtype].bytes;
        if (from_bytes < bytes) bytes = from_bytes;
    }
    return bytes;
}

bool tg_ref_pieces(const tg_machine *m, const tg_ref *ref, tg_dtype dtype, int64_t offset,
                   tg_pieces *pieces)
{
    const size_t bytes = tg_dtypes[dtype].bytes;
    pieces->piece_bytes = tg_ref_piece_bytes(m, ref, dtype);
    pieces->count = (int)(bytes / pieces->piece_bytes);
    for (int i = 0; i < pieces->count; i++) {
        place at = {.ref = ref,
                    .offset = offset,
                    .element_bytes = bytes,
                    .byte = (size_t)i * pieces->piece_bytes};
        while (at.ref->recast)
            if (!step_back(m, &at)) return false;
        pieces->at[i] = at.ref->data + at.offset * (int64_t)at.element_bytes + at.byte;
    }
    return true;
}
