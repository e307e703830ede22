#include "layout/mesh/relayout.h"

#include "layout/mesh/reshard.h"
#include "layout/mesh/terms.h"

static tg_status check_sharding(const tg_mesh *mesh, const tg_sharding *sharding,
                                const tg_shape *shape, bool pads, tg_diags *diags)
{
    tg_shape shard;
    if (tg_mesh_is_one_device(mesh))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "there is no collective to or from device %d alone", mesh->ids[0]);
    TG_TRY(tg_sharding_check(mesh, sharding, diags));
    if (!pads) return tg_sharding_shard_shape(sharding, shape, &shard, diags);
    return tg_sharding_check_shape(sharding, shape, diags);
}

static tg_status check_meshes(const tg_mesh *from, const tg_mesh *to, bool all_to, tg_diags *diags)
{
    if (all_to && to->device_count > from->device_count)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the array is on %d devices, and is to be on %d", from->device_count,
                       to->device_count);
    if (!all_to && !tg_mesh_same_axes(from, to))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the meshes have other axes: no collective is along axes of both");
    return TG_OK;
}

/* The unreduced parts of both, cut alike: those that stay, that are to be reduced, that are new. */
typedef struct unreduced {
    tg_parts kept, reduced, added;
} unreduced;

static tg_status compare_unreduced(const tg_sharding *from, const tg_sharding *to, unreduced *out,
                                   tg_diags *diags)
{
    tg_parts a, b;
    tg_parts_copy(&from->unreduced, &a);
    tg_parts_copy(&to->unreduced, &b);
    tg_parts_cut(&a, &to->unreduced);
    tg_parts_cut(&b, &from->unreduced);
    *out = (unreduced){0};
    for (int i = 0; i < a.count; i++)
        tg_parts_put(tg_parts_find(&b, &a.list[i]) < 0 ? &out->reduced : &out->kept, a.list[i]);
    for (int i = 0; i < b.count; i++)
        if (tg_parts_find(&a, &b.list[i]) < 0) tg_parts_put(&out->added, b.list[i]);
    tg_parts_sort(&out->kept);
    tg_parts_sort(&out->reduced);
    tg_parts_sort(&out->added);
    if (tg_parts_size(&out->kept) > 1 && from->reduction != to->reduction)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "axes stay unreduced, but their reduction changes from %s to %s",
                       tg_reduction_names[from->reduction], tg_reduction_names[to->reduction]);
    if (tg_parts_size(&out->added) > 1 && to->reduction != TG_REDUCTION_SUM)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "copies become terms of a sum, not of a reduction by %s",
                       tg_reduction_names[to->reduction]);
    return TG_OK;
}

static bool coexist(const tg_sharding *from, const tg_sharding *to)
{
    tg_parts a, b;
    tg_sharding_used(from, true, &a);
    tg_sharding_used(to, true, &b);
    for (int i = 0; i < a.count; i++)
        for (int k = 0; k < b.count; k++)
            if (!tg_part_coexists(&a.list[i], &b.list[k])) return false;
    return true;
}

/* Whether each permute keeps the numbers of blocks, and no step pads where none may. */
static bool is_sound(const tg_sharding *from, const tg_shape *shape, bool pads,
                     const tg_collectives *steps)
{
    tg_shape shard;
    const tg_sharding *before = from;
    for (size_t i = 0; i < steps->count; i++) {
        const tg_collective *step = &steps->list[i];
        for (int d = 0; step->kind == TG_COLLECTIVE_PERMUTE && d < from->rank; d++)
            if (tg_parts_size(&before->dims[d]) != tg_parts_size(&step->after.dims[d]))
                return false;
        if (!pads && tg_sharding_shard_shape(&step->after, shape, &shard, NULL) != TG_OK)
            return false;
        before = &step->after;
    }
    return true;
}

/* Gathers or slices each dimension beyond its first `kept[d]` parts. */
static tg_status add_blocks(tg_collective_kind kind, const tg_sharding *now,
                            const tg_sharding *other, const int *kept, tg_collectives *out,
                            tg_diags *diags)
{
    bool any = false;
    tg_collective *step = tg_collectives_add(out, kind, now);
    if (!step) return tg_no_memory(diags);
    for (int d = 0; d < now->rank; d++) {
        const tg_parts *parts = &other->dims[d];
        if (kind == TG_ALL_GATHER) step->after.dims[d].count = kept[d];
        if (kind == TG_ALL_SLICE) tg_parts_copy(parts, &step->after.dims[d]);
        for (int i = kept[d]; i < parts->count; i++) tg_parts_put(&step->axes[d], parts->list[i]);
        any |= step->axes[d].count > 0;
    }
    if (!any) out->count--;
    return TG_OK;
}

static tg_status plan_simply(const tg_sharding *from, const tg_sharding *to, bool other_devices,
                             tg_collectives *out, tg_diags *diags)
{
    int kept[TG_SHAPE_MAX_RANK] = {0};
    for (int d = 0; d < from->rank; d++) {
        const tg_parts *a = &from->dims[d], *b = &to->dims[d];
        for (kept[d] = 0; kept[d] < a->count && kept[d] < b->count; kept[d]++)
            if (!tg_part_same(&a->list[kept[d]], &b->list[kept[d]])) break;
    }
    tg_sharding now;
    tg_sharding_copy(from, &now);
    TG_TRY(add_blocks(TG_ALL_GATHER, &now, from, kept, out, diags));
    for (int d = 0; d < from->rank; d++) now.dims[d].count = kept[d];
    if (other_devices) {
        tg_collective *step = tg_collectives_add(out, TG_COLLECTIVE_PERMUTE, &now);
        if (!step) return tg_no_memory(diags);
        step->other_devices = true;
    }
    return add_blocks(TG_ALL_SLICE, &now, to, kept, out, diags);
}

/* From one division into blocks to another, unreduced parts being the same. */
static tg_status plan_blocks(const tg_mesh *mesh, const tg_sharding *from, const tg_sharding *to,
                             const tg_shape *shape, bool pads, bool other_devices,
                             tg_collectives *out, tg_diags *diags)
{
    bool done = coexist(from, to);
    if (done) TG_TRY(tg_reshard_run(mesh, shape, from, to, other_devices, out, &done, diags));
    if (done && is_sound(from, shape, pads, out)) return TG_OK;
    out->count = 0;
    return plan_simply(from, to, other_devices, out, diags);
}

/* Steps of blocks and reductions; then copies become terms. */
static tg_status plan_all(const tg_mesh *mesh, const tg_sharding *from, const tg_sharding *to,
                          const tg_shape *shape, bool pads, bool other_devices, tg_collectives *out,
                          tg_diags *diags)
{
    unreduced u;
    tg_sharding begin, end;
    tg_collectives steps = {0};
    TG_TRY(compare_unreduced(from, to, &u, diags));
    tg_sharding_copy(from, &begin);
    tg_sharding_copy(to, &end);
    tg_parts_copy(&u.kept, &begin.unreduced);
    tg_parts_copy(&u.kept, &end.unreduced);
    tg_status status = plan_blocks(mesh, &begin, &end, shape, pads, other_devices, &steps, diags);
    if (status == TG_OK) status = tg_terms_reduce(from, &u.reduced, &steps, out, diags);
    tg_collectives_free(&steps);
    if (status != TG_OK || !u.added.count) return status;
    tg_collective *step = tg_collectives_add(out, TG_TO_TERMS, to);
    if (!step) return tg_no_memory(diags);
    tg_parts_copy(&u.added, &step->group);
    return TG_OK;
}

/* The parts of a sharding, without wishes. */
static void strip(const tg_sharding *sharding, tg_sharding *out)
{
    tg_sharding_copy(sharding, out);
    out->replicated.count = 0;
    for (int d = 0; d < out->rank; d++) {
        out->open[d] = false;
        out->priority[d] = -1;
    }
}

tg_status tg_relayout_plan(const tg_mesh *from_mesh, const tg_sharding *from,
                           const tg_mesh *to_mesh, const tg_sharding *to, const tg_shape *shape,
                           bool pads, tg_collectives *out, tg_diags *diags)
{
    const bool all_to = tg_sharding_is_replicated(to);
    const bool all = all_to && tg_sharding_is_replicated(from);
    const bool other_devices = !all_to && !tg_mesh_same_devices(from_mesh, to_mesh);
    tg_sharding begin, end;
    TG_TRY(check_sharding(from_mesh, from, shape, pads, diags));
    TG_TRY(check_sharding(to_mesh, to, shape, pads, diags));
    TG_TRY(check_meshes(from_mesh, to_mesh, all_to, diags));
    if (all) return TG_OK;
    strip(from, &begin);
    strip(to, &end);
    if (all_to) tg_sharding_begin(&end, from->rank); /* of any mesh */
    return plan_all(from_mesh, &begin, &end, shape, pads, other_devices, out, diags);
}
