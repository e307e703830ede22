/* Reads the attributes of operations, with one reader per kind of ir/attrs.def. */
#include "loaders/json_attr.h"

#include <inttypes.h>
#include <string.h>

#include "ir/literal.h"

/* The input of readers: the JSON value, its path, and the type of DATA. */
typedef struct attr_source {
    tg_json_reader *r;
    const cJSON *item;
    const tg_path *at;
    const tg_type *result;
    bool result_known;
} attr_source;

static bool read_bool(const attr_source *s, tg_attr *out)
{
    bool truth;
    if (!tg_json_bool(s->r, s->item, s->at, &truth)) return false;
    out->as.integer = truth;
    return true;
}

static bool read_text(const attr_source *s, tg_attr *out)
{
    out->as.text = tg_json_text_copy(s->r, s->item, s->at);
    if (out->as.text) out->count = (int64_t)strlen(out->as.text);
    return out->as.text != NULL;
}

static bool read_name(const attr_source *s, tg_attr *out)
{
    const char *text = tg_json_text(s->r, s->item, s->at);
    if (!text) return false;
    out->as.integer = tg_attr_name_index(out->id, text);
    if (out->as.integer >= 0) return true;
    return tg_json_problem(s->r, TG_ERR_INVALID, s->at, "\"%s\" is none of: %s", text,
                           tg_attrs[out->id].names);
}

/* -- INDEX -- */

static bool read_index_number(tg_json_reader *r, const cJSON *item, const tg_path *up,
                              size_t position, int64_t *out)
{
    return tg_json_int(r, item, &(tg_path){.up = up, .index = position}, INT64_MIN, INT64_MAX, out);
}

/* ["slice", START, SIZE, STRIDE] or ["at"]. */
static bool read_index_dim(tg_json_reader *r, const cJSON *item, const tg_path *at,
                           tg_index_dim *out)
{
    if (!tg_json_list(r, item, at)) return false;
    const cJSON *word = item->child;
    bool slice = cJSON_IsString(word) && strcmp(word->valuestring, "slice") == 0;
    bool position = cJSON_IsString(word) && strcmp(word->valuestring, "at") == 0;
    if ((!slice && !position) || tg_json_count(item) != (slice ? 4u : 1u))
        return tg_json_problem(r, TG_ERR_INVALID, at,
                               "expected [\"slice\", START, SIZE, STRIDE] or [\"at\"]");
    out->kind = slice ? TG_INDEX_SLICE : TG_INDEX_AT;
    if (position) return true;
    const cJSON *start = word->next;
    out->has_start = !cJSON_IsNull(start);
    bool fine = !out->has_start || read_index_number(r, start, at, 1, &out->start);
    fine &= read_index_number(r, start->next, at, 2, &out->size);
    return read_index_number(r, start->next->next, at, 3, &out->stride) && fine;
}

static bool read_index(const attr_source *s, tg_attr *out)
{
    if (!tg_json_list(s->r, s->item, s->at)) return false;
    out->as.index = tg_json_take(s->r, tg_json_count(s->item), sizeof *out->as.index);
    if (!out->as.index) return false;
    bool fine = true;
    tg_path entry = {.up = s->at};
    for (const cJSON *i = s->item->child; i; i = i->next, entry.index++)
        fine &= read_index_dim(s->r, i, &entry, &out->as.index[entry.index]);
    out->count = (int64_t)entry.index;
    return fine;
}

/* -- DATA -- */

static bool read_element(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_dtype dtype,
                         void *out)
{
    const char *wrong;
    if (cJSON_IsBool(item))
        wrong = tg_literal_from_bool(dtype, cJSON_IsTrue(item), out);
    else if (cJSON_IsNumber(item))
        wrong = tg_literal_from_number(dtype, item->valuedouble, out);
    else if (cJSON_IsString(item))
        wrong = tg_literal_from_text(dtype, item->valuestring, out);
    else
        return tg_json_problem(r, TG_ERR_INVALID, at, "expected an element of %s, found %s",
                               tg_dtypes[dtype].name, tg_json_kind(item));
    if (!wrong) return true;
    return tg_json_problem(r, TG_ERR_INVALID, at, "the element %s (%s)", wrong,
                           tg_dtypes[dtype].name);
}

static bool read_elements(const attr_source *s, tg_dtype dtype, tg_data *out)
{
    size_t size = tg_carrier_bytes[tg_carrier_of(dtype)];
    bool fine = true;
    tg_path entry = {.up = s->at};
    for (const cJSON *i = s->item->child; i; i = i->next, entry.index++)
        fine &= read_element(s->r, i, &entry, dtype, (char *)out->bytes + entry.index * size);
    return fine;
}

static bool read_data(const attr_source *s, tg_attr *out)
{
    tg_data *data = &out->as.data;
    if (!s->result_known) return false;
    if (!s->result)
        return tg_json_problem(s->r, TG_ERR_INVALID, s->at,
                               "there is no result to take the dtype from");
    bool list = cJSON_IsArray(s->item);
    int64_t wanted = tg_type_count(s->result);
    data->count = list ? (int64_t)tg_json_count(s->item) : 1;
    if (list && data->count != 1 && data->count != wanted)
        return tg_json_problem(s->r, TG_ERR_TYPE, s->at,
                               "%" PRId64 " elements for a result of %" PRId64, data->count,
                               wanted);
    tg_dtype dtype = s->result->dtype;
    data->bytes = tg_json_take(s->r, (size_t)data->count, tg_carrier_bytes[tg_carrier_of(dtype)]);
    if (!data->bytes) return false;
    return list ? read_elements(s, dtype, data)
                : read_element(s->r, s->item, s->at, dtype, data->bytes);
}

/* -- all of an operation -- */

static bool read_attr(const attr_source *s, tg_attr *out)
{
    switch (tg_attrs[out->id].kind) {
    case TG_ATTR_KIND_INT:
        return tg_json_int(s->r, s->item, s->at, INT64_MIN, INT64_MAX, &out->as.integer);
    case TG_ATTR_KIND_BOOL: return read_bool(s, out);
    case TG_ATTR_KIND_INTS: return tg_json_ints(s->r, s->item, s->at, &out->count, &out->as.ints);
    case TG_ATTR_KIND_TEXT: return read_text(s, out);
    case TG_ATTR_KIND_NAME: return read_name(s, out);
    case TG_ATTR_KIND_INDEX: return read_index(s, out);
    case TG_ATTR_KIND_DATA: return read_data(s, out);
    }
    return false;
}

bool tg_json_read_attrs(tg_json_reader *r, const cJSON *item, const tg_path *at,
                        const tg_type *result, bool result_known, tg_op *op)
{
    tg_attr_id ids[TG_MAX_OP_ATTRS];
    int needed, count = tg_op_attrs(op->code, ids, &needed);
    bool fine = true;
    op->attrs = tg_json_take(r, (size_t)count, sizeof *op->attrs);
    if (!op->attrs) return false;
    for (int a = 0; a < count; a++) {
        const tg_attr_info *info = &tg_attrs[ids[a]];
        const cJSON *value = a < needed && info->kind != TG_ATTR_KIND_BOOL
                                 ? tg_json_need(r, item, at, info->name)
                                 : tg_json_member(item, info->name);
        if (!value) {
            fine &= a >= needed || info->kind == TG_ATTR_KIND_BOOL;
            continue;
        }
        tg_path here = {.up = at, .key = info->name};
        tg_attr *attr = &op->attrs[op->attr_count];
        attr->id = ids[a];
        attr_source source = {r, value, &here, result, result_known};
        bool read = read_attr(&source, attr);
        fine &= read;
        /* a false flag means the same as none, so drop it: one form for one meaning */
        if (read && (info->kind != TG_ATTR_KIND_BOOL || attr->as.integer)) op->attr_count++;
    }
    return fine;
}
