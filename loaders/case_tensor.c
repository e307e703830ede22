/* Reads the tensors of a case: from a file, by a rule, or element by element. */
#include "loaders/case_tensor.h"

#include <stdlib.h>
#include <string.h>

#include "ir/bits.h"
#include "ir/literal.h"
#include "loaders/case_file.h"
#include "loaders/fill.h"
#include "loaders/tensor_file.h"

/* -- from a file -- */

static bool fits_param(tg_json_reader *r, const tg_case *of, const tg_type *type, const tg_path *at,
                       const tg_param *param)
{
    char have[TG_TYPE_TEXT], want[TG_TYPE_TEXT];
    const bool any_shape = of->arrays == TG_CASE_WHOLE;
    if (any_shape ? type->dtype == param->array.dtype : tg_same_type(type, &param->array))
        return true;
    return tg_json_problem(r, TG_ERR_TYPE, at, "the tensor is %s, the parameter %s",
                           tg_type_print(type, have, sizeof have),
                           tg_type_print(&param->array, want, sizeof want));
}

static bool load_file(tg_json_reader *r, const tg_case *of, const char *path, const char *key,
                      const tg_path *at, const tg_param *param, tg_case_tensor *out)
{
    if (!tg_tensor_file_known(path))
        return tg_json_problem(r, TG_ERR_INVALID, at,
                               "the file is not named .npy, .npz or .safetensors");
    if (tg_tensor_file_is_archive(path) != (key != NULL))
        return tg_json_problem(r, TG_ERR_INVALID, at,
                               key ? "a .npy file takes no \"key\"" : "an archive needs a \"key\"");
    tg_status status = tg_tensor_file_load(path, key, param->array.dtype, &out->tensor, r->diags);
    if (status != TG_OK) return tg_json_problem(r, status, at, "the tensor cannot be loaded");
    out->content = TG_CASE_TENSOR;
    return fits_param(r, of, &out->tensor.type, at, param);
}

static bool read_file(tg_json_reader *r, const tg_case *of, const cJSON *item, const tg_path *at,
                      const tg_param *param, tg_case_tensor *out)
{
    static const char *const keys[] = {"file", "key", NULL};
    tg_path file_at = {at, "file", 0}, key_at = {at, "key", 0};
    const cJSON *key_item = tg_json_member(item, "key");
    bool fine = tg_json_known_keys(r, item, at, keys);
    const char *key = key_item ? tg_json_text(r, key_item, &key_at) : NULL;
    char *path = tg_case_file(r, of->folder, tg_json_member(item, "file"), &file_at);
    if (!path || !fine || (key_item && !key))
        fine = false;
    else
        fine = load_file(r, of, path, key, at, param, out);
    free(path);
    return fine;
}

/* -- in place -- */

static bool read_element(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_tensor *tensor,
                         int64_t index)
{
    tg_dtype dtype = tensor->type.dtype;
    uint64_t carrier = 0;
    const char *wrong;
    if (cJSON_IsBool(item))
        wrong = tg_literal_from_bool(dtype, cJSON_IsTrue(item), &carrier);
    else if (cJSON_IsNumber(item))
        wrong = tg_literal_from_number(dtype, item->valuedouble, &carrier);
    else if (cJSON_IsString(item))
        wrong = tg_literal_from_text(dtype, item->valuestring, &carrier);
    else
        wrong = "is neither number, string nor boolean";
    if (wrong)
        return tg_json_problem(r, TG_ERR_INVALID, at, "the element %s (%s)", wrong,
                               tg_dtypes[dtype].name);
    tg_bits_store(dtype, tg_bits_from_carrier(dtype, &carrier),
                  (char *)tensor->data + (size_t)index * tg_dtypes[dtype].bytes);
    return true;
}

static bool read_list(tg_json_reader *r, const cJSON *list, const tg_path *at, tg_tensor *tensor)
{
    int64_t count = tg_type_count(&tensor->type);
    bool fine = true;
    tg_path entry = {at, NULL, 0};
    if ((int64_t)tg_json_count(list) != count)
        return tg_json_problem(r, TG_ERR_TYPE, at, "%zu elements where the type has %lld",
                               tg_json_count(list), (long long)count);
    for (const cJSON *i = list->child; i; i = i->next, entry.index++)
        fine &= read_element(r, i, &entry, tensor, (int64_t)entry.index);
    return fine;
}

/* Reads one element and copies it to all others. */
static bool read_splat(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_tensor *tensor)
{
    int64_t count = tg_type_count(&tensor->type);
    size_t width = tg_dtypes[tensor->type.dtype].bytes;
    if (count == 0) return true;
    if (!read_element(r, item, at, tensor, 0)) return false;
    for (int64_t i = 1; i < count; i++)
        memcpy((char *)tensor->data + (size_t)i * width, tensor->data, width);
    return true;
}

static bool read_fill(tg_json_reader *r, const cJSON *item, const tg_path *at,
                      const tg_param *param, tg_case_tensor *out)
{
    static const char *const names[] = {"zeros", "ones", "iota"};
    const char *name = tg_json_text(r, item, at);
    if (!name) return false;
    if (strcmp(name, "undefined") == 0) {
        const tg_type type = out->tensor.type;
        tg_tensor_free(&out->tensor);
        out->tensor.type = type;
        if (param->role == TG_ROLE_OUTPUT)
            return tg_json_problem(r, TG_ERR_INVALID, at, "undefined elements cannot be expected");
        out->content = TG_CASE_UNDEFINED;
        return true;
    }
    for (int fill = 0; fill < 3; fill++) {
        if (strcmp(name, names[fill]) != 0) continue;
        if (tg_fill_tensor((tg_tensor_fill)fill, &out->tensor) == TG_OK) return true;
        return tg_json_problem(r, TG_ERR_INVALID, at, "the dtype has no zero");
    }
    return tg_json_problem(r, TG_ERR_INVALID, at, "\"%s\" is none of zeros, ones, iota, undefined",
                           name);
}

static bool read_type(tg_json_reader *r, const tg_case *of, const cJSON *item, const tg_path *at,
                      const tg_param *param, tg_type *out)
{
    const char *text = tg_json_text(r, item, at);
    if (!text) return false;
    const char *wrong = tg_type_parse(text, out);
    if (wrong) return tg_json_problem(r, TG_ERR_INVALID, at, "the type \"%s\" %s", text, wrong);
    return fits_param(r, of, out, at, param);
}

static bool read_in_place(tg_json_reader *r, const tg_case *of, const cJSON *item,
                          const tg_path *at, const tg_param *param, tg_case_tensor *out)
{
    tg_type whole;
    static const char *const keys[] = {"type", "fill", "values", NULL};
    tg_path type_at = {at, "type", 0}, fill_at = {at, "fill", 0}, values_at = {at, "values", 0};
    const cJSON *type = tg_json_need(r, item, at, "type");
    const cJSON *fill = tg_json_member(item, "fill"), *values = tg_json_member(item, "values");
    if (!tg_json_known_keys(r, item, at, keys) || !type) return false;
    if (!fill == !values)
        return tg_json_problem(r, TG_ERR_INVALID, at, "needs either \"fill\" or \"values\"");
    if (!read_type(r, of, type, &type_at, param, &whole)) return false;
    if (tg_tensor_new(&whole, &out->tensor) != TG_OK) return tg_json_no_memory(r);
    out->content = TG_CASE_TENSOR;
    if (fill) return read_fill(r, fill, &fill_at, param, out);
    if (cJSON_IsArray(values)) return read_list(r, values, &values_at, &out->tensor);
    return read_splat(r, values, &values_at, &out->tensor);
}

bool tg_case_read_tensor(tg_json_reader *r, const tg_case *of, const cJSON *item, const tg_path *at,
                         const tg_param *param, tg_case_tensor *out)
{
    if (!tg_json_object(r, item, at)) return false;
    if (tg_json_member(item, "file")) return read_file(r, of, item, at, param, out);
    return read_in_place(r, of, item, at, param, out);
}
