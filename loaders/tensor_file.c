#include "loaders/tensor_file.h"

#include <string.h>

#include "loaders/npy.h"
#include "loaders/npz.h"
#include "loaders/safetensors.h"

typedef enum format { NPY, NPZ, SAFETENSORS, UNKNOWN } format;

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static format format_of(const char *path)
{
    if (ends_in(path, ".npy")) return NPY;
    if (ends_in(path, ".npz")) return NPZ;
    return ends_in(path, ".safetensors") ? SAFETENSORS : UNKNOWN;
}

bool tg_tensor_file_known(const char *path) { return format_of(path) != UNKNOWN; }

bool tg_tensor_file_is_archive(const char *path)
{
    format kind = format_of(path);
    return kind == NPZ || kind == SAFETENSORS;
}

static tg_status unknown(const char *path, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_USAGE, NULL, "'%s' is not named .npy, .npz or .safetensors", path);
}

static tg_dtype expect_one(void *context, const char *name)
{
    (void)name;
    return *(const tg_dtype *)context;
}

static tg_status load_archive(const char *path, const char *key, tg_dtype expect, tg_tensors *all,
                              tg_diags *diags)
{
    tg_npz_opts opts = {.only = key, .expect = expect_one, .context = &expect};
    if (format_of(path) == SAFETENSORS)
        TG_TRY(tg_safetensors_load(path, key, all, diags));
    else
        TG_TRY(tg_npz_load(path, &opts, all, diags));
    if (all->count != 1)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "'%s' holds %zu tensors, name one of them", path,
                       all->count);
    tg_dtype dtype = all->list[0].tensor.type.dtype;
    if (expect != TG_DT_COUNT && dtype != expect)
        return tg_fail(diags, TG_ERR_TYPE, NULL, "'%s': elements are %s, expected %s", path,
                       tg_dtypes[dtype].name, tg_dtypes[expect].name);
    return TG_OK;
}

tg_status tg_tensor_file_load(const char *path, const char *key, tg_dtype expect, tg_tensor *out,
                              tg_diags *diags)
{
    tg_tensors all = {0};
    format kind = format_of(path);
    *out = (tg_tensor){0};
    if (kind == UNKNOWN) return unknown(path, diags);
    if (kind == NPY && key)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "'%s' holds one tensor without a name", path);
    if (kind == NPY) return tg_npy_load(path, expect, out, diags);
    tg_status status = load_archive(path, key, expect, &all, diags);
    if (status == TG_OK) {
        *out = all.list[0].tensor;
        all.list[0].tensor = (tg_tensor){0};
    }
    tg_tensors_free(&all);
    return status;
}

static tg_status load_npy(const char *path, tg_tensors *out, tg_diags *diags)
{
    char name[256];
    tg_tensor tensor;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base) - strlen(".npy");
    if (length >= sizeof name) length = sizeof name - 1;
    memcpy(name, base, length);
    name[length] = '\0';
    TG_TRY(tg_npy_load(path, TG_DT_COUNT, &tensor, diags));
    tg_status status = tg_tensors_add(out, name, &tensor);
    if (status == TG_OK) return TG_OK;
    return tg_fail(diags, status, NULL, "'%s': no place for a tensor '%s'", path, name);
}

tg_status tg_tensor_file_load_all(const char *path, tg_tensors *out, tg_diags *diags)
{
    switch (format_of(path)) {
    case NPY: return load_npy(path, out, diags);
    case NPZ: return tg_npz_load(path, NULL, out, diags);
    case SAFETENSORS: return tg_safetensors_load(path, NULL, out, diags);
    default: return unknown(path, diags);
    }
}

tg_status tg_tensor_file_save(const char *path, const tg_tensors *tensors, tg_diags *diags)
{
    switch (format_of(path)) {
    case NPZ: return tg_npz_save(path, tensors, true, diags);
    case SAFETENSORS: return tg_safetensors_save(path, tensors, diags);
    case UNKNOWN: return unknown(path, diags);
    default: break;
    }
    if (tensors->count != 1)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "'%s' takes one tensor, not %zu", path,
                       tensors->count);
    return tg_npy_save(path, &tensors->list[0].tensor, diags);
}
