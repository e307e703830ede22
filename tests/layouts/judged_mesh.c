/* Meshes, parts of their axes, shardings and plans. */
#include <inttypes.h>
#include <string.h>

#include "layout/mesh/named_sharding.h"
#include "layout/mesh/relayout.h"
#include "layout/mesh/sbp.h"
#include "layout/mesh/shardy.h"
#include "layout/mesh/spread.h"
#include "layout/print.h"
#include "layouts/judge.h"

tg_status judged_mesh_text(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    (void)count;
    TG_TRY(tg_mesh_read(in[0], strlen(in[0]), &mesh, diags));
    tg_mesh_print(&mesh, out);
    return TG_OK;
}

/* A sharding in any of its forms, extended to the rank of a shape, if that is not NULL. */
static tg_status read(const char *text, const tg_shape *shape, tg_mesh *mesh, tg_sharding *out,
                      tg_diags *diags)
{
    const size_t length = strlen(text);
    const int rank = shape ? shape->rank : -1;
    tg_scanner scan = {text, length, 0, NULL};
    if (strncmp(text, "sdy.", 4) == 0 || *text == '#')
        return tg_shardy_read(text, length, mesh, out, diags);
    tg_mesh_scan(&scan, mesh);
    if (tg_scan_peek(&scan) == '(') return tg_sbp_read(text, length, rank, mesh, out, diags);
    TG_TRY(tg_named_sharding_read(text, length, mesh, out, diags));
    return shape ? tg_sharding_extend(out, rank, diags) : TG_OK;
}

static tg_status read_with_shape(const char *const *in, tg_mesh *mesh, tg_sharding *sharding,
                                 tg_shape *shape, tg_diags *diags)
{
    TG_TRY(tg_shape_read(in[1], strlen(in[1]), shape, diags));
    return read(in[0], shape, mesh, sharding, diags);
}

static tg_status read_pair(const char *const *in, tg_mesh *mesh, tg_parts *a, tg_parts *b,
                           tg_diags *diags)
{
    tg_scanner first = {in[1], strlen(in[1]), 0, diags}, second = {in[2], strlen(in[2]), 0, diags};
    TG_TRY(tg_mesh_read(in[0], strlen(in[0]), mesh, diags));
    TG_TRY(tg_parts_scan(&first, mesh, a, NULL));
    return tg_parts_scan(&second, mesh, b, NULL);
}

tg_status judged_parts_truncate(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_parts a, b;
    (void)count;
    TG_TRY(read_pair(in, &mesh, &a, &b, diags));
    const bool cut = tg_parts_truncate(&a, &b);
    tg_parts_print(&mesh, &a, out);
    tg_text_put(out, cut ? " cut" : "");
    return TG_OK;
}

tg_status judged_parts_compare(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_parts a, b;
    (void)count;
    TG_TRY(read_pair(in, &mesh, &a, &b, diags));
    const int compared = tg_parts_compare(&a, &b);
    tg_text_put(out, compared < 0 ? "less" : compared ? "more" : "equal");
    return TG_OK;
}

tg_status judged_sharding_named(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    (void)count;
    TG_TRY(read(in[0], NULL, &mesh, &sharding, diags));
    return tg_named_sharding_print(&mesh, &sharding, out, diags);
}

tg_status judged_sharding_sbp(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    (void)count;
    TG_TRY(read(in[0], NULL, &mesh, &sharding, diags));
    return tg_sbp_print(&mesh, &sharding, out, diags);
}

tg_status judged_sharding_shardy(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    tg_shape shape;
    if (count > 1)
        TG_TRY(read_with_shape(in, &mesh, &sharding, &shape, diags));
    else
        TG_TRY(read(in[0], NULL, &mesh, &sharding, diags));
    if (count > 1 && sharding.rank != shape.rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a sharding of %d dimensions is none of an array of rank %d", sharding.rank,
                       shape.rank);
    tg_shardy_print_axes(&mesh, &sharding, out);
    return TG_OK;
}

tg_status judged_sharding_axe(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    tg_shape shape;
    tg_spread spread;
    (void)count;
    TG_TRY(read_with_shape(in, &mesh, &sharding, &shape, diags));
    if (*in[0] == '#' || *in[0] == 's') TG_TRY(tg_shardy_check_padding(&sharding, &shape, diags));
    TG_TRY(tg_spread_from_sharding(&mesh, &sharding, &shape, &spread, diags));
    tg_spread_print(&spread, out);
    return TG_OK;
}

tg_status judged_sharding_of_axe(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    tg_shape shape;
    tg_spread spread;
    (void)count;
    TG_TRY(tg_spread_read(in[0], strlen(in[0]), &spread, diags));
    TG_TRY(tg_mesh_read(in[1], strlen(in[1]), &mesh, diags));
    TG_TRY(tg_shape_read(in[2], strlen(in[2]), &shape, diags));
    TG_TRY(tg_spread_to_sharding(&spread, &mesh, &shape, &sharding, diags));
    tg_shardy_print_axes(&mesh, &sharding, out);
    return TG_OK;
}

tg_status judged_spread_text(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_spread spread;
    (void)count;
    TG_TRY(tg_spread_read(in[0], strlen(in[0]), &spread, diags));
    tg_spread_print(&spread, out);
    return TG_OK;
}

tg_status judged_spread_json(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_spread spread;
    (void)count;
    TG_TRY(tg_spread_read(in[0], strlen(in[0]), &spread, diags));
    tg_spread_print_json(&spread, out);
    return TG_OK;
}

tg_status judged_shard_shape(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    tg_shape shape, shard;
    (void)count;
    TG_TRY(read_with_shape(in, &mesh, &sharding, &shape, diags));
    TG_TRY(tg_sharding_shard_shape(&sharding, &shape, &shard, diags));
    tg_shape_print(&shard, out);
    return TG_OK;
}

/* Of each position, "id: 0:2,4:8". */
tg_status judged_shard_slices(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    tg_shape shape, shard, first;
    (void)count;
    TG_TRY(read_with_shape(in, &mesh, &sharding, &shape, diags));
    TG_TRY(tg_sharding_shard_shape(&sharding, &shape, &shard, diags));
    for (int p = 0; p < mesh.device_count; p++) {
        tg_sharding_first(&mesh, &sharding, &shard, p, &first);
        tg_text_add(out, "%s%d:", p ? " | " : "", tg_mesh_device(&mesh, p));
        for (int d = 0; d < shape.rank; d++)
            tg_text_add(out, "%s%" PRId64 ":%" PRId64, d ? "," : " ", first.extent[d],
                        first.extent[d] + shard.extent[d]);
    }
    return TG_OK;
}

tg_status judged_shard_replicas(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    (void)count;
    TG_TRY(read(in[0], NULL, &mesh, &sharding, diags));
    for (int p = 0; p < mesh.device_count; p++)
        tg_text_add(out, "%s%d", p ? "," : "", tg_sharding_replica(&mesh, &sharding, p));
    return TG_OK;
}

tg_status judged_sharding_is_replicated(const char *const *in, int count, tg_text *out,
                                        tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    (void)count;
    TG_TRY(read(in[0], NULL, &mesh, &sharding, diags));
    tg_text_put(out, tg_sharding_is_replicated(&sharding) ? "true" : "false");
    return TG_OK;
}

static tg_status print_traffic(const tg_mesh *meshes, const tg_sharding *from,
                               const tg_collectives *steps, const tg_shape *shape, tg_text *out,
                               tg_diags *diags)
{
    const tg_sharding *before = from;
    for (size_t i = 0; i < steps->count; i++) {
        tg_traffic t;
        TG_TRY(tg_collective_traffic(&meshes[0], &meshes[1], before, &steps->list[i], shape, 4, &t,
                                     diags));
        tg_text_add(
            out, "%s%s: %d devices, %" PRId64 " sent, %" PRId64 " on a ring, %" PRId64 " on a pair",
            i ? "; " : "", tg_collective_names[steps->list[i].kind], t.devices, t.sent, t.ring_link,
            t.pair_link);
        before = &steps->list[i].after;
    }
    return TG_OK;
}

static tg_status plan(const char *const *in, bool pads, bool traffic, tg_text *out, tg_diags *diags)
{
    static tg_mesh meshes[2];
    tg_sharding from, to;
    tg_shape shape;
    tg_collectives steps = {0};
    TG_TRY(tg_shape_read(in[2], strlen(in[2]), &shape, diags));
    TG_TRY(read(in[0], &shape, &meshes[0], &from, diags));
    TG_TRY(read(in[1], &shape, &meshes[1], &to, diags));
    tg_status status =
        tg_relayout_plan(&meshes[0], &from, &meshes[1], &to, &shape, pads, &steps, diags);
    for (size_t i = 0; status == TG_OK && !traffic && i < steps.count; i++) {
        if (i) tg_text_put(out, "; ");
        tg_collective_print(&meshes[0], &steps.list[i], out);
    }
    if (status == TG_OK && traffic)
        status = print_traffic(meshes, &from, &steps, &shape, out, diags);
    tg_collectives_free(&steps);
    return status;
}

tg_status judged_relayout(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    return plan(in, count > 3, false, out, diags);
}

tg_status judged_relayout_bytes(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return plan(in, false, true, out, diags);
}
