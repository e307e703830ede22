#include "layout/mesh/reshard.h"

static bool divide(int64_t a, int64_t b) { return a % b == 0 || b % a == 0; }

/* Whether a dimension holds parts in an order that no all-to-all or gather can take them from.
 * Sets the last part that the target has nowhere, if there is one. */
static bool is_out_of_order(const tg_reshard *r, int d, const tg_part **unwanted)
{
    bool seen[TG_SHAPE_MAX_RANK] = {false};
    int last_dim = -1, last_at = 0;
    for (int i = 0; i < r->in[d].count; i++) {
        const tg_part *part = &r->in[d].list[i];
        int dim = -1, at;
        if (tg_reshard_wants(r, part, &dim, &at)) {
            if ((dim == d || seen[dim]) && (last_dim != dim || at != last_at + 1)) return true;
            seen[dim] = true;
            last_at = at;
        } else if (last_dim >= 0 && !r->out[d].count) {
            return true;
        } else {
            *unwanted = part;
        }
        last_dim = dim;
    }
    return false;
}

static bool should_permute(const tg_reshard *r)
{
    const tg_part *unwanted = NULL, *missing = NULL;
    for (int d = 0; d < r->now.rank; d++) {
        const tg_parts *in = &r->in[d], *out = &r->out[d];
        if (in->count && out->count && divide(in->list[0].size, out->list[0].size)) return true;
        for (int i = 0; i < out->count; i++)
            if (!tg_reshard_has(r, &out->list[i])) missing = &out->list[i];
        if (is_out_of_order(r, d, &unwanted)) return true;
    }
    return unwanted && missing && divide(unwanted->size, missing->size);
}

/* Puts parts that the target wants in a dimension where they are to be. */
static void place(tg_reshard *r, int d)
{
    tg_parts *out = &r->out[d];
    while (r->capacity[d] > 1 && out->count) {
        tg_part within, left;
        if (!tg_reshard_fit(&out->list[0], &r->capacity[d], &within, &left)) return;
        tg_parts_add(&r->now.dims[d], within);
        tg_parts_remove(out, 0);
        if (left.size > 1) tg_parts_insert(out, 0, left);
    }
}

/* Moves what `in` has and the target has nowhere to `unwanted`: behind, as much of it as was
 * replaced, so that the rest comes back to where it was. */
static void collect_unwanted(const tg_reshard *before, int d, int64_t replaced, tg_parts *unwanted)
{
    tg_parts in = {0};
    int dim, at;
    for (int i = 0; i < before->in[d].count; i++)
        if (!tg_reshard_wants(before, &before->in[d].list[i], &dim, &at))
            tg_parts_put(&in, before->in[d].list[i]);
    unwanted->count = 0;
    while (replaced > 1 && in.count) {
        tg_part within, left;
        if (!tg_reshard_fit(&in.list[0], &replaced, &within, &left)) break;
        tg_parts_remove(&in, 0);
        tg_parts_put(unwanted, within);
        if (left.size > 1) tg_parts_insert(&in, 0, left);
    }
    for (int i = 0; i < in.count; i++) tg_parts_insert(unwanted, i, in.list[i]);
}

/* The number of blocks of each dimension stays, so that each device gets what one other has. */
static void permute(tg_reshard *r)
{
    const tg_reshard before = *r;
    const int rank = r->now.rank;
    tg_parts missing = {0}, unwanted[TG_SHAPE_MAX_RANK], others = {0}, taken;
    for (int d = 0; d < rank; d++) {
        r->capacity[d] = tg_parts_size(&r->in[d]);
        tg_parts_copy(&r->in[d], &taken);
        tg_parts_take_back(&r->now.dims[d], &taken, 0);
        place(r, d);
        for (int i = 0; i < r->out[d].count; i++) tg_parts_put(&missing, r->out[d].list[i]);
        collect_unwanted(&before, d, tg_parts_size(&r->in[d]) / r->capacity[d], &unwanted[d]);
        r->in[d].count = 0;
    }
    tg_reshard_distribute(r, &missing, false, false, NULL);
    tg_reshard_distribute(r, unwanted, true, true, NULL);
    for (int d = 0; d < rank; d++)
        for (int i = 0; i < unwanted[d].count; i++) tg_parts_put(&others, unwanted[d].list[i]);
    tg_reshard_distribute(r, &others, false, true, NULL);
    for (int d = 0; d < rank; d++)
        for (int i = 0; i < r->in[d].count; i++) tg_parts_add(&r->now.dims[d], r->in[d].list[i]);
}

tg_status tg_reshard_permute(tg_reshard *r, tg_diags *diags)
{
    const bool moves = should_permute(r);
    if (!moves && !r->other_devices) return TG_OK;
    if (moves) permute(r);
    tg_collective *step = tg_collectives_add(r->steps, TG_COLLECTIVE_PERMUTE, &r->now);
    if (!step) return tg_no_memory(diags);
    step->other_devices = r->other_devices;
    r->other_devices = false;
    return TG_OK;
}
