#include "cli/ptx_args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/bits.h"
#include "loaders/npy.h"

typedef struct tg_ptx_arg arg_entry;
enum { ALIGNMENT = 256 }; /* as cuMemAlloc gives it */

/* -- scalars -- */

/* The bits of a number; false where it is none of the dtype. */
static bool read_number(const char *text, tg_dtype dtype, uint64_t *bits)
{
    char *end;
    unsigned width = tg_dtypes[dtype].bits;
    errno = 0;
    if (tg_is_float(dtype)) {
        double value = strtod(text, &end);
        *bits = tg_bits_round(dtype, value);
        return end != text && !*end;
    }
    if (tg_is_signed(dtype)) {
        long long value = strtoll(text, &end, 0);
        *bits = (uint64_t)value;
        return end != text && !*end && !errno &&
               (width == 64 || (value >> (width - 1)) == (value < 0 ? -1 : 0));
    }
    unsigned long long value = strtoull(text, &end, 0);
    *bits = value;
    return end != text && !*end && !errno && text[0] != '-' && (width == 64 || value >> width == 0);
}

/* "i32:5" */
static tg_status take_scalar(const char *text, const tg_emu_param *param, unsigned char *to,
                             tg_diags *diags)
{
    char name[16] = "";
    uint64_t bits;
    size_t length = strcspn(text, ":");
    if (length < sizeof name) memcpy(name, text, length);
    tg_dtype dtype = tg_dtype_by_name(name);
    if (dtype == TG_DT_COUNT)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "--arg %s: neither a .npy file nor zeros:TYPE nor DTYPE:NUMBER", text);
    if (!read_number(text + length + 1, dtype, &bits))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "--arg %s: that is no %s", text, name);
    if (tg_dtypes[dtype].bytes != param->bytes)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "--arg %s: parameter %s has %zu bytes", text,
                       param->name, param->bytes);
    for (size_t i = 0; i < param->bytes; i++) to[i] = (unsigned char)(bits >> 8 * i);
    return TG_OK;
}

/* -- arrays -- */

static tg_status make_zeros(const char *text, tg_tensor *out, tg_diags *diags)
{
    tg_type type;
    const char *problem = tg_type_parse(text + strlen("zeros:"), &type);
    if (!problem && type.is_ref) problem = "a reference is no array";
    if (problem) return tg_fail(diags, TG_ERR_USAGE, NULL, "--arg %s: %s", text, problem);
    if (tg_tensor_new(&type, out) != TG_OK)
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory for %s", text);
    if (out->data) memset(out->data, 0, tg_tensor_bytes(&type));
    return TG_OK;
}

static tg_status take_array(const char *text, const tg_emu_param *param, tg_emu_memory *memory,
                            arg_entry *out, unsigned char *to, tg_diags *diags)
{
    if (param->bytes != 8)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "--arg %s: parameter %s has %zu bytes and is no pointer", text, param->name,
                       param->bytes);
    TG_TRY(strncmp(text, "zeros:", 6) == 0 ? make_zeros(text, &out->tensor, diags)
                                           : tg_npy_load(text, TG_DT_COUNT, &out->tensor, diags));
    size_t bytes = tg_tensor_bytes(&out->tensor.type);
    out->address = tg_emu_alloc(memory, bytes, ALIGNMENT, param->name);
    if (!out->address) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory for %s", text);
    if (bytes) memcpy(tg_emu_host(memory, out->address, bytes), out->tensor.data, bytes);
    for (size_t i = 0; i < 8; i++) to[i] = (unsigned char)(out->address >> 8 * i);
    return TG_OK;
}

static bool is_array(const char *text)
{
    const char *ending = strrchr(text, '.');
    return strncmp(text, "zeros:", 6) == 0 || (ending && strcmp(ending, ".npy") == 0);
}

tg_status tg_ptx_args_read(const tg_emu_module *module, size_t entry, const char *const *texts,
                           size_t count, tg_emu_memory *memory, tg_ptx_args *out, tg_diags *diags)
{
    size_t wanted = tg_emu_param_count(module, entry);
    memset(out, 0, sizeof *out);
    if (count != wanted || count > TG_PTX_MAX_ARGS)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "%s has %zu parameters, and %zu --arg are given",
                       tg_emu_entry_name(module, entry), wanted, count);
    out->param_bytes = tg_emu_param_bytes(module, entry);
    out->params = calloc(out->param_bytes + 1, 1);
    if (!out->params) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory for the parameters");
    for (; out->count < count; out->count++) {
        const char *text = texts[out->count];
        tg_emu_param param = tg_emu_param_at(module, entry, out->count);
        arg_entry *arg = &out->list[out->count];
        unsigned char *to = out->params + param.offset;
        arg->name = param.name;
        TG_TRY(is_array(text) ? take_array(text, &param, memory, arg, to, diags)
                              : take_scalar(text, &param, to, diags));
    }
    return TG_OK;
}

void tg_ptx_args_fetch(tg_ptx_args *args, tg_emu_memory *memory)
{
    for (size_t i = 0; i < args->count; i++) {
        size_t bytes = args->list[i].address ? tg_tensor_bytes(&args->list[i].tensor.type) : 0;
        if (bytes)
            memcpy(args->list[i].tensor.data, tg_emu_host(memory, args->list[i].address, bytes),
                   bytes);
    }
}

/* "NAME=FILE": the parameter NAME. */
static tg_status write_one(const tg_ptx_args *args, const char *out, size_t length, tg_diags *diags)
{
    for (size_t i = 0; i < args->count; i++)
        if (args->list[i].address && strlen(args->list[i].name) == length &&
            memcmp(args->list[i].name, out, length) == 0)
            return tg_npy_save(out + length + 1, &args->list[i].tensor, diags);
    return tg_fail(diags, TG_ERR_USAGE, NULL, "--out %s: no array is called so", out);
}

tg_status tg_ptx_args_write(const tg_ptx_args *args, const char *out, tg_diags *diags)
{
    size_t length = strcspn(out, "=/");
    if (out[length] == '=') return write_one(args, out, length, diags);
    for (size_t i = 0; i < args->count; i++) {
        char path[4096];
        if (!args->list[i].address) continue;
        if ((size_t)snprintf(path, sizeof path, "%s/%s.npy", out, args->list[i].name) >=
            sizeof path)
            return tg_fail(diags, TG_ERR_USAGE, NULL, "--out %s: the name is too long", out);
        TG_TRY(tg_npy_save(path, &args->list[i].tensor, diags));
    }
    return TG_OK;
}

void tg_ptx_args_free(tg_ptx_args *args)
{
    for (size_t i = 0; i < TG_PTX_MAX_ARGS; i++) tg_tensor_free(&args->list[i].tensor);
    free(args->params);
    args->params = NULL;
}
