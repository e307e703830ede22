/* Arrays that the library keeps: in memory and in files. */
#include <stdlib.h>
#include <string.h>

#include "api/arrays.h"
#include "api/errors.h"
#include "loaders/npy.h"
#include "loaders/npz.h"
#include "loaders/tensor_file.h"

tg_arrays *tg_arrays_new(void) { return calloc(1, sizeof(tg_arrays)); }

void tg_arrays_free(tg_arrays *arrays)
{
    if (arrays) tg_tensors_free(arrays);
    free(arrays);
}

size_t tg_arrays_count(const tg_arrays *arrays) { return arrays->count; }

tg_array tg_arrays_get(const tg_arrays *arrays, size_t index)
{
    return tg_api_array_of(arrays->list[index].name, &arrays->list[index].tensor);
}

size_t tg_arrays_find(const tg_arrays *arrays, const char *name)
{
    size_t i = 0;
    while (i < arrays->count && strcmp(arrays->list[i].name, name) != 0) i++;
    return i;
}

/* ---- in memory ---- */

/* Takes the tensor, also on failure. */
static tg_status add(tg_arrays *arrays, const char *name, tg_tensor *tensor, tg_diags *diags)
{
    const tg_status status = tg_tensors_add(arrays, name, tensor);
    if (status == TG_ERR_INVALID)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "there is an array %s already", name);
    return status == TG_OK ? TG_OK : tg_no_memory(diags);
}

static tg_status add_copy(tg_arrays *arrays, const tg_array *array, tg_diags *diags)
{
    tg_tensor from, copy;
    if (!array->name) return tg_fail(diags, TG_ERR_USAGE, NULL, "the array has no name");
    TG_TRY(tg_api_tensor_of(array, &from, diags));
    if (tg_tensor_new(&from.type, &copy) != TG_OK) return tg_no_memory(diags);
    if (copy.data) memcpy(copy.data, from.data, tg_tensor_bytes(&from.type));
    return add(arrays, array->name, &copy, diags);
}

tg_status tg_arrays_add(tg_arrays *arrays, const tg_array *array, tg_errors *errors)
{
    tg_diags unwanted = {0};
    const tg_status status = add_copy(arrays, array, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    return status;
}

static tg_status add_zeros(tg_arrays *arrays, const char *name, const char *text, tg_diags *diags)
{
    tg_type type;
    tg_tensor zeros;
    const char *wrong = tg_type_parse(text, &type);
    if (!wrong && type.is_ref) wrong = "is that of a reference";
    if (!wrong && tg_is_semaphore(type.dtype)) wrong = "is that of semaphores";
    if (wrong) return tg_fail(diags, TG_ERR_USAGE, NULL, "type \"%s\" %s", text, wrong);
    if (tg_tensor_new(&type, &zeros) != TG_OK) return tg_no_memory(diags);
    if (zeros.data) memset(zeros.data, 0, tg_tensor_bytes(&type));
    return add(arrays, name, &zeros, diags);
}

tg_status tg_arrays_add_zeros(tg_arrays *arrays, const char *name, const char *type,
                              tg_errors *errors)
{
    tg_diags unwanted = {0};
    const tg_status status = add_zeros(arrays, name, type, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    return status;
}

/* ---- files ---- */

int tg_arrays_can_read(const char *path) { return tg_tensor_file_known(path); }

/* The dtype that the reader of a file wants; TG_DT_COUNT where it leaves that to the file. */
static tg_dtype wanted(void *context, const char *name)
{
    const tg_arrays_read_options *options = context;
    const char *dtype = options->dtype(options->context, name);
    return dtype ? tg_dtype_by_name(dtype) : TG_DT_COUNT;
}

static tg_status load(const char *path, tg_arrays_read_options *options, tg_tensors *out,
                      tg_diags *diags)
{
    const char *ending = strrchr(path, '.');
    const tg_npz_opts opts = {.expect = wanted, .context = options};
    if (options->dtype && ending && strcmp(ending, ".npz") == 0)
        return tg_npz_load(path, &opts, out, diags);
    return tg_tensor_file_load_all(path, out, diags);
}

/* Frees those that the reader leaves out. */
static void leave_out(tg_tensors *found, const tg_arrays_read_options *options)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        struct tg_named_tensor *one = &found->list[i];
        if (options->dtype && !options->dtype(options->context, one->name)) {
            free(one->name);
            tg_tensor_free(&one->tensor);
        } else {
            found->list[kept++] = *one;
        }
    }
    found->count = kept;
}

/* Moves all of `found` to `arrays`, or none. */
static tg_status move(tg_tensors *found, tg_arrays *arrays, tg_diags *diags)
{
    tg_status status = TG_OK;
    const size_t before = arrays->count;
    for (size_t i = 0; i < found->count && status == TG_OK; i++)
        status = add(arrays, found->list[i].name, &found->list[i].tensor, diags);
    while (status != TG_OK && arrays->count > before) {
        free(arrays->list[--arrays->count].name);
        tg_tensor_free(&arrays->list[arrays->count].tensor);
    }
    return status;
}

tg_status tg_arrays_read(tg_arrays *arrays, const char *path, const tg_arrays_read_options *options,
                         tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_arrays_read_options own = {.size = sizeof own};
    tg_tensors found = {0};
    if (options) memcpy(&own, options, options->size < sizeof own ? options->size : sizeof own);
    tg_status status = load(path, &own, &found, diags);
    if (status == TG_OK) {
        leave_out(&found, &own);
        status = move(&found, arrays, diags);
    }
    tg_tensors_free(&found);
    tg_diags_free(&unwanted);
    return status;
}

tg_status tg_arrays_read_one(tg_arrays *arrays, const char *name, const char *path, const char *key,
                             const char *dtype, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_dtype expect = dtype ? tg_dtype_by_name(dtype) : TG_DT_COUNT;
    tg_tensor tensor;
    tg_status status;
    if (dtype && expect == TG_DT_COUNT)
        status = tg_fail(diags, TG_ERR_USAGE, NULL, "\"%s\" is no dtype", dtype);
    else
        status = tg_tensor_file_load(path, key, expect, &tensor, diags);
    if (status == TG_OK) status = add(arrays, name, &tensor, diags);
    tg_diags_free(&unwanted);
    return status;
}

tg_status tg_arrays_write(const tg_arrays *arrays, const char *path, tg_errors *errors)
{
    tg_diags unwanted = {0};
    const tg_status status = tg_tensor_file_save(path, arrays, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    return status;
}

tg_status tg_array_write_npy(const tg_array *array, const char *path, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_tensor tensor;
    tg_status status = tg_api_tensor_of(array, &tensor, diags);
    if (status == TG_OK) status = tg_npy_save(path, &tensor, diags);
    tg_diags_free(&unwanted);
    return status;
}
