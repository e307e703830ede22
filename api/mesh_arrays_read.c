/* Reads what the arrays of a run on a mesh are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/mesh_arrays.h"
#include "api/mesh_layout.h"

/* ---- what is given for a parameter ---- */

static const tg_mesh_sharding *sharding_of(const tg_mesh_options *options, const char *param)
{
    for (size_t i = 0; i < options->sharding_count; i++)
        if (options->shardings[i].param && strcmp(options->shardings[i].param, param) == 0)
            return &options->shardings[i];
    return NULL;
}

static bool has_array(const tg_kernel *k, const char *name, bool input_only)
{
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_role role = k->params[p].role;
        if (role == TG_ROLE_SCRATCH || (input_only && role == TG_ROLE_OUTPUT)) continue;
        if (strcmp(k->params[p].name, name) == 0) return true;
    }
    return false;
}

/* Shardings and inputs that are of no use, or twice there. */
static tg_status check_names(const tg_kernel *k, const tg_mesh_options *options,
                             const tg_tensors *inputs, tg_diags *diags)
{
    tg_status worst = TG_OK;
    for (size_t i = 0; i < options->sharding_count; i++) {
        const tg_mesh_sharding *s = &options->shardings[i];
        const char *name = s->param ? s->param : "without a name";
        if (!s->param || !s->text || !has_array(k, s->param, false))
            worst = tg_fail(diags, TG_ERR_USAGE, NULL,
                            "there is a sharding of %s, but kernel %s has no such array", name,
                            k->name);
        else if (sharding_of(options, s->param) != s)
            worst = tg_fail(diags, TG_ERR_USAGE, NULL, "the sharding of %s is given twice", name);
    }
    for (size_t i = 0; i < inputs->count; i++)
        if (!has_array(k, inputs->list[i].name, true))
            worst = tg_fail(diags, TG_ERR_USAGE, NULL, "the kernel has no input %s",
                            inputs->list[i].name);
    return worst;
}

/* ---- the mesh ---- */

/* The mesh that the options say, or the first sharding that has one of its own. */
static tg_status find_mesh(const tg_mesh_options *options, tg_placed *scratch, tg_mesh_arrays *out,
                           tg_diags *diags)
{
    out->has_names = true;
    if (options->mesh) {
        tg_diags_set_file(diags, "mesh");
        const tg_status status =
            tg_mesh_read(options->mesh, strlen(options->mesh), &out->mesh, diags);
        tg_diags_set_file(diags, NULL);
        return status;
    }
    for (size_t i = 0; i < options->sharding_count; i++) {
        if (!options->shardings[i].text) continue;
        if (tg_api_placed_read(options->shardings[i].text, NULL, -1, scratch, NULL) != TG_OK ||
            !scratch->has_mesh)
            continue;
        out->mesh = scratch->mesh;
        return TG_OK;
    }
    out->has_names = false;
    tg_mesh_begin(&out->mesh);
    return TG_OK;
}

/* A mesh without names, of the devices that the layouts have. */
static tg_status count_devices(const tg_mesh_options *options, tg_placed *scratch,
                               tg_mesh_arrays *out, tg_diags *diags)
{
    int most = 1, count;
    for (size_t i = 0; i < options->sharding_count; i++) {
        if (!options->shardings[i].text ||
            tg_api_placed_read(options->shardings[i].text, NULL, -1, scratch, NULL) != TG_OK)
            continue;
        TG_TRY(tg_api_spread_devices(&scratch->spread, &count, diags));
        if (count > most) most = count;
    }
    return tg_mesh_add(&out->mesh, "device", strlen("device"), most, -1, diags);
}

static tg_status set_mesh(const tg_mesh_options *options, tg_placed *scratch, tg_mesh_arrays *out,
                          tg_diags *diags)
{
    TG_TRY(find_mesh(options, scratch, out, diags));
    if (!out->has_names) return count_devices(options, scratch, out, diags);
    if (!tg_mesh_is_one_device(&out->mesh)) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "a mesh that is device %d alone has no axes to spread arrays over",
                   out->mesh.ids[0]);
}

/* ---- shapes ---- */

static tg_status set_shape(const tg_mesh_sharding *s, const tg_placed *placed, tg_mesh_array *out,
                           tg_diags *diags)
{
    const tg_type *type = out->whole ? &out->whole->type : &out->param->array;
    tg_shape known = {.rank = type->rank};
    memcpy(known.extent, type->shape, (size_t)type->rank * sizeof *known.extent);
    if (!s->shape) {
        if (!out->whole) return tg_placed_whole(placed, &known, &out->shape, diags);
        out->shape = known;
        return TG_OK;
    }
    if (s->rank > TG_MAX_RANK)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "an array has at most %d dimensions",
                       TG_MAX_RANK);
    out->shape.rank = (int)s->rank;
    memcpy(out->shape.extent, s->shape, s->rank * sizeof *s->shape);
    if (out->whole &&
        (out->shape.rank != known.rank ||
         memcmp(out->shape.extent, known.extent, (size_t)known.rank * sizeof *known.extent) != 0))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "the input has another shape than is said here");
    return TG_OK;
}

static tg_type part_type(const tg_mesh_array *array, const tg_shape *part)
{
    tg_type type = {.dtype = array->param->array.dtype, .rank = part->rank};
    memcpy(type.shape, part->extent, (size_t)part->rank * sizeof *type.shape);
    return type;
}

/* Whether the parts are what the kernel takes. */
static tg_status check_part(const tg_placed *placed, const tg_mesh_array *array, tg_diags *diags)
{
    char have[TG_TYPE_TEXT], want[TG_TYPE_TEXT];
    tg_shape part;
    const tg_type *param = &array->param->array;
    tg_type_print(param, want, sizeof want);
    if (placed->form == TG_PLACED_AXE) {
        const int64_t held = tg_spread_held(&array->spread);
        if (held == tg_type_count(param)) return TG_OK;
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "each device has %lld elements, but the kernel takes %s, of %lld",
                       (long long)held, want, (long long)tg_type_count(param));
    }
    TG_TRY(tg_placed_part(placed, &array->shape, &part, diags));
    const tg_type type = part_type(array, &part);
    if (tg_same_shape(&type, param)) return TG_OK;
    const tg_type whole = part_type(array, &array->shape);
    char all[TG_TYPE_TEXT];
    return tg_fail(diags, TG_ERR_INVALID, NULL, "of %s each device has %s, but the kernel takes %s",
                   tg_type_print(&whole, all, sizeof all), tg_type_print(&type, have, sizeof have),
                   want);
}

/* ---- one array ---- */

static tg_status check_terms(const tg_mesh_array *array, tg_diags *diags)
{
    const tg_dtype dtype = array->param->array.dtype;
    if (!array->spread.terms.count || array->spread.reduction != TG_REDUCTION_SUM) return TG_OK;
    if (dtype != TG_DT_bool && tg_dtypes[dtype].special != TG_SPECIAL_E8M0) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "an array of %s is no sum over devices: there is %s", tg_dtypes[dtype].name,
                   dtype == TG_DT_bool ? "no sum of bools" : "no zero");
}

/* Ids that the mesh has. */
static tg_status check_ids(const tg_mesh *mesh, const tg_spread *spread, tg_diags *diags)
{
    if (spread->id_count && spread->id_count != mesh->device_count)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "it says the ids of %d devices, but the mesh has %d", spread->id_count,
                       mesh->device_count);
    for (int p = 0; p < spread->id_count; p++)
        if (spread->ids[p] >= mesh->device_count)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "it has device %d; those of the mesh are 0 to %d", spread->ids[p],
                           mesh->device_count - 1);
    return TG_OK;
}

static tg_status read_array(const tg_mesh_arrays *arrays, const tg_mesh_sharding *s,
                            tg_placed *placed, tg_mesh_array *out, tg_diags *diags)
{
    const tg_mesh *mesh = &arrays->mesh;
    const int rank = s->shape ? (int)s->rank : out->param->array.rank;
    TG_TRY(tg_api_placed_read(s->text, arrays->has_names ? mesh : NULL, rank, placed, diags));
    TG_TRY(set_shape(s, placed, out, diags));
    TG_TRY(tg_placed_spread(placed, &out->shape, &out->spread, diags));
    TG_TRY(check_part(placed, out, diags));
    TG_TRY(check_terms(out, diags));
    if (!out->spread.id_count && mesh->has_ids) { /* an Axe layout counts positions */
        out->spread.id_count = mesh->device_count;
        memcpy(out->spread.ids, mesh->ids, (size_t)mesh->device_count * sizeof *mesh->ids);
    }
    TG_TRY(check_ids(mesh, &out->spread, diags));
    return tg_shares_of(&out->spread, &out->shape, mesh->device_count,
                        tg_type_count(&out->param->array), &out->shares, diags);
}

static tg_status find_input(const tg_tensors *inputs, tg_mesh_array *out, tg_diags *diags)
{
    char given[TG_TYPE_TEXT];
    const char *dtype = tg_dtypes[out->param->array.dtype].name;
    out->whole = tg_tensors_find(inputs, out->param->name);
    if (!out->whole)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "input %s is missing", out->param->name);
    if (out->whole->type.dtype == out->param->array.dtype) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "input %s is %s, but the kernel takes elements of %s",
                   out->param->name, tg_type_print(&out->whole->type, given, sizeof given), dtype);
}

static tg_status read_param(const tg_mesh_arrays *arrays, const tg_mesh_options *options,
                            const tg_tensors *inputs, tg_placed *placed, tg_mesh_array *out,
                            tg_diags *diags)
{
    char where[256];
    const tg_mesh_sharding *s = sharding_of(options, out->param->name);
    if (out->param->role != TG_ROLE_OUTPUT) TG_TRY(find_input(inputs, out, diags));
    if (!s || !s->text)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "there is no sharding of %s; P() says that each device has all of it",
                       out->param->name);
    snprintf(where, sizeof where, "sharding of %s", out->param->name);
    tg_diags_set_file(diags, where);
    const tg_status status = read_array(arrays, s, placed, out, diags);
    tg_diags_set_file(diags, NULL);
    return status;
}

static tg_status read_all(const tg_mesh_options *options, const tg_tensors *inputs,
                          tg_placed *scratch, tg_mesh_arrays *out, tg_diags *diags)
{
    const tg_kernel *k = out->kernel;
    tg_status worst = check_names(k, options, inputs, diags);
    TG_TRY(set_mesh(options, scratch, out, diags));
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role == TG_ROLE_SCRATCH) continue;
        out->list[p].param = &k->params[p];
        const tg_status status = read_param(out, options, inputs, scratch, &out->list[p], diags);
        if (worst == TG_OK) worst = status;
    }
    return worst;
}

tg_status tg_mesh_arrays_read(const tg_kernel *kernel, const tg_mesh_options *options,
                              const tg_tensors *inputs, tg_mesh_arrays *out, tg_diags *diags)
{
    tg_placed *scratch = calloc(1, sizeof *scratch);
    out->kernel = kernel;
    out->list = calloc(kernel->param_count + 1, sizeof *out->list);
    const tg_status status =
        scratch && out->list ? read_all(options, inputs, scratch, out, diags) : tg_no_memory(diags);
    free(scratch);
    return status;
}
