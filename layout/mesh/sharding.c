#include "layout/mesh/sharding.h"

#include <stdlib.h>

#include "layout/canonical.h"

void tg_sharding_begin(tg_sharding *sharding, int rank)
{
    sharding->rank = rank;
    for (int d = 0; d < rank; d++) {
        sharding->dims[d].count = 0;
        sharding->open[d] = false;
        sharding->priority[d] = -1;
    }
    sharding->replicated.count = sharding->unreduced.count = 0;
    sharding->reduction = TG_REDUCTION_SUM;
}

void tg_sharding_copy(const tg_sharding *from, tg_sharding *to)
{
    to->rank = from->rank;
    for (int d = 0; d < from->rank; d++) {
        tg_parts_copy(&from->dims[d], &to->dims[d]);
        to->open[d] = from->open[d];
        to->priority[d] = from->priority[d];
    }
    tg_parts_copy(&from->replicated, &to->replicated);
    tg_parts_copy(&from->unreduced, &to->unreduced);
    to->reduction = from->reduction;
}

tg_status tg_sharding_extend(tg_sharding *sharding, int rank, tg_diags *diags)
{
    if (sharding->rank > rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a sharding of %d dimensions is none of an array of rank %d", sharding->rank,
                       rank);
    for (int d = sharding->rank; d < rank; d++) {
        sharding->dims[d].count = 0;
        sharding->open[d] = false;
        sharding->priority[d] = -1;
    }
    sharding->rank = rank;
    return TG_OK;
}

void tg_sharding_used(const tg_sharding *sharding, bool unreduced, tg_parts *out)
{
    out->count = 0;
    for (int d = 0; d < sharding->rank; d++)
        for (int i = 0; i < sharding->dims[d].count; i++)
            tg_parts_put(out, sharding->dims[d].list[i]);
    for (int i = 0; unreduced && i < sharding->unreduced.count; i++)
        tg_parts_put(out, sharding->unreduced.list[i]);
}

bool tg_sharding_is_replicated(const tg_sharding *sharding)
{
    tg_parts used;
    tg_sharding_used(sharding, true, &used);
    return tg_parts_size(&used) == 1;
}

bool tg_sharding_same(const tg_sharding *a, const tg_sharding *b)
{
    if (a->rank != b->rank || !tg_parts_same(&a->unreduced, &b->unreduced)) return false;
    if (a->unreduced.count && a->reduction != b->reduction) return false;
    for (int d = 0; d < a->rank; d++)
        if (!tg_parts_same(&a->dims[d], &b->dims[d])) return false;
    return true;
}

tg_status tg_sharding_check_shape(const tg_sharding *sharding, const tg_shape *shape,
                                  tg_diags *diags)
{
    int64_t size;
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (sharding->rank == shape->rank) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "a sharding of %d dimensions is none of an array of rank %d", sharding->rank,
                   shape->rank);
}

tg_status tg_sharding_shard_shape(const tg_sharding *sharding, const tg_shape *shape, tg_shape *out,
                                  tg_diags *diags)
{
    TG_TRY(tg_sharding_check_shape(sharding, shape, diags));
    out->rank = shape->rank;
    for (int d = 0; d < shape->rank; d++) {
        const int64_t blocks = tg_parts_size(&sharding->dims[d]);
        out->extent[d] = shape->extent[d] / blocks;
        if (shape->extent[d] % blocks != 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "dimension %d of %lld elements is no multiple of its %lld blocks", d,
                           (long long)shape->extent[d], (long long)blocks);
    }
    return TG_OK;
}

void tg_sharding_first(const tg_mesh *mesh, const tg_sharding *sharding, const tg_shape *shard,
                       int position, tg_shape *out)
{
    out->rank = shard->rank;
    for (int d = 0; d < shard->rank; d++)
        out->extent[d] = tg_parts_index(mesh, &sharding->dims[d], position) * shard->extent[d];
}

int tg_sharding_replica(const tg_mesh *mesh, const tg_sharding *sharding, int position)
{
    tg_parts used, rest;
    tg_sharding_used(sharding, false, &used);
    tg_parts_rest(mesh, &used, &rest);
    return tg_parts_index(mesh, &rest, position);
}

static void put_parts(const tg_mesh *mesh, const tg_parts *parts, tg_iters *out)
{
    for (int i = 0; i < parts->count; i++)
        if (parts->list[i].size > 1)
            tg_iters_put(out, parts->list[i].size, tg_part_stride(mesh, &parts->list[i]),
                         TG_AXIS_gpuid);
}

tg_status tg_sharding_to_axe(const tg_mesh *mesh, const tg_sharding *sharding,
                             const tg_shape *shape, tg_axe *out, tg_diags *diags)
{
    tg_shape shard;
    tg_parts used, rest;
    int64_t stride;
    TG_TRY(tg_sharding_check(mesh, sharding, diags));
    TG_TRY(tg_sharding_shard_shape(sharding, shape, &shard, diags));
    TG_TRY(tg_shape_size(&shard, &stride, diags));
    tg_axe_begin(out);
    for (int d = 0; d < shape->rank; d++) {
        put_parts(mesh, &sharding->dims[d], &out->d);
        stride /= shard.extent[d];
        tg_iters_put(&out->d, shard.extent[d], stride, TG_AXIS_m);
    }
    tg_sharding_used(sharding, false, &used);
    tg_parts_rest(mesh, &used, &rest);
    put_parts(mesh, &rest, &out->r);
    tg_axe_canonize(out);
    return tg_axe_check(out, diags);
}
