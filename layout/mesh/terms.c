#include "layout/mesh/terms.h"

#include "layout/mesh/reshard.h"

typedef struct reducer {
    tg_sharding now;
    tg_parts left;                     /* to be reduced */
    tg_parts slice[TG_SHAPE_MAX_RANK]; /* to be sliced, cut as `left` is */
    int at[TG_SHAPE_MAX_RANK];         /* how far it is */
    tg_collectives *out;
} reducer;

static void drop_unreduced(reducer *r, const tg_part *part)
{
    tg_parts_cut(&r->now.unreduced, &(tg_parts){1, {*part}});
    tg_parts_remove(&r->now.unreduced, tg_parts_find(&r->now.unreduced, part));
    tg_parts_sort(&r->now.unreduced);
    tg_parts_remove(&r->left, tg_parts_find(&r->left, part));
}

/* Slices each dimension by the parts that come next and are to be reduced, or are not. */
static tg_status slice_next(reducer *r, bool reduces, tg_diags *diags)
{
    bool any = false;
    tg_collective *step =
        tg_collectives_add(r->out, reduces ? TG_REDUCE_SCATTER : TG_ALL_SLICE, &r->now);
    if (!step) return tg_no_memory(diags);
    for (int d = 0; d < r->now.rank; d++)
        for (; r->at[d] < r->slice[d].count; r->at[d]++) {
            const tg_part part = r->slice[d].list[r->at[d]];
            if ((tg_parts_find(&r->left, &part) >= 0) != reduces) break;
            any = true;
            tg_parts_add(&step->axes[d], part);
            tg_parts_add(&r->now.dims[d], part);
            if (reduces) drop_unreduced(r, &part);
        }
    tg_sharding_copy(&r->now, &step->after);
    if (!any) r->out->count--;
    return TG_OK;
}

static bool is_sliced(const reducer *r)
{
    for (int d = 0; d < r->now.rank; d++)
        if (r->at[d] < r->slice[d].count) return false;
    return true;
}

/* Cuts what is sliced and what is reduced alike.  False if they are in no cut together. */
static bool begin_slice(reducer *r, const tg_collective *slice)
{
    for (int d = 0; d < r->now.rank; d++) {
        r->at[d] = 0;
        tg_parts_copy(&slice->axes[d], &r->slice[d]);
        tg_parts_cut(&r->left, &r->slice[d]);
    }
    for (int d = 0; d < r->now.rank; d++) {
        tg_parts_cut(&r->slice[d], &r->left);
        for (int i = 0; i < r->slice[d].count; i++)
            for (int k = 0; k < r->left.count; k++)
                if (tg_part_overlaps(&r->slice[d].list[i], &r->left.list[k]) &&
                    !tg_part_same(&r->slice[d].list[i], &r->left.list[k]))
                    return false;
    }
    return true;
}

static tg_status reduce_rest(reducer *r, tg_diags *diags)
{
    if (!r->left.count) return TG_OK;
    tg_parts group;
    tg_parts_copy(&r->left, &group);
    tg_parts_sort(&group);
    while (r->left.count) {
        const tg_part part = r->left.list[0];
        drop_unreduced(r, &part);
    }
    tg_collective *step = tg_collectives_add(r->out, TG_ALL_REDUCE, &r->now);
    if (!step) return tg_no_memory(diags);
    tg_parts_copy(&group, &step->group);
    return TG_OK;
}

static tg_status append(const tg_collectives *steps, size_t first, tg_collectives *out,
                        tg_diags *diags)
{
    for (size_t i = first; i < steps->count; i++) {
        tg_collective *step = tg_collectives_add(out, steps->list[i].kind, &steps->list[i].after);
        if (!step) return tg_no_memory(diags);
        *step = steps->list[i];
    }
    return TG_OK;
}

tg_status tg_terms_reduce(const tg_sharding *from, const tg_parts *reduced,
                          const tg_collectives *steps, tg_collectives *out, tg_diags *diags)
{
    reducer r = {.out = out};
    tg_sharding_copy(from, &r.now);
    tg_parts_copy(reduced, &r.left);
    const bool slices = reduced->count && steps->count && steps->list[0].kind == TG_ALL_SLICE &&
                        begin_slice(&r, &steps->list[0]);
    while (slices && !is_sliced(&r)) {
        TG_TRY(slice_next(&r, false, diags));
        TG_TRY(slice_next(&r, true, diags));
    }
    TG_TRY(reduce_rest(&r, diags));
    return append(steps, slices, out, diags);
}
