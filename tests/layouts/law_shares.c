/* Shares: what each device holds, place by place. */
#include "layout/mesh/shares.h"
#include "layouts/law.h"
#include "layouts/mesh_model.h"

static model m;
static tg_mesh mesh;

/* A layout of its own on devices and memory, most often with a flaw. */
static void random_spread(chance *c, tg_spread *out, tg_shape *shape)
{
    static const tg_axis axes[] = {TG_AXIS_gpuid, TG_AXIS_gpuid, TG_AXIS_m, TG_AXIS_m,
                                   TG_AXIS_lane};
    const wish w = {.most_iters = 4,
                    .most_copies = 2,
                    .most_extent = 4,
                    .most_size = 48,
                    .negative = true,
                    .zero = one_in(c, 4),
                    .offset = one_in(c, 4),
                    .swizzle = one_in(c, 4)};
    random_layout(c, &w, &out->layout);
    tg_iters *d = &out->layout.d, *r = &out->layout.r;
    for (int i = 0; i < d->count; i++)
        if (d->list[i].stride) d->list[i].axis = axes[pick(c, 0, one_in(c, 20) ? 4 : 3)];
    for (int i = 0; i < r->count; i++)
        if (r->list[i].stride) r->list[i].axis = one_in(c, 8) ? TG_AXIS_m : TG_AXIS_gpuid;
    for (int a = 0; a < TG_AXIS_COUNT && one_in(c, 2); a++) out->layout.offset[a] = 0;
    *shape = (tg_shape){1, {tg_iters_size(d)}};
    out->terms.count = out->id_count = 0;
}

/* Strides as those of a sharding in another order: shares again, but of no sharding. */
static void permute(chance *c, tg_axe *axe)
{
    tg_iters *d = &axe->d;
    for (int64_t times = pick(c, 0, 3); times > 0 && d->count; times--) {
        tg_iter *a = &d->list[pick(c, 0, d->count - 1)], *b = &d->list[pick(c, 0, d->count - 1)];
        if (a->extent != b->extent) continue;
        const tg_iter first = *a;
        *a = *b;
        *b = first;
    }
    if (one_in(c, 6)) axe->swizzle = (tg_swizzle){1, 0, 1, TG_AXIS_m};
}

/* Elements that the model has at a place of a device, and the last of them. */
static int elements_at(int64_t device, int64_t at, int64_t *element)
{
    int count = 0;
    for (int64_t x = 0; x < m.size; x++)
        for (int i = m.start[x]; i < m.start[x + 1]; i++) {
            if (m.list[i].at[TG_AXIS_gpuid] != device || m.list[i].at[TG_AXIS_m] != at) continue;
            count++;
            *element = x;
        }
    return count;
}

/* Whether all places are on the devices and in their memories, and each is there just once. */
static bool has_shares(int devices, int64_t places)
{
    int64_t element;
    for (int i = 0; i < m.start[m.size]; i++) {
        const int64_t *at = m.list[i].at;
        for (int a = 0; a < TG_AXIS_COUNT; a++)
            if (a != TG_AXIS_gpuid && a != TG_AXIS_m && at[a]) return false;
        if (at[TG_AXIS_gpuid] < 0 || at[TG_AXIS_gpuid] >= devices) return false;
        if (at[TG_AXIS_m] < 0 || at[TG_AXIS_m] >= places) return false;
    }
    for (int p = 0; p < devices; p++)
        for (int64_t k = 0; k < places; k++)
            if (elements_at(p, k, &element) != 1) return false;
    return true;
}

/* An element at two places of one device. */
static bool has_copies_within(void)
{
    for (int64_t x = 0; x < m.size; x++)
        for (int i = m.start[x]; i < m.start[x + 1]; i++)
            for (int k = m.start[x]; k < i; k++)
                if (m.list[i].at[TG_AXIS_gpuid] == m.list[k].at[TG_AXIS_gpuid]) return true;
    return false;
}

static bool shares_are_right(const tg_shares *shares)
{
    int64_t element;
    for (int p = 0; p < shares->device_count; p++)
        for (int64_t k = 0; k < shares->place_count; k++)
            if (elements_at(p, k, &element) != 1 || element != shares->base[p] + shares->offset[k])
                return false;
    return true;
}

/* Of a sharding: devices that differ in the unreduced parts alone have one root, index 0 in all. */
static bool roots_are_right(const tg_shares *shares, const tg_sharding *sharding)
{
    for (int p = 0; p < shares->device_count; p++)
        if (shares->root[p] != mesh_with_index(&mesh, &sharding->unreduced, p, 0)) return false;
    return true;
}

outcome law_shares(chance *c, tg_axe *shown)
{
    static tg_spread spread;
    tg_sharding sharding;
    tg_shape shape;
    tg_shares shares;
    const bool is_sharding = !one_in(c, 3), is_changed = one_in(c, 3);
    random_mesh(c, 12, false, &mesh);
    random_sharding(c, &mesh, (int)pick(c, 1, 3), (sharding_wish){true, true, false}, &sharding);
    random_shape(c, &sharding, NULL, &shape);
    if (tg_spread_from_sharding(&mesh, &sharding, &shape, &spread, NULL) != TG_OK) return BROKEN;
    if (!is_sharding) random_spread(c, &spread, &shape);
    if (is_changed) permute(c, &spread.layout);
    const int devices = mesh.device_count + (one_in(c, 10) ? 1 : 0);
    const int64_t places = one_in(c, 10) ? pick(c, 1, 8) : tg_spread_held(&spread);
    tg_axe_copy(&spread.layout, shown);
    if (tg_spread_check(&spread, NULL) != TG_OK) return REFUSED;
    model_of(shown, &m);
    if (tg_shares_of(&spread, &shape, devices, places, &shares, NULL) != TG_OK)
        return has_shares(devices, places) && !has_copies_within() ? BROKEN : REFUSED;
    const bool right = has_shares(devices, places) && shares_are_right(&shares) &&
                       (!is_sharding || is_changed || roots_are_right(&shares, &sharding));
    tg_shares_free(&shares);
    return right ? KEPT : BROKEN;
}
