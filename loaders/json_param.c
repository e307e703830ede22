/* Reads parameters of kernels: their arrays and block mappings. */
#include "loaders/json_param.h"

#include <inttypes.h>
#include <string.h>

#include "loaders/json_region.h"
#include "loaders/json_space.h"

/* No array has a larger extent (see ir/type.c). */
static const int64_t greatest_extent = (int64_t)1 << 47;

static bool read_role(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_role *out)
{
    const char *text = tg_json_text(r, item, at);
    if (!text) return false;
    for (int role = 0; role < TG_ROLE_COUNT; role++)
        if (strcmp(tg_role_names[role], text) == 0) {
            *out = (tg_role)role;
            return true;
        }
    return tg_json_problem(r, TG_ERR_INVALID, at,
                           "\"%s\" is none of: prefetch input output scratch", text);
}

/* -- blocks -- */

/* "pad": [LOW, HIGH] */
static bool read_pad(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_block_dim *out)
{
    if (!tg_json_list(r, item, at)) return false;
    if (tg_json_count(item) != 2)
        return tg_json_problem(r, TG_ERR_INVALID, at, "expected [LOW, HIGH]");
    tg_path low = {.up = at, .index = 0}, high = {.up = at, .index = 1};
    bool fine = tg_json_int(r, item->child, &low, 0, greatest_extent, &out->pad_low);
    return tg_json_int(r, item->child->next, &high, 0, greatest_extent, &out->pad_high) && fine;
}

/* {"blocked": N}, {"element": N, "pad": [LOW, HIGH]} or "squeezed". */
static bool read_block_dim(tg_json_reader *r, const cJSON *item, const tg_path *at,
                           tg_block_dim *out)
{
    static const char *const blocked_keys[] = {"blocked", NULL};
    static const char *const element_keys[] = {"element", "pad", NULL};
    if (cJSON_IsString(item) && strcmp(item->valuestring, "squeezed") == 0) {
        *out = (tg_block_dim){.kind = TG_BLOCK_SQUEEZED, .size = 1};
        return true;
    }
    const cJSON *blocked = tg_json_member(item, "blocked"),
                *element = tg_json_member(item, "element");
    const cJSON *pad = tg_json_member(item, "pad"), *size = blocked ? blocked : element;
    if (!size)
        return tg_json_problem(r, TG_ERR_INVALID, at,
                               "expected {\"blocked\": N}, {\"element\": N} or \"squeezed\"");
    out->kind = blocked ? TG_BLOCK_BLOCKED : TG_BLOCK_ELEMENT;
    bool fine = tg_json_known_keys(r, item, at, blocked ? blocked_keys : element_keys);
    fine &= tg_json_int(r, size, &(tg_path){.up = at, .key = blocked ? "blocked" : "element"}, 0,
                        greatest_extent, &out->size);
    if (pad && !blocked) fine &= read_pad(r, pad, &(tg_path){.up = at, .key = "pad"}, out);
    return fine;
}

/* Sets the type of the reference to the block. */
static bool make_ref(tg_json_reader *r, const tg_path *at, tg_param *out)
{
    int64_t count = 1;
    for (int d = 0; d < out->array.rank; d++) {
        int64_t size = out->block[d].size;
        if (size > 0 && count > greatest_extent / size)
            return tg_json_problem(r, TG_ERR_INVALID, at, "the block is too large");
        count *= size > 0 ? size : 1;
    }
    out->ref = tg_param_ref(out);
    return true;
}

static bool read_block(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_param *out)
{
    if (!tg_json_list(r, item, at)) return false;
    size_t count = tg_json_count(item);
    if (count != (size_t)out->array.rank)
        return tg_json_problem(r, TG_ERR_TYPE, at, "%zu entries for an array of %d dimensions",
                               count, out->array.rank);
    bool fine = true;
    tg_path entry = {.up = at};
    for (const cJSON *i = item->child; i; i = i->next, entry.index++)
        fine &= read_block_dim(r, i, &entry, &out->block[entry.index]);
    out->has_block = true;
    return fine && make_ref(r, at, out);
}

/* -- one parameter -- */

static bool read_array_type(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_param *out)
{
    if (!tg_json_read_type(r, item, at, &out->array)) return false;
    if (out->array.is_ref)
        return tg_json_problem(r, TG_ERR_INVALID, at,
                               "expected the type of an array, found a reference");
    out->ref = out->array;
    out->ref.is_ref = true;
    return true;
}

static bool read_index_map(tg_json_kernel *k, const cJSON *item, const tg_path *at, tg_param *out)
{
    out->index_map = tg_json_take(k->r, 1, sizeof *out->index_map);
    return out->index_map && tg_json_read_region(k, item, at, 1, out->index_map);
}

/* Reports keys that are not allowed for the role. */
static bool keys_of_role(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_role role)
{
    static const char *const mapping[] = {"block", "index_map"}, *const own[] = {"alias",
                                                                                 "partly_written"};
    bool fine = true, mapped = role == TG_ROLE_INPUT || role == TG_ROLE_OUTPUT;
    for (size_t i = 0; i < 2; i++)
        if (!mapped && tg_json_member(item, mapping[i]))
            fine = tg_json_problem(r, TG_ERR_INVALID, &(tg_path){.up = at, .key = mapping[i]},
                                   "only inputs and outputs have \"%s\"", mapping[i]);
    for (size_t i = 0; i < 2; i++)
        if (role != TG_ROLE_OUTPUT && tg_json_member(item, own[i]))
            fine = tg_json_problem(r, TG_ERR_INVALID, &(tg_path){.up = at, .key = own[i]},
                                   "only outputs have \"%s\"", own[i]);
    return fine;
}

static bool read_param(tg_json_kernel *k, const cJSON *item, const tg_path *at, tg_param *out)
{
    static const char *const keys[] = {"name",   "role",    "type",   "block",          "index_map",
                                       "alias",  "space",   "layout", "partly_written", "arrivals",
                                       "shared", "cluster", NULL};
    tg_json_reader *r = k->r;
    if (!tg_json_object(r, item, at)) return false;
    bool fine = tg_json_known_keys(r, item, at, keys);
    const cJSON *name = tg_json_need(r, item, at, "name"),
                *role = tg_json_need(r, item, at, "role");
    const cJSON *type = tg_json_need(r, item, at, "type");
    const cJSON *block = tg_json_member(item, "block"), *map = tg_json_member(item, "index_map");
    const cJSON *partly = tg_json_member(item, "partly_written");
    const cJSON *arrivals = tg_json_member(item, "arrivals");
    if (arrivals)
        fine &= tg_json_int(r, arrivals, &(tg_path){.up = at, .key = "arrivals"}, 1,
                            greatest_extent, &out->arrivals);
    const cJSON *shared = tg_json_member(item, "shared");
    if (shared)
        fine &= tg_json_bool(r, shared, &(tg_path){.up = at, .key = "shared"}, &out->is_shared);
    const cJSON *cluster = tg_json_member(item, "cluster");
    if (cluster)
        fine &= tg_json_int(r, cluster, &(tg_path){.up = at, .key = "cluster"}, 1, TG_MAX_RANK,
                            &out->cluster);
    if (partly)
        fine &= tg_json_bool(r, partly, &(tg_path){.up = at, .key = "partly_written"},
                             &out->is_partly_written);
    if (name) out->name = tg_json_text_copy(r, name, &(tg_path){.up = at, .key = "name"});
    fine &= tg_json_read_space(r, item, at, &out->space, &out->layout);
    fine &= name && out->name;
    if (role && read_role(r, role, &(tg_path){.up = at, .key = "role"}, &out->role))
        fine &= keys_of_role(r, item, at, out->role);
    else
        fine = false;
    bool typed = type && read_array_type(r, type, &(tg_path){.up = at, .key = "type"}, out);
    if (typed && block) fine &= read_block(r, block, &(tg_path){.up = at, .key = "block"}, out);
    if (map) fine &= read_index_map(k, map, &(tg_path){.up = at, .key = "index_map"}, out);
    return fine && typed;
}

/* -- all of them -- */

static int find_param(const tg_kernel *kernel, const char *name)
{
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (kernel->params[p].name && strcmp(kernel->params[p].name, name) == 0) return (int)p;
    return -1;
}

static bool read_alias(tg_json_kernel *k, const cJSON *item, const tg_path *at, tg_param *out)
{
    const char *name = tg_json_text(k->r, item, at);
    if (!name) return false;
    out->alias = find_param(k->kernel, name);
    if (out->alias < 0)
        return tg_json_problem(k->r, TG_ERR_INVALID, at, "there is no parameter \"%s\"", name);
    return true;
}

bool tg_json_read_params(tg_json_kernel *k, const cJSON *list, const tg_path *at)
{
    if (!tg_json_list(k->r, list, at)) return false;
    size_t count = tg_json_count(list);
    if (count > TG_MAX_OPERANDS)
        return tg_json_problem(k->r, TG_ERR_UNSUPPORTED, at, "%zu parameters where %d is the limit",
                               count, (int)TG_MAX_OPERANDS);
    tg_param *params = tg_json_take(k->r, count, sizeof *params);
    if (!params) return false;
    k->kernel->params = params;
    k->kernel->param_count = (uint32_t)count;
    bool fine = true;
    tg_path entry = {.up = at};
    for (const cJSON *i = list->child; i; i = i->next, entry.index++)
        fine &= read_param(k, i, &entry, &params[entry.index]);
    entry.index = 0; /* look up aliases after reading all params: they may be in the wrong order */
    for (const cJSON *i = list->child; i; i = i->next, entry.index++) {
        const cJSON *alias = tg_json_member(i, "alias");
        params[entry.index].alias = -1;
        if (alias)
            fine &= read_alias(k, alias, &(tg_path){.up = &entry, .key = "alias"},
                               &params[entry.index]);
    }
    return fine;
}
