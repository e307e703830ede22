/* The arrays of a call as memory of the parameters. */
#include "api/arrays.h"

#include <stdio.h>
#include <string.h>

#include "loaders/elements.h"

/* ---- DLPack dtypes ---- */

static tg_dldtype dl_dtype(tg_dtype dtype)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    if (info->kind == TG_KIND_SEMAPHORE) return (tg_dldtype){0}; /* of no array */
    const uint8_t bits = info->kind == TG_KIND_BOOL ? 8 : info->bits;
    return (tg_dldtype){.code = info->dlpack, .bits = bits, .lanes = 1};
}

tg_dldtype tg_dtype_to_dlpack(const char *dtype)
{
    tg_dtype found = tg_dtype_by_name(dtype);
    return found == TG_DT_COUNT ? (tg_dldtype){0} : dl_dtype(found);
}

tg_dtype tg_api_dtype(tg_dldtype dtype)
{
    for (int d = 0; d < TG_DT_COUNT && dtype.lanes == 1; d++) {
        const tg_dldtype own = dl_dtype((tg_dtype)d);
        if (own.code == dtype.code && own.bits == dtype.bits) return (tg_dtype)d;
    }
    return TG_DT_COUNT;
}

const char *tg_dtype_from_dlpack(tg_dldtype dtype)
{
    const tg_dtype found = tg_api_dtype(dtype);
    return found == TG_DT_COUNT ? NULL : tg_dtypes[found].name;
}

/* ---- arrays ---- */

/* Strides of arrays without elements mean nothing. */
static bool is_row_major(const tg_dltensor *t)
{
    int64_t step = 1;
    bool is_dense = true;
    for (int d = t->ndim - 1; t->strides && d >= 0; d--) {
        if (t->shape[d] != 1 && t->strides[d] != step) is_dense = false;
        step *= t->shape[d];
    }
    return is_dense || step == 0;
}

/* The type of an array as text: "f64[8]"; "another type" where no dtype of ours is like its own. */
static void print_array_type(const tg_dltensor *t, char *out, size_t size)
{
    tg_type type = {.dtype = tg_api_dtype(t->dtype), .rank = t->ndim};
    bool has_shape = t->ndim == 0 || (t->ndim > 0 && t->ndim <= TG_MAX_RANK && t->shape);
    if (type.dtype == TG_DT_COUNT || !has_shape) {
        snprintf(out, size, "another type");
        return;
    }
    for (int d = 0; d < t->ndim; d++) type.shape[d] = t->shape[d];
    tg_type_print(&type, out, size);
}

/* What no array may be, whatever it is for; NULL where nothing is wrong. */
static const char *what_is_wrong(const tg_dltensor *t)
{
    if (t->device.device_type != 1) return "is not on the CPU";
    if (!is_row_major(t)) return "is not row-major";
    return NULL;
}

static tg_status check_array(const tg_kernel *k, const tg_param *param, const tg_array *array,
                             tg_diags *diags)
{
    const tg_dltensor *t = &array->tensor;
    tg_dldtype dtype = dl_dtype(param->array.dtype);
    char type[TG_TYPE_TEXT], own[TG_TYPE_TEXT];
    tg_type_print(&param->array, type, sizeof type);
    bool fits = t->ndim == param->array.rank && t->dtype.code == dtype.code &&
                t->dtype.bits == dtype.bits && t->dtype.lanes == 1 && (t->shape || t->ndim == 0);
    for (int d = 0; fits && d < t->ndim; d++) fits = t->shape[d] == param->array.shape[d];
    if (!fits) {
        print_array_type(t, own, sizeof own);
        return tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: array %s is %s; the parameter is %s",
                       k->name, array->name, own, type);
    }
    const char *wrong = what_is_wrong(t);
    if (wrong)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: array %s %s", k->name, array->name,
                       wrong);
    if (!t->data && tg_type_count(&param->array) > 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: array %s has no data", k->name,
                       array->name);
    return TG_OK;
}

static const char *read_shape(const tg_dltensor *t, tg_type *type)
{
    const char *wrong = t->ndim < 0 || (t->ndim > 0 && !t->shape) ? "has no shape" : NULL;
    for (int d = 0; d < t->ndim && !wrong; d++) wrong = tg_elements_add_extent(type, t->shape[d]);
    return wrong;
}

tg_status tg_api_tensor_of(const tg_array *array, tg_tensor *out, tg_diags *diags)
{
    const tg_dltensor *t = &array->tensor;
    tg_tensor tensor = {.type.dtype = tg_api_dtype(t->dtype)};
    const char *wrong =
        tensor.type.dtype == TG_DT_COUNT ? "is of an unknown dtype" : read_shape(t, &tensor.type);
    if (!wrong) wrong = what_is_wrong(t);
    if (!wrong && !t->data && tg_type_count(&tensor.type) > 0) wrong = "has no data";
    *out = (tg_tensor){0};
    if (wrong)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "array %s %s", array->name ? array->name : "",
                       wrong);
    if (t->data) tensor.data = (char *)t->data + t->byte_offset;
    *out = tensor;
    return TG_OK;
}

tg_array tg_api_array_of(const char *name, tg_tensor *tensor)
{
    return (tg_array){.name = name,
                      .tensor = {.data = tensor->data,
                                 .device = {.device_type = 1},
                                 .ndim = tensor->type.rank,
                                 .dtype = dl_dtype(tensor->type.dtype),
                                 .shape = tensor->type.shape}};
}

static const tg_param *find_param(const tg_kernel *k, const char *name)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (strcmp(k->params[p].name, name) == 0) return &k->params[p];
    return NULL;
}

/* Whether two params' memory overlaps where it must not: an output may share memory only with the
 * input it is an alias of, and then all of it. */
static bool clash(const tg_kernel *k, void *const *data, uint32_t output, uint32_t other)
{
    const tg_param *a = &k->params[output], *b = &k->params[other];
    uintptr_t from_a = (uintptr_t)data[output], from_b = (uintptr_t)data[other];
    if (a->alias == (int)other && from_a == from_b) return false;
    return from_a < from_b + tg_tensor_bytes(&b->array) &&
           from_b < from_a + tg_tensor_bytes(&a->array);
}

static tg_status check_overlaps(const tg_kernel *k, void *const *data, tg_diags *diags)
{
    tg_status worst = TG_OK;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role != TG_ROLE_OUTPUT || !data[p]) continue;
        for (uint32_t q = 0; q < k->param_count; q++)
            if (q != p && data[q] && (k->params[q].role != TG_ROLE_OUTPUT || q > p) &&
                clash(k, data, p, q))
                worst = tg_fail(diags, TG_ERR_USAGE, NULL,
                                "kernel %s: arrays %s and %s overlap in memory", k->name,
                                k->params[p].name, k->params[q].name);
    }
    return worst;
}

tg_status tg_api_set_data(const tg_kernel *k, const tg_array *arrays, size_t count, void **data,
                          bool *given, tg_diags *diags)
{
    tg_status worst = TG_OK;
    for (size_t i = 0; i < count; i++) {
        const tg_param *param = arrays[i].name ? find_param(k, arrays[i].name) : NULL;
        if (!param || param->role == TG_ROLE_SCRATCH) {
            worst = tg_fail(diags, TG_ERR_USAGE, NULL,
                            "kernel %s has no parameter %s that takes an array", k->name,
                            arrays[i].name ? arrays[i].name : "without a name");
            continue;
        }
        if (given[param - k->params])
            worst = tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: array %s is given twice",
                            k->name, param->name);
        given[param - k->params] = true;
        tg_status status = check_array(k, param, &arrays[i], diags);
        if (status != TG_OK) worst = status;
        if (arrays[i].tensor.data)
            data[param - k->params] = (char *)arrays[i].tensor.data + arrays[i].tensor.byte_offset;
    }
    for (uint32_t p = 0; p < k->param_count; p++) {
        char type[TG_TYPE_TEXT];
        if (given[p] || k->params[p].role == TG_ROLE_SCRATCH) continue;
        worst = tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: no array for %s %s, which is %s",
                        k->name, tg_role_names[k->params[p].role], k->params[p].name,
                        tg_type_print(&k->params[p].array, type, sizeof type));
    }
    return worst == TG_OK ? check_overlaps(k, data, diags) : worst;
}
