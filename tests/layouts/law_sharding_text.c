/* The texts of meshes and shardings. */
#include "layout/mesh/named_sharding.h"
#include "layout/mesh/sbp.h"
#include "layout/mesh/shardy.h"
#include "layout/mesh/spread.h"
#include "layouts/law.h"
#include "layouts/mesh_model.h"

static tg_mesh mesh, read_mesh;

static bool parts_same(const tg_parts *a, const tg_parts *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = a->list[i].axis == b->list[i].axis && a->list[i].pre == b->list[i].pre &&
               a->list[i].size == b->list[i].size;
    return same;
}

static bool same(const tg_sharding *a, const tg_sharding *b)
{
    if (a->rank != b->rank || a->reduction != b->reduction) return false;
    for (int d = 0; d < a->rank; d++)
        if (!parts_same(&a->dims[d], &b->dims[d]) || a->open[d] != b->open[d] ||
            a->priority[d] != b->priority[d])
            return false;
    return parts_same(&a->replicated, &b->replicated) && parts_same(&a->unreduced, &b->unreduced);
}

static bool same_mesh(void)
{
    return tg_mesh_same_axes(&mesh, &read_mesh) && mesh.has_ids == read_mesh.has_ids &&
           tg_mesh_same_devices(&mesh, &read_mesh);
}

static bool shardy_reads_back(const tg_sharding *sharding)
{
    tg_sharding back;
    tg_text text = {0};
    tg_shardy_print(&mesh, sharding, &text);
    const tg_status status = tg_shardy_read(text.data, text.length, &read_mesh, &back, NULL);
    tg_text_drop(&text);
    return status == TG_OK && same_mesh() && same(sharding, &back);
}

static bool is_whole(const tg_parts *parts)
{
    for (int i = 0; i < parts->count; i++)
        if (parts->list[i].size != mesh.axes[parts->list[i].axis].size) return false;
    return true;
}

static bool all_whole(const tg_sharding *sharding)
{
    bool whole = is_whole(&sharding->unreduced);
    for (int d = 0; d < sharding->rank; d++) whole &= is_whole(&sharding->dims[d]);
    return whole;
}

static outcome named_reads_back(const tg_sharding *sharding)
{
    tg_sharding back;
    tg_text text = {0};
    bool said = all_whole(sharding) && !sharding->replicated.count;
    for (int d = 0; d < sharding->rank; d++)
        said &= !sharding->open[d] && sharding->priority[d] < 0;
    tg_mesh_print(&mesh, &text);
    tg_text_put(&text, " ");
    const bool printed = tg_named_sharding_print(&mesh, sharding, &text, NULL) == TG_OK;
    bool right = printed == said;
    if (printed)
        right &= tg_named_sharding_read(text.data, text.length, &read_mesh, &back, NULL) == TG_OK &&
                 same_mesh() && same(sharding, &back);
    tg_text_drop(&text);
    return !right ? BROKEN : printed ? KEPT : REFUSED;
}

/* Bytes of the forms, in other places: what is read from them is valid. */
static bool survives_changes(chance *c, const tg_sharding *sharding)
{
    static const char bytes[] = "x{}[]()<>,=:'\"@#?p0129-|SBP+ \t";
    static tg_spread spread;
    tg_sharding back;
    tg_text text = {0};
    const int form = (int)pick(c, 0, 3);
    tg_mesh_print(&mesh, &text);
    tg_text_put(&text, " ");
    if (form == 0) tg_named_sharding_print(&mesh, sharding, &text, NULL);
    if (form == 1) tg_sbp_print(&mesh, sharding, &text, NULL);
    if (form == 2) tg_text_drop(&text);
    if (form == 2) tg_shardy_print(&mesh, sharding, &text);
    if (form == 3) tg_text_drop(&text);
    if (form == 3) tg_text_put(&text, "4:1 + [8:1@gpuid] | max over [2:1@gpuid] | devices [1,0,7]");
    for (int64_t times = pick(c, 1, 3); times > 0; times--)
        text.data[pick(c, 0, (int64_t)text.length - 1)] =
            bytes[pick(c, 0, (int64_t)sizeof bytes - 2)];
    const size_t length =
        (size_t)pick(c, one_in(c, 2) ? 0 : (int64_t)text.length, (int64_t)text.length);
    tg_status status, valid = TG_OK;
    if (form == 3)
        status = tg_spread_read(text.data, length, &spread, NULL);
    else
        status = (form == 0   ? tg_named_sharding_read(text.data, length, &read_mesh, &back, NULL)
                  : form == 1 ? tg_sbp_read(text.data, length, -1, &read_mesh, &back, NULL)
                              : tg_shardy_read(text.data, length, &read_mesh, &back, NULL));
    if (status == TG_OK)
        valid =
            form == 3 ? tg_spread_check(&spread, NULL) : tg_sharding_check(&read_mesh, &back, NULL);
    tg_text_drop(&text);
    return valid == TG_OK;
}

outcome law_sharding_text(chance *c, tg_axe *shown)
{
    tg_sharding sharding;
    tg_axe_begin(shown);
    random_mesh(c, 64, true, &mesh);
    const sharding_wish w = {one_in(c, 2), one_in(c, 2), one_in(c, 2)};
    random_sharding(c, &mesh, (int)pick(c, !one_in(c, 8), 3), w, &sharding);
    if (one_in(c, 4) && !survives_changes(c, &sharding)) return BROKEN;
    return shardy_reads_back(&sharding) ? named_reads_back(&sharding) : BROKEN;
}

/* The blocks of a signature: each axis of the mesh divides what those before it left. */
static bool splits_in_turn(const tg_sharding *sharding, const int *splits, const tg_shape *shape)
{
    tg_shape shard, first;
    if (tg_sharding_shard_shape(sharding, shape, &shard, NULL) != TG_OK) return false;
    for (int p = 0; p < mesh.device_count; p++) {
        int64_t from[4] = {0}, size[4];
        for (int d = 0; d < shape->rank; d++) size[d] = shape->extent[d];
        for (int a = 0, below = mesh.device_count; a < mesh.axis_count; a++) {
            below /= mesh.axes[a].size;
            if (splits[a] < 0) continue;
            size[splits[a]] /= mesh.axes[a].size;
            from[splits[a]] += size[splits[a]] * (p / below % mesh.axes[a].size);
        }
        tg_sharding_first(&mesh, sharding, &shard, p, &first);
        for (int d = 0; d < shape->rank; d++)
            if (shard.extent[d] != size[d] || first.extent[d] != from[d]) return false;
    }
    return true;
}

static bool is_in_order(const tg_parts *parts)
{
    for (int i = 1; i < parts->count; i++)
        if (parts->list[i - 1].axis > parts->list[i].axis) return false;
    return is_whole(parts);
}

/* A sharding that need not be one. */
static outcome prints_if_it_is_one(chance *c)
{
    tg_sharding sharding, back;
    tg_text text = {0};
    random_sharding(c, &mesh, (int)pick(c, !one_in(c, 8), 3),
                    (sharding_wish){one_in(c, 2), true, false}, &sharding);
    bool said = is_in_order(&sharding.unreduced);
    for (int d = 0; d < sharding.rank; d++) said &= is_in_order(&sharding.dims[d]);
    tg_mesh_print(&mesh, &text);
    const bool printed = tg_sbp_print(&mesh, &sharding, &text, NULL) == TG_OK;
    bool right = printed == said;
    if (printed)
        right &=
            tg_sbp_read(text.data, text.length, sharding.rank, &read_mesh, &back, NULL) == TG_OK &&
            same_mesh() && same(&sharding, &back);
    tg_text_drop(&text);
    return !right ? BROKEN : printed ? KEPT : REFUSED;
}

outcome law_sbp(chance *c, tg_axe *shown)
{
    tg_sharding sharding;
    tg_text text = {0};
    int splits[TG_MESH_MAX_AXES];
    tg_shape shape = {(int)pick(c, !one_in(c, 8), 3), {0}};
    tg_axe_begin(shown);
    random_mesh(c, 24, true, &mesh);
    if (one_in(c, 2)) return prints_if_it_is_one(c);
    for (int d = 0; d < shape.rank; d++) shape.extent[d] = pick(c, 1, 3);
    tg_mesh_print(&mesh, &text);
    tg_text_put(&text, " (");
    for (int a = 0; a < mesh.axis_count; a++) {
        splits[a] = (int)pick(c, -1, shape.rank - 1);
        tg_text_put(&text, a ? ", " : "");
        if (splits[a] < 0)
            tg_text_put(&text, one_in(c, 2) ? "B" : one_in(c, 2) ? "P" : "P(sum)");
        else
            tg_text_add(&text, "S(%d)", splits[a]);
        if (splits[a] >= 0) shape.extent[splits[a]] *= mesh.axes[a].size;
    }
    tg_text_put(&text, ")");
    const tg_status status =
        tg_sbp_read(text.data, text.length, shape.rank, &read_mesh, &sharding, NULL);
    tg_text_drop(&text);
    if (status != TG_OK || !same_mesh()) return BROKEN;
    return splits_in_turn(&sharding, splits, &shape) ? KEPT : BROKEN;
}
