#include "layout/mesh/reshard.h"

bool tg_reshard_has(const tg_reshard *r, const tg_part *part)
{
    for (int d = 0; d < r->now.rank; d++)
        if (tg_parts_find(&r->in[d], part) >= 0) return true;
    return false;
}

bool tg_reshard_wants(const tg_reshard *r, const tg_part *part, int *dim, int *at)
{
    for (int d = 0; d < r->now.rank; d++) {
        const int found = tg_parts_find(&r->out[d], part);
        if (found < 0) continue;
        *dim = d;
        *at = found;
        return true;
    }
    return false;
}

bool tg_reshard_fit(const tg_part *part, int64_t *capacity, tg_part *within, tg_part *left)
{
    *within = *left = *part;
    left->size = 1;
    if (*capacity <= 1) return false;
    if (*capacity >= part->size) {
        if (*capacity % part->size != 0) return false;
        *capacity /= part->size;
        return true;
    }
    if (part->size % *capacity != 0) return false;
    within->size = (int)*capacity;
    left->pre = (int)tg_part_end(within);
    left->size = part->size / within->size;
    *capacity = 1;
    return true;
}

/* Cuts part `i` at an end of another's digits, if that is within it. */
static bool cut_at(tg_parts *parts, int i, int64_t end)
{
    const tg_part part = parts->list[i];
    if (end <= part.pre || end >= tg_part_end(&part) || end % part.pre || tg_part_end(&part) % end)
        return false;
    parts->list[i].size = (int)(end / part.pre);
    tg_parts_insert(parts, i + 1, (tg_part){part.axis, (int)end, (int)(tg_part_end(&part) / end)});
    return true;
}

void tg_parts_cut(tg_parts *parts, const tg_parts *others)
{
    for (int i = 0; i < parts->count; i++)
        for (int k = 0; k < others->count; k++) {
            const tg_part *other = &others->list[k];
            if (other->axis != parts->list[i].axis || !tg_part_overlaps(other, &parts->list[i]))
                continue;
            if (cut_at(parts, i, other->pre) || cut_at(parts, i, tg_part_end(other))) k = -1;
        }
}

static void cut_all(const tg_reshard *r, tg_parts *dims, const tg_parts *others)
{
    for (int d = 0; d < r->now.rank; d++) tg_parts_cut(&dims[d], others);
}

static void all_of(const tg_reshard *r, const tg_parts *dims, tg_parts *out)
{
    out->count = 0;
    for (int d = 0; d < r->now.rank; d++)
        for (int i = 0; i < dims[d].count; i++) tg_parts_put(out, dims[d].list[i]);
}

void tg_reshard_distribute(tg_reshard *r, tg_parts *available, bool by_dim, bool front,
                           tg_parts *sliced)
{
    tg_parts split = {0};
    for (int d = 0; d < r->now.rank; d++) {
        tg_parts *from = &available[by_dim ? d : 0], *in = &r->in[d];
        int at = front ? 0 : in->count;
        for (int i = 0; i < from->count && r->capacity[d] > 1;) {
            tg_part within, left;
            if (!tg_reshard_fit(&from->list[i], &r->capacity[d], &within, &left)) {
                i++;
                continue;
            }
            tg_parts_remove(from, i);
            tg_parts_insert(in, at++, within);
            if (sliced) tg_parts_add(&sliced[d], within);
            if (sliced) tg_parts_add(&r->now.dims[d], within);
            if (left.size == 1) continue;
            tg_parts_put(&split, within);
            tg_parts_insert(from, 0, left);
        }
    }
    cut_all(r, r->out, &split);
}

/* Cuts axes as the other sharding does; what both begin with stays as it is. */
static void begin(tg_reshard *r, const tg_sharding *from, const tg_sharding *to)
{
    tg_parts in, out;
    for (int d = 0; d < from->rank; d++) {
        tg_parts_copy(&from->dims[d], &r->in[d]);
        tg_parts_copy(&to->dims[d], &r->out[d]);
        r->now.open[d] = false;
        r->now.priority[d] = -1;
    }
    r->now.replicated.count = 0;
    all_of(r, r->in, &in);
    all_of(r, r->out, &out);
    cut_all(r, r->in, &out);
    cut_all(r, r->out, &in);
    for (int d = 0; d < from->rank; d++)
        while (r->in[d].count && r->out[d].count &&
               tg_part_same(&r->in[d].list[0], &r->out[d].list[0])) {
            tg_parts_remove(&r->in[d], 0);
            tg_parts_remove(&r->out[d], 0);
        }
}

static bool is_done(const tg_reshard *r)
{
    for (int d = 0; d < r->now.rank; d++)
        if (r->in[d].count || r->out[d].count) return false;
    return !r->other_devices;
}

void tg_parts_take_back(tg_parts *now, tg_parts *in, int first)
{
    while (in->count > first) {
        const tg_part part = in->list[--in->count];
        tg_part *last = &now->list[now->count - 1];
        tg_part kept;
        if (tg_part_before(last, &part, &kept))
            *last = kept;
        else
            now->count--;
    }
}

/* The first of the last parts of a dimension that go to one other dimension, which is `*to`. */
static int first_to_move(const tg_reshard *r, int from, int *to)
{
    int first = r->in[from].count;
    *to = -1;
    for (; first > 0; first--) {
        int dim, at;
        if (!tg_reshard_wants(r, &r->in[from].list[first - 1], &dim, &at)) break;
        if (dim == from || (*to >= 0 && dim != *to)) break;
        *to = dim;
    }
    return first;
}

/* Whether the parts of `in` from `first` on are those that `out` begins with. */
static bool begins_with(const tg_parts *out, const tg_parts *in, int first)
{
    for (int i = first; i < in->count; i++)
        if (i - first >= out->count || !tg_part_same(&in->list[i], &out->list[i - first]))
            return false;
    return true;
}

static tg_status all_to_all(tg_reshard *r, int from, int first, int to, tg_diags *diags)
{
    tg_parts moved = {0}, group = {0}, *in = &r->in[from];
    for (int i = first; i < in->count; i++) tg_parts_put(&moved, in->list[i]);
    tg_parts_take_back(&r->now.dims[from], in, first);
    for (int i = 0; i < moved.count; i++) {
        const tg_part part = moved.list[i];
        tg_parts_add(&group, part);
        tg_parts_add(&r->now.dims[to], part);
        if (!r->in[to].count && tg_part_same(&r->out[to].list[0], &part))
            tg_parts_remove(&r->out[to], 0);
        else
            tg_parts_put(&r->in[to], part);
    }
    tg_collective *step = tg_collectives_add(r->steps, TG_ALL_TO_ALL, &r->now);
    if (!step) return tg_no_memory(diags);
    tg_parts_copy(&group, &step->group);
    step->from = from;
    step->to = to;
    return TG_OK;
}

static tg_status all_to_alls(tg_reshard *r, bool in_order, tg_diags *diags)
{
    for (int from = 0; from < r->now.rank; from++)
        for (;;) {
            int to;
            const int first = first_to_move(r, from, &to);
            if (to < 0) break;
            if (in_order && !begins_with(&r->out[to], &r->in[from], first)) break;
            TG_TRY(all_to_all(r, from, first, to, diags));
        }
    return TG_OK;
}

/* Gathers the last parts of each dimension that the target has nowhere. */
static tg_status gather(tg_reshard *r, tg_diags *diags)
{
    tg_parts axes[TG_SHAPE_MAX_RANK];
    bool any = false;
    for (int d = 0; d < r->now.rank; d++) {
        tg_parts *in = &r->in[d];
        int first = in->count, dim, at;
        while (first > 0 && !tg_reshard_wants(r, &in->list[first - 1], &dim, &at)) first--;
        axes[d].count = 0;
        for (int i = first; i < in->count; i++) tg_parts_add(&axes[d], in->list[i]);
        any |= axes[d].count > 0;
        tg_parts_take_back(&r->now.dims[d], in, first);
    }
    if (!any) return TG_OK;
    tg_collective *step = tg_collectives_add(r->steps, TG_ALL_GATHER, &r->now);
    if (!step) return tg_no_memory(diags);
    for (int d = 0; d < r->now.rank; d++) tg_parts_copy(&axes[d], &step->axes[d]);
    return TG_OK;
}

tg_status tg_reshard_run(const tg_mesh *mesh, const tg_shape *shape, const tg_sharding *from,
                         const tg_sharding *to, bool other_devices, tg_collectives *steps,
                         bool *done, tg_diags *diags)
{
    tg_reshard r = {.mesh = mesh, .shape = shape, .other_devices = other_devices, .steps = steps};
    tg_sharding_copy(from, &r.now);
    begin(&r, from, to);
    for (int turn = 0; turn < 2 && !is_done(&r); turn++) {
        TG_TRY(tg_reshard_slice(&r, diags));
        TG_TRY(tg_reshard_permute(&r, diags));
        TG_TRY(all_to_alls(&r, true, diags));
        TG_TRY(all_to_alls(&r, false, diags));
        TG_TRY(gather(&r, diags));
    }
    *done = is_done(&r);
    return TG_OK;
}
