/* Notations of arrays on the devices of a mesh. */
#include <string.h>

#include "layout/mesh/named_sharding.h"
#include "layout/mesh/sbp.h"
#include "layout/mesh/shardy.h"
#include "layout/notation/forms.h"

/* A layout counts devices by position, and has no terms of a reduction. */
static tg_status to_axe(const tg_mesh *mesh, tg_sharding *sharding,
                        const tg_notation_context *context, tg_axe *out, tg_diags *diags)
{
    if (!context->shape.rank)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "the shape of the array is needed");
    if (sharding->unreduced.count)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a layout cannot say that the array is a reduction over devices");
    if (mesh->has_ids)
        return tg_fail(
            diags, TG_ERR_UNSUPPORTED, NULL,
            "a layout counts devices by their position in the mesh, and cannot say which "
            "device is at which");
    TG_TRY(tg_sharding_extend(sharding, context->shape.rank, diags));
    return tg_sharding_to_axe(mesh, sharding, &context->shape, out, diags);
}

static tg_status from_axe(const tg_axe *axe, const tg_notation_context *context, tg_mesh *mesh,
                          tg_sharding *out, tg_diags *diags)
{
    if (!context->shape.rank)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "the shape of the array is needed");
    if (!context->mesh)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "the mesh is needed: names and numbers of devices, such as x=2,y=4");
    TG_TRY(tg_mesh_read(context->mesh, strlen(context->mesh), mesh, diags));
    return tg_sharding_from_axe(axe, mesh, &context->shape, out, diags);
}

tg_status tg_notation_read_named(const char *text, size_t length, tg_notation_context *context,
                                 tg_axe *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    TG_TRY(tg_named_sharding_read(text, length, &mesh, &sharding, diags));
    return to_axe(&mesh, &sharding, context, out, diags);
}

static void print_mesh(const tg_mesh *mesh, tg_text *out)
{
    tg_mesh_print(mesh, out);
    tg_text_put(out, " ");
}

tg_status tg_notation_print_named(const tg_axe *axe, const tg_notation_context *context,
                                  tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    TG_TRY(from_axe(axe, context, &mesh, &sharding, diags));
    print_mesh(&mesh, out);
    return tg_named_sharding_print(&mesh, &sharding, out, diags);
}

tg_status tg_notation_read_shardy(const char *text, size_t length, tg_notation_context *context,
                                  tg_axe *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    TG_TRY(tg_shardy_read(text, length, &mesh, &sharding, diags));
    if (context->shape.rank) TG_TRY(tg_shardy_check_padding(&sharding, &context->shape, diags));
    return to_axe(&mesh, &sharding, context, out, diags);
}

tg_status tg_notation_print_shardy(const tg_axe *axe, const tg_notation_context *context,
                                   tg_text *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    TG_TRY(from_axe(axe, context, &mesh, &sharding, diags));
    tg_shardy_print(&mesh, &sharding, out);
    return TG_OK;
}

tg_status tg_notation_read_sbp(const char *text, size_t length, tg_notation_context *context,
                               tg_axe *out, tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    const int rank = context->shape.rank ? context->shape.rank : -1;
    TG_TRY(tg_sbp_read(text, length, rank, &mesh, &sharding, diags));
    return to_axe(&mesh, &sharding, context, out, diags);
}

tg_status tg_notation_print_sbp(const tg_axe *axe, const tg_notation_context *context, tg_text *out,
                                tg_diags *diags)
{
    tg_mesh mesh;
    tg_sharding sharding;
    TG_TRY(from_axe(axe, context, &mesh, &sharding, diags));
    print_mesh(&mesh, out);
    return tg_sbp_print(&mesh, &sharding, out, diags);
}
