#include "loaders/json_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/literal.h"
#include "loaders/json_locate.h"

bool tg_json_problem(tg_json_reader *r, tg_status status, const tg_path *at, const char *format,
                     ...)
{
    char message[1024];
    va_list args;
    if (r->status == TG_ERR_NO_MEMORY)
        return false; /* further problems follow from that, and are not in the text */
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    /* To find the offset means to walk through the text. */
    const bool is_kept = r->diags && r->diags->count < TG_MAX_DIAGS;
    const int64_t offset = is_kept ? tg_json_locate(r->text, r->length, at) : -1;
    tg_fail_at(r->diags, status, at, offset, "%s", message);
    if (r->status == TG_OK) r->status = status;
    return false;
}

bool tg_json_no_memory(tg_json_reader *r)
{
    if (r->status != TG_ERR_NO_MEMORY)
        tg_fail(r->diags, TG_ERR_NO_MEMORY, NULL, "no memory to read the module");
    r->status = TG_ERR_NO_MEMORY;
    return false;
}

void *tg_json_take(tg_json_reader *r, size_t count, size_t size)
{
    void *taken = tg_arena_take(r->arena, count, size);
    if (!taken) tg_json_no_memory(r);
    return taken;
}

const char *tg_json_kind(const cJSON *item)
{
    if (cJSON_IsObject(item)) return "an object";
    if (cJSON_IsArray(item)) return "a list";
    if (cJSON_IsString(item)) return "a string";
    if (cJSON_IsNumber(item)) return "a number";
    if (cJSON_IsBool(item)) return "a boolean";
    return "null";
}

static bool wrong_kind(tg_json_reader *r, const cJSON *item, const tg_path *at, const char *wanted)
{
    return tg_json_problem(r, TG_ERR_INVALID, at, "expected %s, found %s", wanted,
                           tg_json_kind(item));
}

bool tg_json_object(tg_json_reader *r, const cJSON *item, const tg_path *at)
{
    return cJSON_IsObject(item) ? true : wrong_kind(r, item, at, "an object");
}

bool tg_json_list(tg_json_reader *r, const cJSON *item, const tg_path *at)
{
    return cJSON_IsArray(item) ? true : wrong_kind(r, item, at, "a list");
}

const char *tg_json_text(tg_json_reader *r, const cJSON *item, const tg_path *at)
{
    if (cJSON_IsString(item)) return item->valuestring;
    wrong_kind(r, item, at, "a string");
    return NULL;
}

char *tg_json_text_copy(tg_json_reader *r, const cJSON *item, const tg_path *at)
{
    const char *text = tg_json_text(r, item, at);
    char *copy = text ? tg_arena_text(r->arena, text) : NULL;
    if (text && !copy) tg_json_no_memory(r);
    return copy;
}

/* Returns NULL on success, else what is wrong with the integer. */
static const char *read_number(double number, int64_t *out)
{
    if (!(floor(number) == number)) return "is not an integer";
    if (!(fabs(number) < 9007199254740992.0)) return "may have been rounded: write it as a string";
    *out = (int64_t)number;
    return NULL;
}

static const char *read_decimal(const char *text, int64_t *out)
{
    bool negative;
    uint64_t magnitude;
    const char *wrong = tg_literal_integer(text, &negative, &magnitude);
    if (wrong) return wrong;
    if (magnitude > (uint64_t)INT64_MAX + negative) return "does not fit 64 bits";
    if (negative)
        *out = -(int64_t)(magnitude - 1) - 1; /* magnitude > 0: there is no "-0" */
    else
        *out = (int64_t)magnitude;
    return NULL;
}

bool tg_json_bool(tg_json_reader *r, const cJSON *item, const tg_path *at, bool *out)
{
    *out = cJSON_IsTrue(item);
    return cJSON_IsBool(item) ||
           tg_json_problem(r, TG_ERR_INVALID, at, "expected true or false, found %s",
                           tg_json_kind(item));
}

bool tg_json_int(tg_json_reader *r, const cJSON *item, const tg_path *at, int64_t least,
                 int64_t most, int64_t *out)
{
    if (!cJSON_IsNumber(item) && !cJSON_IsString(item))
        return wrong_kind(r, item, at, "an integer");
    const char *wrong = cJSON_IsNumber(item) ? read_number(item->valuedouble, out)
                                             : read_decimal(item->valuestring, out);
    if (wrong) return tg_json_problem(r, TG_ERR_INVALID, at, "the integer %s", wrong);
    if (*out >= least && *out <= most) return true;
    if (most == INT64_MAX)
        return tg_json_problem(r, TG_ERR_INVALID, at, "%" PRId64 " is less than %" PRId64, *out,
                               least);
    return tg_json_problem(r, TG_ERR_INVALID, at, "%" PRId64 " is not in %" PRId64 "...%" PRId64,
                           *out, least, most);
}

bool tg_json_ints(tg_json_reader *r, const cJSON *item, const tg_path *at, int64_t *count,
                  int64_t **out)
{
    if (!tg_json_list(r, item, at)) return false;
    *out = tg_json_take(r, tg_json_count(item), sizeof **out);
    if (!*out) return false;
    bool fine = true;
    tg_path entry = {.up = at};
    for (const cJSON *i = item->child; i; i = i->next, entry.index++)
        fine &= tg_json_int(r, i, &entry, INT64_MIN, INT64_MAX, &(*out)[entry.index]);
    *count = (int64_t)entry.index;
    return fine;
}

size_t tg_json_count(const cJSON *item)
{
    size_t count = 0;
    for (const cJSON *i = item->child; i; i = i->next) count++;
    return count;
}

const cJSON *tg_json_member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

const cJSON *tg_json_need(tg_json_reader *r, const cJSON *object, const tg_path *at,
                          const char *key)
{
    const cJSON *item = tg_json_member(object, key);
    if (!item) tg_json_problem(r, TG_ERR_INVALID, at, "the key \"%s\" is missing", key);
    return item;
}

bool tg_json_known_keys(tg_json_reader *r, const cJSON *object, const tg_path *at,
                        const char *const *known)
{
    bool fine = true;
    for (const cJSON *i = object->child; i; i = i->next) {
        size_t k = 0;
        while (known[k] && strcmp(known[k], i->string) != 0) k++;
        if (!known[k])
            fine = tg_json_problem(r, TG_ERR_INVALID, &(tg_path){.up = at, .key = i->string},
                                   "unknown key \"%s\"", i->string);
    }
    return fine;
}
