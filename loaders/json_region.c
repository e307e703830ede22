/* Reads regions, operations and values, and checks the scope of ids.  TG_MAX_NESTING bounds the
 * recursion. */
#include "loaders/json_region.h"

#include <inttypes.h>
#include <string.h>

#include "loaders/json_attr.h"
#include "loaders/json_space.h"

/* A VALUE that is not defined yet. */
typedef struct new_value {
    tg_value value;
    bool has_id, has_type;
} new_value;

static bool read_regions(tg_json_kernel *k, const cJSON *item, const tg_path *up, int depth,
                         tg_op *op);

bool tg_json_read_type(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_type *out)
{
    const char *text = tg_json_text(r, item, at);
    if (!text) return false;
    const char *wrong = tg_type_parse(text, out);
    return wrong ? tg_json_problem(r, TG_ERR_INVALID, at, "type \"%s\" %s", text, wrong) : true;
}

bool tg_json_read_loc(tg_json_kernel *k, const cJSON *item, const tg_path *at, uint32_t *out)
{
    int64_t loc;
    if (k->loc_count <= 1 && cJSON_IsNumber(item))
        return tg_json_problem(k->r, TG_ERR_INVALID, at, "the module lists no locations");
    if (!tg_json_int(k->r, item, at, 1, (int64_t)k->loc_count - 1, &loc)) return false;
    *out = (uint32_t)loc;
    return true;
}

/* Checks a list of at most TG_MAX_OPERANDS entries, which may be absent: then *count is 0. */
static bool open_list(tg_json_reader *r, const cJSON *item, const tg_path *at, uint32_t *count)
{
    *count = 0;
    if (!item) return true;
    if (!tg_json_list(r, item, at)) return false;
    size_t entries = tg_json_count(item);
    if (entries > TG_MAX_OPERANDS)
        return tg_json_problem(r, TG_ERR_UNSUPPORTED, at, "%zu entries where %d is the limit",
                               entries, (int)TG_MAX_OPERANDS);
    *count = (uint32_t)entries;
    return true;
}

/* -- uses -- */

static bool read_use(tg_json_kernel *k, const cJSON *item, const tg_path *at, tg_value_id *out)
{
    int64_t id;
    if (!tg_json_int(k->r, item, at, 0, INT64_MAX, &id)) return false;
    if (!tg_json_scope_find(&k->scope, id, out))
        return tg_json_problem(k->r, TG_ERR_INVALID, at,
                               "value %" PRId64 " is not defined before its use", id);
    if (!k->scope.visible[*out])
        return tg_json_problem(k->r, TG_ERR_INVALID, at,
                               "value %" PRId64 " belongs to a region that has ended", id);
    return true;
}

static bool read_uses(tg_json_kernel *k, const cJSON *owner, const tg_path *up, const char *key,
                      uint32_t *count, tg_value_id **out)
{
    tg_path at = {.up = up, .key = key}, entry = {.up = &at};
    const cJSON *item = tg_json_member(owner, key);
    bool fine = open_list(k->r, item, &at, count);
    *out = tg_json_take(k->r, *count, sizeof **out);
    if (!fine || !*out) return false;
    for (const cJSON *i = item ? item->child : NULL; i; i = i->next, entry.index++)
        fine &= read_use(k, i, &entry, &(*out)[entry.index]);
    return fine;
}

/* -- definitions -- */

static bool read_value(tg_json_reader *r, const cJSON *item, const tg_path *at, new_value *out)
{
    static const char *const keys[] = {"id", "type", "space", "layout", NULL};
    if (!tg_json_object(r, item, at)) return false;
    bool fine = tg_json_known_keys(r, item, at, keys);
    const cJSON *id = tg_json_need(r, item, at, "id"), *type = tg_json_need(r, item, at, "type");
    out->has_id =
        id && tg_json_int(r, id, &(tg_path){.up = at, .key = "id"}, 0, INT64_MAX, &out->value.id);
    out->has_type =
        type && tg_json_read_type(r, type, &(tg_path){.up = at, .key = "type"}, &out->value.type);
    fine &= tg_json_read_space(r, item, at, &out->value.space, &out->value.layout);
    return fine && out->has_id && out->has_type;
}

static bool read_values(tg_json_reader *r, const cJSON *owner, const tg_path *up, const char *key,
                        uint32_t *count, new_value **out)
{
    tg_path at = {.up = up, .key = key}, entry = {.up = &at};
    const cJSON *item = tg_json_member(owner, key);
    bool fine = open_list(r, item, &at, count);
    *out = tg_json_take(r, *count, sizeof **out);
    if (!*out) *count = 0;
    if (!fine || !*out) return false;
    for (const cJSON *i = item ? item->child : NULL; i; i = i->next, entry.index++)
        fine &= read_value(r, i, &entry, &(*out)[entry.index]);
    return fine;
}

static bool define(tg_json_kernel *k, const new_value *value, const tg_path *at, tg_value_id *out)
{
    if (!value->has_id) return false;
    tg_status status = tg_json_scope_define(&k->scope, value->value, out);
    if (status == TG_ERR_NO_MEMORY) return tg_json_no_memory(k->r);
    if (status == TG_OK) return true;
    return tg_json_problem(k->r, status, at, "value %" PRId64 " is already defined in this kernel",
                           value->value.id);
}

/* Defines values, also those with a wrong type, so that their uses are not reported as well. */
static bool define_values(tg_json_kernel *k, const new_value *values, uint32_t count,
                          const tg_path *up, const char *key, tg_value_id **out)
{
    tg_path at = {.up = up, .key = key}, entry = {.up = &at};
    bool fine = true;
    *out = tg_json_take(k->r, count, sizeof **out);
    if (!*out) return false;
    for (; entry.index < count; entry.index++)
        fine &= define(k, &values[entry.index], &entry, &(*out)[entry.index]);
    return fine;
}

/* -- operations -- */

static bool is_op_key(tg_opcode code, const char *key)
{
    static const char *const common[] = {"op", "in", "out", "regions", "loc"};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strcmp(common[i], key) == 0) return true;
    tg_attr_id ids[TG_MAX_OP_ATTRS];
    int needed, count = tg_op_attrs(code, ids, &needed);
    for (int a = 0; a < count; a++)
        if (strcmp(tg_attrs[ids[a]].name, key) == 0) return true;
    return false;
}

static bool known_op_keys(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_opcode code)
{
    bool fine = true;
    for (const cJSON *i = item->child; i; i = i->next) {
        if (is_op_key(code, i->string)) continue;
        tg_path here = {.up = at, .key = i->string};
        if (tg_attr_by_name(i->string) != TG_ATTR_COUNT)
            fine = tg_json_problem(r, TG_ERR_INVALID, &here, "%s has no attribute \"%s\"",
                                   tg_ops[code].name, i->string);
        else
            fine = tg_json_problem(r, TG_ERR_INVALID, &here, "unknown key \"%s\"", i->string);
    }
    return fine;
}

/* Returns the opcode; reports a missing or unknown name and returns TG_OP_COUNT. */
static tg_opcode read_opcode(tg_json_reader *r, const cJSON *item, const tg_path *up)
{
    const cJSON *name = tg_json_need(r, item, up, "op");
    tg_path at = {.up = up, .key = "op"};
    const char *text = name ? tg_json_text(r, name, &at) : NULL;
    if (!text) return TG_OP_COUNT;
    tg_opcode code = tg_op_by_name(text);
    if (code == TG_OP_COUNT)
        tg_json_problem(r, TG_ERR_INVALID, &at, "unknown operation \"%s\"", text);
    return code;
}

/* Reads everything except the results, which are visible only after the operation. */
static bool read_op_inside(tg_json_kernel *k, const cJSON *item, const tg_path *at, int depth,
                           const new_value *results, bool results_known, tg_op *op)
{
    bool fine = known_op_keys(k->r, item, at, op->code);
    const cJSON *loc = tg_json_member(item, "loc");
    bool typed = op->out_count > 0 ? results[0].has_type : results_known;
    const tg_type *result = op->out_count > 0 && typed ? &results[0].value.type : NULL;
    fine &= read_uses(k, item, at, "in", &op->in_count, &op->in);
    fine &= tg_json_read_attrs(k->r, item, at, result, typed, op);
    fine &= read_regions(k, tg_json_member(item, "regions"), at, depth, op);
    if (loc) fine &= tg_json_read_loc(k, loc, &(tg_path){.up = at, .key = "loc"}, &op->loc);
    return fine;
}

static bool read_op(tg_json_kernel *k, const cJSON *item, const tg_path *at, int depth, tg_op *op)
{
    if (!tg_json_object(k->r, item, at)) return false;
    new_value *results;
    op->code = read_opcode(k->r, item, at);
    bool known = read_values(k->r, item, at, "out", &op->out_count, &results);
    bool fine = known && op->code != TG_OP_COUNT;
    if (op->code != TG_OP_COUNT) fine &= read_op_inside(k, item, at, depth, results, known, op);
    return define_values(k, results, op->out_count, at, "out", &op->out) && fine;
}

/* -- regions -- */

static bool read_regions(tg_json_kernel *k, const cJSON *item, const tg_path *up, int depth,
                         tg_op *op)
{
    tg_path at = {.up = up, .key = "regions"}, entry = {.up = &at};
    bool fine = open_list(k->r, item, &at, &op->region_count);
    op->regions = tg_json_take(k->r, op->region_count, sizeof *op->regions);
    if (!fine || !op->regions) return false;
    for (const cJSON *i = item ? item->child : NULL; i; i = i->next, entry.index++)
        fine &= tg_json_read_region(k, i, &entry, depth + 1, &op->regions[entry.index]);
    return fine;
}

static bool read_ops(tg_json_kernel *k, const cJSON *owner, const tg_path *up, int depth,
                     tg_region *out)
{
    tg_path at = {.up = up, .key = "ops"}, entry = {.up = &at};
    const cJSON *item = tg_json_member(owner, "ops");
    if (!item) return true;
    if (!tg_json_list(k->r, item, &at)) return false;
    size_t count = tg_json_count(item);
    out->ops = tg_json_take(k->r, count, sizeof *out->ops);
    if (!out->ops) return false;
    out->op_count = (uint32_t)count;
    bool fine = true;
    for (const cJSON *i = item->child; i; i = i->next, entry.index++)
        fine &= read_op(k, i, &entry, depth, &out->ops[entry.index]);
    return fine;
}

bool tg_json_read_region(tg_json_kernel *k, const cJSON *item, const tg_path *at, int depth,
                         tg_region *out)
{
    static const char *const keys[] = {"args", "ops", "yield", NULL};
    if (!tg_json_object(k->r, item, at)) return false;
    if (depth > TG_MAX_NESTING)
        return tg_json_problem(k->r, TG_ERR_UNSUPPORTED, at, "regions are nested more than %d deep",
                               (int)TG_MAX_NESTING);
    size_t first = k->scope.count;
    new_value *args;
    bool fine = tg_json_known_keys(k->r, item, at, keys);
    fine &= read_values(k->r, item, at, "args", &out->arg_count, &args);
    fine &= define_values(k, args, out->arg_count, at, "args", &out->args);
    fine &= read_ops(k, item, at, depth, out);
    fine &= read_uses(k, item, at, "yield", &out->yield_count, &out->yields);
    tg_json_scope_leave(&k->scope, first);
    return fine;
}
