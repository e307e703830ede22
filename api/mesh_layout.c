/* Where arrays are on the devices of a mesh. */
#include "api/mesh_layout.h"

#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "api/mesh_layout_impl.h"
#include "layout/mesh/named_sharding.h"
#include "layout/mesh/sbp.h"
#include "layout/mesh/shardy.h"
#include "loaders/layout_json.h"

/* ---- reading ---- */

tg_status tg_api_placed_read(const char *text, const tg_mesh *mesh, int rank, tg_placed *out,
                             tg_diags *diags)
{
    if (text[strspn(text, " \t\r\n")] != '{')
        return tg_placed_read(text, strlen(text), mesh, rank, out, diags);
    out->form = TG_PLACED_AXE;
    out->has_mesh = mesh != NULL;
    if (mesh) out->mesh = *mesh;
    out->spread.terms.count = out->spread.id_count = 0;
    out->spread.reduction = TG_REDUCTION_SUM;
    return tg_axe_read_json(text, strlen(text), &out->spread.layout, diags);
}

static tg_status read_shape(const int64_t *shape, size_t rank, tg_shape *out, tg_diags *diags)
{
    int64_t size;
    if (rank > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "a shape has at most %d dimensions",
                       TG_SHAPE_MAX_RANK);
    out->rank = (int)rank;
    if (rank) memcpy(out->extent, shape, rank * sizeof *shape);
    return tg_shape_size(out, &size, diags);
}

static const char *const notations[] = {[TG_PLACED_AXE] = "axe",
                                        [TG_PLACED_JAX] = "jax",
                                        [TG_PLACED_SHARDY] = "shardy",
                                        [TG_PLACED_SBP] = "sbp"};
enum { NOTATION_COUNT = sizeof notations / sizeof *notations };

static tg_status no_notation(const char *name, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_USAGE, NULL,
                   "\"%s\" is no notation of arrays on devices: axe, jax, shardy or sbp", name);
}

static int notation_of(const char *name)
{
    int i = 0;
    while (i < NOTATION_COUNT && strcmp(notations[i], name) != 0) i++;
    return i;
}

static tg_status read_layout(const char *notation, const char *text, const char *mesh,
                             const int64_t *shape, size_t rank, tg_mesh_layout *out,
                             tg_diags *diags)
{
    tg_mesh given;
    const int wanted = notation ? notation_of(notation) : 0;
    if (wanted == NOTATION_COUNT) return no_notation(notation, diags);
    TG_TRY(read_shape(shape, rank, &out->shape, diags));
    if (mesh) TG_TRY(tg_mesh_read(mesh, strlen(mesh), &given, diags));
    TG_TRY(tg_api_placed_read(text, mesh ? &given : NULL, out->shape.rank, &out->placed, diags));
    if (notation && (int)out->placed.form != wanted)
        return tg_fail(diags, TG_ERR_SYNTAX, NULL, "this is in notation %s, not %s",
                       notations[out->placed.form], notation);
    return tg_placed_spread(&out->placed, &out->shape, &out->spread, diags);
}

tg_status tg_mesh_layout_read(const char *notation, const char *text, const char *mesh,
                              const int64_t *shape, size_t rank, tg_mesh_layout **out,
                              tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_mesh_layout *layout = calloc(1, sizeof *layout);
    tg_status status = layout ? read_layout(notation, text, mesh, shape, rank, layout, diags)
                              : tg_no_memory(diags);
    tg_diags_free(&unwanted);
    *out = status == TG_OK ? layout : NULL;
    if (status != TG_OK) free(layout);
    return status;
}

void tg_mesh_layout_free(tg_mesh_layout *layout) { free(layout); }

/* ---- devices and shardings ---- */

tg_status tg_api_spread_devices(const tg_spread *spread, int *out, tg_diags *diags)
{
    const tg_range range = tg_axe_range(&spread->layout, TG_AXIS_gpuid);
    *out = spread->id_count;
    if (*out) return TG_OK;
    if (range.least < 0 || range.most >= TG_MESH_MAX_DEVICES)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the layout has devices %lld to %lld; there are 0 to %d",
                       (long long)range.least, (long long)range.most, TG_MESH_MAX_DEVICES - 1);
    *out = (int)range.most + 1;
    return TG_OK;
}

/* A mesh of one axis, for a layout whose devices have no names, and another layout if not NULL. */
static tg_status make_mesh(const tg_spread *spread, const tg_spread *other, tg_mesh *out,
                           tg_diags *diags)
{
    int count, others = 0;
    bool identity = true;
    tg_mesh_begin(out);
    TG_TRY(tg_api_spread_devices(spread, &count, diags));
    if (other) TG_TRY(tg_api_spread_devices(other, &others, diags));
    if (others > count) count = others;
    TG_TRY(tg_mesh_add(out, "device", strlen("device"), count, -1, diags));
    for (int p = 0; p < spread->id_count; p++) {
        if (spread->ids[p] >= count)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "ids of %d devices are 0 to %d; one is %d", count, count - 1,
                           spread->ids[p]);
        out->ids[p] = spread->ids[p];
        identity &= out->ids[p] == p;
    }
    out->has_ids = spread->id_count && !identity;
    return TG_OK;
}

tg_status tg_api_mesh_sharding(const tg_mesh_layout *layout, const tg_mesh_layout *other,
                               tg_mesh *mesh, tg_sharding *out, tg_diags *diags)
{
    const tg_placed *placed = &layout->placed;
    if (placed->has_mesh)
        *mesh = placed->mesh;
    else if (other && other->placed.has_mesh)
        *mesh = other->placed.mesh;
    else
        TG_TRY(make_mesh(&layout->spread, other ? &other->spread : NULL, mesh, diags));
    if (placed->form == TG_PLACED_AXE)
        return tg_spread_to_sharding(&layout->spread, mesh, &layout->shape, out, diags);
    tg_sharding_copy(&placed->sharding, out);
    return tg_sharding_extend(out, layout->shape.rank, diags);
}

size_t tg_mesh_layout_device_count(const tg_mesh_layout *layout)
{
    int count;
    if (layout->placed.has_mesh) return (size_t)layout->placed.mesh.device_count;
    return tg_api_spread_devices(&layout->spread, &count, NULL) == TG_OK ? (size_t)count : 0;
}

static tg_status fill_shard(const tg_mesh_layout *layout, size_t position, tg_mesh_shard *out,
                            tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    tg_shape part, first;
    TG_TRY(tg_api_mesh_sharding(layout, NULL, &mesh, &sharding, diags));
    if (position >= (size_t)mesh.device_count)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "there is no position %zu in a mesh of %d devices", position,
                       mesh.device_count);
    TG_TRY(tg_sharding_shard_shape(&sharding, &layout->shape, &part, diags));
    tg_sharding_first(&mesh, &sharding, &part, (int)position, &first);
    *out = (tg_mesh_shard){.device = tg_mesh_device(&mesh, (int)position),
                           .replica = tg_sharding_replica(&mesh, &sharding, (int)position),
                           .rank = (size_t)part.rank};
    memcpy(out->first, first.extent, (size_t)part.rank * sizeof *out->first);
    memcpy(out->extent, part.extent, (size_t)part.rank * sizeof *out->extent);
    return TG_OK;
}

tg_status tg_mesh_layout_shard(const tg_mesh_layout *layout, size_t position, tg_mesh_shard *out,
                               tg_errors *errors)
{
    tg_diags unwanted = {0};
    const tg_status status = fill_shard(layout, position, out, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    return status;
}

/* ---- printing ---- */

static tg_status print_sharding(const tg_mesh_layout *layout, const char *notation, tg_text *out,
                                tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    TG_TRY(tg_api_mesh_sharding(layout, NULL, &mesh, &sharding, diags));
    if (strcmp(notation, "shardy") == 0) {
        tg_shardy_print(&mesh, &sharding, out);
        return TG_OK;
    }
    tg_mesh_print(&mesh, out);
    tg_text_put(out, " ");
    if (strcmp(notation, "jax") == 0) return tg_named_sharding_print(&mesh, &sharding, out, diags);
    if (strcmp(notation, "sbp") == 0) return tg_sbp_print(&mesh, &sharding, out, diags);
    return no_notation(notation, diags);
}

char *tg_mesh_layout_print(const tg_mesh_layout *layout, const char *notation, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_text text = {0};
    tg_status status = TG_OK;
    if (strcmp(notation, "axe") == 0)
        tg_spread_print(&layout->spread, &text);
    else
        status = print_sharding(layout, notation, &text, diags);
    tg_diags_free(&unwanted);
    if (status == TG_OK) return tg_text_finish(&text);
    tg_text_drop(&text);
    return NULL;
}
