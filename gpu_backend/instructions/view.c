/* References to a part of another one: slices and single indices, and parts whose length is known
 * only at run time. */
#include "gpu_backend/instructions/insts.h"

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/report.h"
#include "gpu_backend/emit/scalar.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/text/ptx.h"
#include "ir/ir.h"

/* ---- views ---- */

/* ceil((bound - start) / stride), clamped to 0 .. size */
static tg_ptx_uniform first_from(tg_ptx_emitter *em, tg_ptx_uniform bound, tg_ptx_uniform begin,
                                 int64_t stride, int64_t size)
{
    tg_ptx_uniform far = tg_ptx_sub(em, bound, begin);
    far = tg_ptx_floor_div(em, tg_ptx_add(em, far, tg_ptx_known(stride - 1)), stride);
    return tg_ptx_min(em, tg_ptx_max(em, far, tg_ptx_known(0)), tg_ptx_known(size));
}

static int64_t bounded_product(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > INT64_MAX / 4 ? INT64_MAX / 4
                                                                             : product;
}

/* 1 or 0: whether the slice or index is within the ref.  Meaningless for a slice without
 * elements. */
static tg_ptx_uniform is_legal_dim(tg_ptx_emitter *em, const tg_access_dim *dim,
                                   tg_ptx_uniform begin, tg_ptx_uniform extent)
{
    const int64_t length =
        dim->kind == TG_INDEX_AT ? 1 : bounded_product(dim->size - 1, dim->stride) + 1;
    const tg_ptx_uniform end = tg_ptx_add(em, begin, tg_ptx_known(length));
    return tg_ptx_both(em, tg_ptx_is_less(em, tg_ptx_known(-1), begin),
                       tg_ptx_is_less(em, end, tg_ptx_add(em, extent, tg_ptx_known(1))));
}

/* 1 or 0: whether an index is inside the array. */
static tg_ptx_uniform is_inside_array(tg_ptx_emitter *em, const tg_ptx_ref *from, int d,
                                      tg_ptx_uniform at)
{
    return tg_ptx_both(em, tg_ptx_is_less(em, tg_ptx_sub(em, from->low[d], tg_ptx_known(1)), at),
                       tg_ptx_is_less(em, at, from->high[d]));
}

/* Sets the dimension of the view that is a slice of dimension d of `from`. */
static void take_slice(tg_ptx_emitter *em, tg_ptx_ref *ref, const tg_ptx_ref *from, int d,
                       const tg_access_dim *dim, tg_ptx_uniform begin)
{
    const int r = dim->result_dim;
    ref->shape[r] = tg_ptx_known(dim->size);
    ref->stride[r] = bounded_product(dim->stride, from->stride[d]);
    ref->low[r] = first_from(em, from->low[d], begin, dim->stride, dim->size);
    ref->high[r] =
        tg_ptx_max(em, first_from(em, from->high[d], begin, dim->stride, dim->size), ref->low[r]);
}

void tg_ptx_inst_view(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_view *view = inst->as.view;
    const tg_access_plan *a = &view->access;
    const tg_ptx_ref from = em->refs[a->ref];
    tg_ptx_ref *ref = &em->refs[view->out];
    tg_ptx_uniform is_legal = tg_ptx_known(1);
    *ref = from;
    for (int d = 0; d < a->rank; d++) {
        const tg_access_dim *dim = &a->dims[d];
        const bool is_at = dim->kind == TG_INDEX_AT;
        const tg_ptx_uniform begin = tg_ptx_position(em, dim);
        const tg_ptx_uniform is_in = is_legal_dim(em, dim, begin, from.shape[d]);
        if (is_at || dim->size > 0) is_legal = tg_ptx_both(em, is_legal, is_in);
        tg_ptx_ref_move(em, ref, from.stride[d], begin);
        if (is_at)
            ref->is_inside = tg_ptx_both(em, ref->is_inside, is_inside_array(em, &from, d, begin));
        else
            take_slice(em, ref, &from, d, dim, begin);
    }
    for (int r = 0; r < a->result.rank; r++)
        ref->high[r] = tg_ptx_choose(em, ref->is_inside, ref->high[r], ref->low[r]);
    tg_ptx_report_unless(em, TG_PTX_SITE_ACCESS, is_legal);
}

/* ---- parts ---- */

/* least <= v <= most */
static tg_ptx_uniform is_from_to(tg_ptx_emitter *em, tg_ptx_uniform v, int64_t least,
                                 tg_ptx_uniform most)
{
    return tg_ptx_both(em, tg_ptx_is_less(em, tg_ptx_known(least - 1), v),
                       tg_ptx_is_less(em, v, tg_ptx_add(em, most, tg_ptx_known(1))));
}

/* Restricts dimension d of `ref` to the requested part, as far as it exists.  Returns 1 or 0:
 * whether the whole part exists. */
static tg_ptx_uniform take_part(tg_ptx_emitter *em, tg_ptx_ref *ref,
                                const struct tg_inst_part *part, int d)
{
    const tg_ptx_uniform none = tg_ptx_known(0),
                         end = tg_ptx_add(em, ref->shape[d], tg_ptx_known(part->beyond[d]));
    tg_ptx_uniform first = tg_ptx_bounded_scalar(em, &part->starts[d]),
                   count = tg_ptx_bounded_scalar(em, &part->sizes[d]),
                   most = tg_ptx_known(part->type.shape[d]);
    tg_ptx_uniform fits =
        tg_ptx_both(em, is_from_to(em, first, 0, end), is_from_to(em, count, 0, most));
    fits = tg_ptx_both(em, fits, is_from_to(em, count, 0, tg_ptx_sub(em, end, first)));
    first = tg_ptx_within(em, first, none, end);
    most = tg_ptx_min(em, most, tg_ptx_sub(em, end, first));
    count = tg_ptx_within(em, count, none, most);
    tg_ptx_ref_move(em, ref, ref->stride[d], first);
    ref->low[d] = tg_ptx_within(em, tg_ptx_sub(em, ref->low[d], first), none, count);
    ref->high[d] = tg_ptx_within(em, tg_ptx_sub(em, ref->high[d], first), ref->low[d], count);
    ref->shape[d] = count;
    return fits;
}

void tg_ptx_inst_part(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_part *part = inst->as.part;
    tg_ptx_ref *ref = &em->refs[part->out];
    tg_ptx_uniform is_legal = tg_ptx_known(1);
    *ref = em->refs[part->from];
    for (int d = 0; d < part->type.rank; d++)
        is_legal = tg_ptx_both(em, is_legal, take_part(em, ref, part, d));
    tg_ptx_report_unless(em, TG_PTX_SITE_ACCESS, is_legal);
}
