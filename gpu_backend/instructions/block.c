#include "gpu_backend/instructions/block.h"

#include <stdbool.h>
#include <stddef.h>

#include "gpu_backend/emit/ref.h"
#include "gpu_backend/emit/report.h"
#include "gpu_backend/emit/scalar.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/text/ptx.h"
#include "ir/ir.h"
#include "ir/type.h"
#include "plan/plan.h"

static void start_whole(tg_ptx_emitter *em, uint32_t p)
{
    const tg_param *param = &em->plan->kernel->params[p];
    tg_ptx_ref *ref = &em->refs[p];
    ref->origin = tg_ptx_known(0);
    tg_ptx_ref_set_whole(ref, param->array.rank, param->array.shape);
}

/* base + sum of factor * program id; sets *least and *most to the extreme values in the grid. */
static tg_ptx_uniform affine_index(tg_ptx_emitter *em, const tg_mapping *map, int d, int64_t *least,
                                   int64_t *most)
{
    tg_ptx_uniform index = tg_ptx_known(map->base[d]);
    *least = *most = map->base[d];
    for (int a = 0; a < em->plan->kernel->axis_count; a++) {
        const int64_t factor = map->factor[d][a];
        if (factor == 0) continue;
        index = tg_ptx_add(em, index, tg_ptx_mul(em, em->program[a], factor));
        const int64_t last = em->grid[a].is_known ? em->grid[a].known - 1 : INT32_MAX;
        int64_t reach;
        if (__builtin_mul_overflow(factor, last, &reach))
            reach = factor < 0 ? INT64_MIN : INT64_MAX;
        int64_t *const end = reach < 0 ? least : most;
        if (__builtin_add_overflow(*end, reach, end)) *end = reach < 0 ? INT64_MIN : INT64_MAX;
    }
    return index;
}

/* The start of a block in one dimension, and whether part of the block is in the padded array. */
typedef struct start {
    tg_ptx_uniform at, is_near;
    bool is_whole; /* the block is wholly inside the array in every program */
} start;

static start find_start(tg_ptx_emitter *em, const tg_param *param, const tg_mapping *map, int d)
{
    const tg_block_dim *dim = &param->block[d];
    const int64_t extent = param->array.shape[d],
                  factor = dim->kind == TG_BLOCK_BLOCKED ? dim->size : 1,
                  shift = dim->kind == TG_BLOCK_ELEMENT ? -dim->pad_low : 0;
    int64_t least = INT64_MIN, most = INT64_MAX;
    tg_ptx_uniform index;
    start s = {.is_near = tg_ptx_known(1)};
    if (map->is_affine) {
        index = affine_index(em, map, d, &least, &most);
    } else {
        /* beyond these bounds, a block of any size is far outside */
        index = tg_ptx_bounded(em, tg_ptx_scalar(em, &map->index[d]), INT64_MAX / 8);
        if (factor > 1) index = tg_ptx_bounded(em, index, INT64_MAX / 8 / factor);
    }
    s.at = tg_ptx_add(em, tg_ptx_mul(em, index, factor), tg_ptx_known(shift));
    int64_t first, last;
    const bool is_bounded = !__builtin_mul_overflow(least, factor, &first) &&
                            !__builtin_add_overflow(first, shift, &first) &&
                            !__builtin_mul_overflow(most, factor, &last) &&
                            !__builtin_add_overflow(last, shift, &last);
    const int64_t low = -dim->pad_low, high = extent + dim->pad_high;
    s.is_whole = is_bounded && first >= 0 && last <= extent - dim->size;
    if (is_bounded && first >= low && last < high) return s;
    s.is_near = tg_ptx_both(em, tg_ptx_is_less(em, tg_ptx_known(low - 1), s.at),
                            tg_ptx_is_less(em, s.at, tg_ptx_known(high)));
    return s;
}

/* Sets the part of the `size` indices from the start on that is inside 0 .. extent. */
static void set_dim(tg_ptx_emitter *em, tg_ptx_ref *ref, int d, const start *s, int64_t size,
                    int64_t extent)
{
    ref->low[d] = tg_ptx_known(0);
    ref->shape[d] = ref->high[d] = tg_ptx_known(size);
    if (s->is_whole) return;
    const tg_ptx_uniform before = tg_ptx_sub(em, tg_ptx_known(0), s->at),
                         left = tg_ptx_sub(em, tg_ptx_known(extent), s->at);
    ref->low[d] = tg_ptx_min(em, tg_ptx_max(em, before, tg_ptx_known(0)), tg_ptx_known(size));
    ref->high[d] = tg_ptx_max(em, tg_ptx_min(em, left, tg_ptx_known(size)), ref->low[d]);
}

static void start_block(tg_ptx_emitter *em, uint32_t p)
{
    const tg_param *param = &em->plan->kernel->params[p];
    tg_ptx_ref *ref = &em->refs[p];
    int64_t stride[TG_MAX_RANK];
    start starts[TG_MAX_RANK];
    tg_ptx_uniform is_near = tg_ptx_known(1), origin = tg_ptx_known(0);
    tg_dense_strides(param->array.rank, param->array.shape, stride);
    for (int d = 0; d < param->array.rank; d++) {
        starts[d] = find_start(em, param, &em->plan->mappings[p], d);
        is_near = tg_ptx_both(em, is_near, starts[d].is_near);
    }
    tg_ptx_report_unless(em, TG_PTX_SITE_BLOCK, is_near);
    ref->through = NULL;
    ref->is_inside = is_near;
    int rank = 0;
    for (int d = 0; d < param->array.rank; d++) {
        const tg_block_dim *dim = &param->block[d];
        origin = tg_ptx_add(em, origin, tg_ptx_mul(em, starts[d].at, stride[d]));
        if (dim->kind == TG_BLOCK_SQUEEZED) continue;
        set_dim(em, ref, rank, &starts[d], dim->size, param->array.shape[d]);
        ref->stride[rank] = stride[d];
        ref->low[rank] = tg_ptx_choose(em, is_near, ref->low[rank], tg_ptx_known(0));
        ref->high[rank] = tg_ptx_choose(em, is_near, ref->high[rank], tg_ptx_known(0));
        rank++;
    }
    ref->origin = origin;
}

void tg_ptx_ref_start(tg_ptx_emitter *em, uint32_t p)
{
    if (em->plan->kernel->params[p].has_block)
        start_block(em, p);
    else
        start_whole(em, p);
}
