#include "cli/ptx_args.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/errors.h"

/* -- scalars -- */

/* "i32:5" */
static tg_status take_scalar(const char *text, const tg_emulator_param_info *param,
                             tg_ptx_args *args, tg_diags *diags)
{
    char name[16] = "";
    uint64_t *element = &args->scalars[args->count];
    const size_t length = strcspn(text, ":");
    if (length < sizeof name) memcpy(name, text, length);
    const tg_dldtype dtype = tg_dtype_to_dlpack(name);
    const size_t bytes = (dtype.bits + 7U) / 8U;
    if (!dtype.lanes)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "--arg %s: neither a .npy file nor zeros:TYPE nor DTYPE:NUMBER", text);
    const bool has_number = text[length] && bytes <= sizeof args->scalars[0];
    if (!has_number || tg_element_parse(dtype, text + length + 1, element) != TG_OK)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "--arg %s: that is no %s", text, name);
    if (bytes != param->bytes)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "--arg %s: parameter %s has %zu bytes", text,
                       param->name, param->bytes);
    args->list[args->count] = (tg_emulator_arg){.data = element, .bytes = bytes};
    return TG_OK;
}

/* -- arrays -- */

static size_t bytes_of(const tg_array *array)
{
    size_t bytes = (array->tensor.dtype.bits + 7U) / 8U;
    for (int d = 0; d < array->tensor.ndim; d++) bytes *= (size_t)array->tensor.shape[d];
    return bytes;
}

static tg_status add_zeros(const char *text, const char *name, tg_arrays *arrays, tg_diags *diags)
{
    tg_errors *errors = tg_errors_new();
    const tg_status status = tg_arrays_add_zeros(arrays, name, text + strlen("zeros:"), errors);
    if (status != TG_OK)
        tg_fail(diags, status, NULL, "--arg %s: %s", text,
                errors && tg_errors_count(errors) ? tg_errors_get(errors, 0).message
                                                  : tg_status_text(status));
    tg_errors_free(errors);
    return status;
}

static tg_status add_file(const char *path, const char *name, tg_arrays *arrays, tg_diags *diags)
{
    tg_errors *errors = tg_errors_new();
    return tg_cli_collect(diags, errors,
                          tg_arrays_read_one(arrays, name, path, NULL, NULL, errors));
}

static tg_status take_array(const char *text, const tg_emulator_param_info *param,
                            tg_ptx_args *args, tg_diags *diags)
{
    if (param->bytes != 8)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "--arg %s: parameter %s has %zu bytes and is no pointer", text, param->name,
                       param->bytes);
    TG_TRY(strncmp(text, "zeros:", 6) == 0 ? add_zeros(text, param->name, args->arrays, diags)
                                           : add_file(text, param->name, args->arrays, diags));
    const tg_array array = tg_arrays_get(args->arrays, tg_arrays_count(args->arrays) - 1);
    args->list[args->count] =
        (tg_emulator_arg){.data = array.tensor.data, .bytes = bytes_of(&array), .is_memory = 1};
    return TG_OK;
}

static bool is_array(const char *text)
{
    const char *ending = strrchr(text, '.');
    return strncmp(text, "zeros:", 6) == 0 || (ending && strcmp(ending, ".npy") == 0);
}

tg_status tg_ptx_args_read(const tg_emulator_module *module, size_t entry, const char *const *texts,
                           size_t count, tg_ptx_args *out, tg_diags *diags)
{
    const size_t wanted = tg_emulator_param_count(module, entry);
    *out = (tg_ptx_args){.arrays = tg_arrays_new()};
    if (!out->arrays) return tg_no_memory(diags);
    if (count != wanted || count > TG_PTX_MAX_ARGS)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "%s has %zu parameters, and %zu --arg are given",
                       tg_emulator_entry_name(module, entry), wanted, count);
    for (; out->count < count; out->count++) {
        const char *text = texts[out->count];
        const tg_emulator_param_info param = tg_emulator_param(module, entry, out->count);
        TG_TRY(is_array(text) ? take_array(text, &param, out, diags)
                              : take_scalar(text, &param, out, diags));
    }
    return TG_OK;
}

/* -- results -- */

static tg_status write_array(const tg_ptx_args *args, size_t index, const char *path,
                             tg_diags *diags)
{
    const tg_array array = tg_arrays_get(args->arrays, index);
    tg_errors *errors = tg_errors_new();
    return tg_cli_collect(diags, errors, tg_array_write_npy(&array, path, errors));
}

/* "NAME=FILE": the parameter NAME. */
static tg_status write_one(const tg_ptx_args *args, const char *out, size_t length, tg_diags *diags)
{
    for (size_t i = 0; i < tg_arrays_count(args->arrays); i++) {
        const char *name = tg_arrays_get(args->arrays, i).name;
        if (strlen(name) == length && memcmp(name, out, length) == 0)
            return write_array(args, i, out + length + 1, diags);
    }
    return tg_fail(diags, TG_ERR_USAGE, NULL, "--out %s: no array is called so", out);
}

tg_status tg_ptx_args_write(const tg_ptx_args *args, const char *out, tg_diags *diags)
{
    const size_t length = strcspn(out, "=/");
    if (out[length] == '=') return write_one(args, out, length, diags);
    for (size_t i = 0; i < tg_arrays_count(args->arrays); i++) {
        char path[4096];
        const char *name = tg_arrays_get(args->arrays, i).name;
        if ((size_t)snprintf(path, sizeof path, "%s/%s.npy", out, name) >= sizeof path)
            return tg_fail(diags, TG_ERR_USAGE, NULL, "--out %s: the name is too long", out);
        TG_TRY(write_array(args, i, path, diags));
    }
    return TG_OK;
}

void tg_ptx_args_free(tg_ptx_args *args)
{
    tg_arrays_free(args->arrays);
    args->arrays = NULL;
}
