/* Shardings: what each device holds, and both ways to layouts. */
#include <string.h>

#include "layout/mesh/shardy.h"
#include "layout/mesh/spread.h"
#include "layouts/law.h"
#include "layouts/mesh_model.h"

static model m;
static tg_mesh mesh;

/* Devices before it that hold the same. */
static int replica_of(const tg_sharding *sharding, int position)
{
    int before = 0;
    for (int q = 0; q < position; q++) {
        bool same = true;
        for (int d = 0; d < sharding->rank; d++)
            same &= mesh_index(&mesh, &sharding->dims[d], q) ==
                    mesh_index(&mesh, &sharding->dims[d], position);
        before += same;
    }
    return before;
}

static bool device_is_right(const tg_sharding *sharding, const tg_shape *shape,
                            const tg_shape *shard, int position)
{
    tg_shape first;
    int64_t at;
    tg_sharding_first(&mesh, sharding, shard, position, &first);
    if (!mesh_holds(&mesh, sharding, shape, position, &first, &at) || at != 0) return false;
    return tg_sharding_replica(&mesh, sharding, position) == replica_of(sharding, position);
}

static bool is_everywhere(const tg_sharding *sharding)
{
    bool everywhere = mesh_blocks(&sharding->unreduced) == 1;
    for (int d = 0; d < sharding->rank; d++) everywhere &= mesh_blocks(&sharding->dims[d]) == 1;
    return everywhere;
}

/* A shape that a dimension of does not divide: refused, and padded to the next that it does. */
static outcome refuses(chance *c, const tg_sharding *sharding, tg_shape *shape)
{
    tg_shape padded, shard;
    const int d = (int)pick(c, 0, shape->rank - 1);
    const int64_t extent = shape->extent[d], block = extent / mesh_blocks(&sharding->dims[d]);
    if (extent == block || block < 2) return KEPT;
    shape->extent[d] -= pick(c, 1, extent / block - 1);
    if (tg_sharding_shard_shape(sharding, shape, &shard, NULL) != TG_ERR_INVALID) return BROKEN;
    if (tg_shardy_check_padding(sharding, shape, NULL) != TG_ERR_UNSUPPORTED) return BROKEN;
    if (tg_shardy_pad(sharding, shape, &padded, NULL) != TG_OK) return BROKEN;
    return padded.extent[d] == extent ? REFUSED : BROKEN;
}

outcome law_sharding(chance *c, tg_axe *shown)
{
    tg_sharding sharding;
    tg_shape shape, shard;
    random_mesh(c, 12, false, &mesh);
    random_sharding(c, &mesh, (int)pick(c, !one_in(c, 8), 3), (sharding_wish){true, true, true},
                    &sharding);
    random_shape(c, &sharding, NULL, &shape);
    if (tg_sharding_to_axe(&mesh, &sharding, &shape, shown, NULL) != TG_OK) return BROKEN;
    if (tg_sharding_shard_shape(&sharding, &shape, &shard, NULL) != TG_OK) return BROKEN;
    model_of(shown, &m);
    if (!mesh_is_model(&mesh, &sharding, &shape, &m)) return BROKEN;
    for (int d = 0; d < shape.rank; d++)
        if (shard.extent[d] != shape.extent[d] / mesh_blocks(&sharding.dims[d])) return BROKEN;
    for (int p = 0; p < mesh.device_count; p++)
        if (!device_is_right(&sharding, &shape, &shard, p)) return BROKEN;
    if (tg_sharding_is_replicated(&sharding) != is_everywhere(&sharding)) return BROKEN;
    return shape.rank && one_in(c, 4) ? refuses(c, &sharding, &shape) : KEPT;
}

/* Cuts an iter in two, or exchanges copies: the same map. */
static void rewrite(chance *c, tg_axe *axe)
{
    tg_iters *iters = one_in(c, 2) ? &axe->d : &axe->r;
    if (!iters->count) return;
    const int k = (int)pick(c, 0, iters->count - 1);
    const tg_iter it = iters->list[k], last = iters->list[iters->count - 1];
    if (iters == &axe->r && one_in(c, 2)) {
        iters->list[k] = last;
        iters->list[iters->count - 1] = it;
        return;
    }
    const int64_t inner = pick(c, 1, it.extent);
    if (it.extent % inner != 0) return;
    iters->list[k] = (tg_iter){it.extent / inner, it.stride * inner, it.axis};
    for (int i = iters->count++; i > k + 1; i--) iters->list[i] = iters->list[i - 1];
    iters->list[k + 1] = (tg_iter){inner, it.stride, it.axis};
}

/* Most often another map. */
static void change(chance *c, tg_axe *axe)
{
    tg_iters *d = &axe->d, *r = &axe->r;
    switch (pick(c, 0, 6)) {
    case 0: axe->offset[one_in(c, 2) ? TG_AXIS_m : TG_AXIS_gpuid] += pick(c, 1, 2); break;
    case 1: /* another order of digits */
        if (d->count > 1) {
            const int k = (int)pick(c, 1, d->count - 1);
            const tg_iter it = d->list[k];
            d->list[k] = d->list[k - 1];
            d->list[k - 1] = it;
        }
        break;
    case 2: r->count -= r->count > 0; break;
    case 3: tg_iters_put(r, 2, pick(c, 1, 6), one_in(c, 4) ? TG_AXIS_m : TG_AXIS_gpuid); break;
    case 4: axe->swizzle = (tg_swizzle){1, 0, 1, TG_AXIS_m}; break;
    case 5: /* another digit */
        if (d->count) {
            tg_iter *it = &d->list[pick(c, 0, d->count - 1)];
            it->stride = pick(c, -2, 6);
            it->axis = !it->stride ? TG_AXIS_NONE : one_in(c, 2) ? TG_AXIS_m : TG_AXIS_gpuid;
        }
        break;
    default: tg_iters_put(r, 2, 1, TG_AXIS_lane); break;
    }
}

outcome law_sharding_axe(chance *c, tg_axe *shown)
{
    tg_sharding sharding, back;
    tg_shape shape;
    random_mesh(c, 8, false, &mesh);
    random_sharding(c, &mesh, (int)pick(c, !one_in(c, 8), 3), (sharding_wish){true, false, false},
                    &sharding);
    random_shape(c, &sharding, NULL, &shape);
    if (tg_sharding_to_axe(&mesh, &sharding, &shape, shown, NULL) != TG_OK) return BROKEN;
    const bool changes = one_in(c, 3);
    for (int64_t times = pick(c, 0, 3); times > 0; times--) rewrite(c, shown);
    if (changes) change(c, shown);
    const tg_status status = tg_sharding_from_axe(shown, &mesh, &shape, &back, NULL);
    model_of(shown, &m);
    if (status == TG_OK) return mesh_is_model(&mesh, &back, &shape, &m) ? KEPT : BROKEN;
    return changes && !mesh_any_is_model(&mesh, &shape, &m) ? REFUSED : BROKEN;
}

/* Whether a digit of the terms differs between two positions. */
static bool other_terms(const tg_spread *spread, int p, int q)
{
    for (int t = 0; t < spread->terms.count; t++) {
        const tg_iter *it = &spread->terms.list[t];
        if (p / it->stride % it->extent != q / it->stride % it->extent) return true;
    }
    return false;
}

static bool terms_are_right(const tg_sharding *sharding, const tg_spread *spread)
{
    for (int p = 0; p < mesh.device_count; p++)
        for (int q = 0; q < p; q++)
            if (other_terms(spread, p, q) != (mesh_index(&mesh, &sharding->unreduced, p) !=
                                              mesh_index(&mesh, &sharding->unreduced, q)))
                return false;
    for (int p = 0; p < spread->id_count; p++)
        if (spread->ids[p] != mesh.ids[p]) return false;
    return spread->id_count == (mesh.has_ids ? mesh.device_count : 0);
}

outcome law_spread(chance *c, tg_axe *shown)
{
    static tg_spread spread, read;
    tg_sharding sharding, back;
    tg_shape shape;
    random_mesh(c, 12, true, &mesh);
    random_sharding(c, &mesh, (int)pick(c, !one_in(c, 8), 3), (sharding_wish){true, true, false},
                    &sharding);
    random_shape(c, &sharding, NULL, &shape);
    if (tg_spread_from_sharding(&mesh, &sharding, &shape, &spread, NULL) != TG_OK) return BROKEN;
    tg_axe_copy(&spread.layout, shown);
    if (tg_spread_check(&spread, NULL) != TG_OK || !terms_are_right(&sharding, &spread))
        return BROKEN;
    tg_text text = {0};
    tg_spread_print(&spread, &text);
    const tg_status status = tg_spread_read(text.data, text.length, &read, NULL);
    tg_text_drop(&text);
    if (status != TG_OK) return BROKEN;
    if (tg_spread_to_sharding(&read, &mesh, &shape, &back, NULL) != TG_OK) return BROKEN;
    return mesh_same_blocks(&mesh, &sharding, &back) ? KEPT : BROKEN;
}
