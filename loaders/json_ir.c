/* Reads modules and kernels: the top level of the loader. */
#include "loaders/json_ir.h"

#include <stdlib.h>
#include <string.h>

#include "ir/print.h"
#include "base/file.h"
#include "loaders/json_param.h"
#include "loaders/json_region.h"
#include "loaders/json_scan.h"

/* -- locations -- */

static char nothing[1] = "";

/* Reads the location that location number `at->index + 1` was called from, and the calls left out
 * between them. */
static bool read_caller(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_loc *out)
{
    const cJSON *caller = tg_json_member(item, "caller"),
                *skipped = tg_json_member(item, "skipped");
    const tg_path skipped_at = {.up = at, .key = "skipped"};
    int64_t number = 0;
    if (skipped && !caller)
        return tg_json_problem(r, TG_ERR_INVALID, &skipped_at, "it goes with \"caller\"");
    if (!caller) return true;
    bool fine = tg_json_int(r, caller, &(tg_path){.up = at, .key = "caller"}, 1, (int64_t)at->index,
                            &number);
    out->caller = (uint32_t)number;
    if (skipped) out->skipped = tg_json_text_copy(r, skipped, &skipped_at);
    return fine && out->skipped;
}

static bool read_location(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_loc *out)
{
    static const char *const keys[] = {"file",    "line",     "function", "caller",
                                       "skipped", "variable", NULL};
    out->file = out->function = out->skipped = out->variable = nothing;
    if (!tg_json_object(r, item, at)) return false;
    bool fine = tg_json_known_keys(r, item, at, keys);
    const cJSON *file = tg_json_member(item, "file"), *line = tg_json_member(item, "line");
    const cJSON *function = tg_json_member(item, "function");
    const cJSON *variable = tg_json_member(item, "variable");
    if (file) out->file = tg_json_text_copy(r, file, &(tg_path){.up = at, .key = "file"});
    if (function)
        out->function = tg_json_text_copy(r, function, &(tg_path){.up = at, .key = "function"});
    if (variable)
        out->variable = tg_json_text_copy(r, variable, &(tg_path){.up = at, .key = "variable"});
    if (line)
        fine &= tg_json_int(r, line, &(tg_path){.up = at, .key = "line"}, 0, INT64_MAX, &out->line);
    fine &= read_caller(r, item, at, out);
    return fine && out->file && out->function && out->variable;
}

/* Location 0 is the unknown one; the list has those from 1 on. */
static bool read_locations(tg_json_reader *r, const cJSON *root, tg_module *out)
{
    tg_path at = {.key = "locations"}, entry = {.up = &at};
    const cJSON *list = tg_json_member(root, "locations");
    bool fine = !list || tg_json_list(r, list, &at);
    size_t count = list && fine ? tg_json_count(list) : 0;
    out->locs = tg_json_take(r, count + 1, sizeof *out->locs);
    if (!out->locs) return false;
    out->loc_count = (uint32_t)count + 1;
    out->locs[0] =
        (tg_loc){.file = nothing, .function = nothing, .skipped = nothing, .variable = nothing};
    for (const cJSON *i = count ? list->child : NULL; i; i = i->next, entry.index++)
        fine &= read_location(r, i, &entry, &out->locs[entry.index + 1]);
    return fine;
}

/* -- the launch -- */

static bool read_semantics(tg_json_reader *r, const cJSON *item, const tg_path *at,
                           tg_semantics *out)
{
    const char *text = tg_json_text(r, item, at);
    if (!text) return false;
    *out = tg_semantics_named(text);
    if (*out != TG_SEMANTICS_COUNT) return true;
    return tg_json_problem(r, TG_ERR_INVALID, at, "\"%s\" is none of: parallel arbitrary thread",
                           text);
}

static bool read_axis_size(tg_json_reader *r, const cJSON *item, const tg_path *at, int64_t *out)
{
    *out = -1;
    if (cJSON_IsString(item) && strcmp(item->valuestring, "dynamic") == 0) return true;
    return tg_json_int(r, item, at, 0, INT64_MAX, out);
}

static bool read_axis(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_grid_axis *out)
{
    static const char *const keys[] = {"size", "semantics", "name", NULL};
    if (!tg_json_object(r, item, at)) return false;
    bool fine = tg_json_known_keys(r, item, at, keys);
    const cJSON *size = tg_json_need(r, item, at, "size"), *name = tg_json_member(item, "name");
    const cJSON *semantics = tg_json_member(item, "semantics");
    fine &= size && read_axis_size(r, size, &(tg_path){.up = at, .key = "size"}, &out->size);
    out->is_assumed = !semantics;
    if (semantics)
        fine &=
            read_semantics(r, semantics, &(tg_path){.up = at, .key = "semantics"}, &out->semantics);
    if (name) out->name = tg_json_text_copy(r, name, &(tg_path){.up = at, .key = "name"});
    return fine && (!name || out->name);
}

static bool read_grid(tg_json_reader *r, const cJSON *list, const tg_path *at, tg_kernel *out)
{
    if (!tg_json_list(r, list, at)) return false;
    size_t count = tg_json_count(list);
    if (count > TG_MAX_AXES)
        return tg_json_problem(r, TG_ERR_UNSUPPORTED, at, "%zu axes where %d is the limit", count,
                               (int)TG_MAX_AXES);
    bool fine = true;
    tg_path entry = {.up = at};
    for (const cJSON *i = list->child; i; i = i->next, entry.index++)
        fine &= read_axis(r, i, &entry, &out->axes[entry.index]);
    out->axis_count = (int)count;
    return fine;
}

static bool read_dialect(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_dialect *out)
{
    const char *text = tg_json_text(r, item, at);
    if (!text) return false;
    *out = strcmp(text, "triton") == 0 ? TG_DIALECT_TRITON : TG_DIALECT_XLA;
    if (*out == TG_DIALECT_TRITON || strcmp(text, "xla") == 0) return true;
    return tg_json_problem(r, TG_ERR_INVALID, at, "\"%s\" is none of: xla triton", text);
}

/* -- kernels -- */

/* Reads the keys whose value is not a list: name, loc, dialect. */
static bool read_heading(tg_json_kernel *k, const cJSON *item, const tg_path *at)
{
    const cJSON *name = tg_json_need(k->r, item, at, "name"), *loc = tg_json_member(item, "loc");
    const cJSON *dialect = tg_json_member(item, "dialect");
    bool fine = true;
    if (name) k->kernel->name = tg_json_text_copy(k->r, name, &(tg_path){.up = at, .key = "name"});
    if (loc) fine &= tg_json_read_loc(k, loc, &(tg_path){.up = at, .key = "loc"}, &k->kernel->loc);
    if (dialect)
        fine &= read_dialect(k->r, dialect, &(tg_path){.up = at, .key = "dialect"},
                             &k->kernel->dialect);
    return fine && k->kernel->name;
}

static bool read_parts(tg_json_kernel *k, const cJSON *item, const tg_path *at)
{
    static const char *const keys[] = {"name", "loc", "dialect", "grid", "params", "body", NULL};
    tg_json_reader *r = k->r;
    tg_path grid_at = {.up = at, .key = "grid"}, params_at = {.up = at, .key = "params"};
    tg_path body_at = {.up = at, .key = "body"};
    bool fine = tg_json_known_keys(r, item, at, keys);
    fine &= read_heading(k, item, at);
    const cJSON *grid = tg_json_need(r, item, at, "grid"),
                *params = tg_json_need(r, item, at, "params");
    const cJSON *body = tg_json_need(r, item, at, "body");
    fine &= grid && read_grid(r, grid, &grid_at, k->kernel);
    fine &= params && tg_json_read_params(k, params, &params_at);
    fine &= body && tg_json_read_region(k, body, &body_at, 1, &k->kernel->body);
    return fine;
}

static bool read_kernel(tg_json_reader *r, const cJSON *item, const tg_path *at, uint32_t loc_count,
                        tg_kernel *out)
{
    if (!tg_json_object(r, item, at)) return false;
    tg_json_kernel k = {.r = r, .kernel = out, .loc_count = loc_count};
    bool fine = read_parts(&k, item, at);
    out->value_count = (uint32_t)k.scope.count;
    out->values = tg_json_take(r, k.scope.count, sizeof *out->values);
    if (out->values && k.scope.count)
        memcpy(out->values, k.scope.values, k.scope.count * sizeof *out->values);
    tg_json_scope_free(&k.scope);
    return fine && out->values;
}

static bool read_kernels(tg_json_reader *r, const cJSON *root, tg_module *out)
{
    tg_path at = {.key = "kernels"}, entry = {.up = &at};
    const cJSON *list = tg_json_need(r, root, NULL, "kernels");
    if (!list || !tg_json_list(r, list, &at)) return false;
    size_t count = tg_json_count(list);
    if (count == 0)
        return tg_json_problem(r, TG_ERR_INVALID, &at, "a module has at least one kernel");
    out->kernels = tg_json_take(r, count, sizeof *out->kernels);
    if (!out->kernels) return false;
    out->kernel_count = (uint32_t)count;
    bool fine = true;
    for (const cJSON *i = list->child; i; i = i->next, entry.index++)
        fine &= read_kernel(r, i, &entry, out->loc_count, &out->kernels[entry.index]);
    return fine;
}

/* -- the module -- */

static bool read_version(tg_json_reader *r, const cJSON *root)
{
    tg_path at = {.key = "tilegrind"};
    const cJSON *item = tg_json_need(r, root, NULL, "tilegrind");
    const char *version = item ? tg_json_text(r, item, &at) : NULL;
    if (!version) return false;
    if (strcmp(version, TG_IR_VERSION) == 0) return true;
    return tg_json_problem(r, TG_ERR_UNSUPPORTED, &at, "version \"%s\" where %s is read", version,
                           TG_IR_VERSION);
}

static bool read_module(tg_json_reader *r, const cJSON *root, tg_module *out)
{
    static const char *const keys[] = {"tilegrind", "locations", "kernels", NULL};
    if (!tg_json_object(r, root, NULL)) return false;
    if (!read_version(r, root))
        return false; /* the rest may mean something else in another version */
    bool fine = tg_json_known_keys(r, root, NULL, keys);
    fine &= read_locations(r, root, out);
    if (r->status == TG_ERR_NO_MEMORY) return false;
    return read_kernels(r, root, out) && fine;
}

/* Builds the module in the arena that it then owns. */
static tg_module *build(tg_json_reader *r, const cJSON *root)
{
    tg_arena arena = {0};
    r->arena = &arena;
    tg_module *module = tg_json_take(r, 1, sizeof *module);
    if (module && read_module(r, root, module) && r->status == TG_OK) {
        module->arena = arena;
        return module;
    }
    tg_arena_free(&arena);
    return NULL;
}

tg_status tg_json_load(const char *text, size_t length, tg_module **out, tg_diags *diags)
{
    *out = NULL;
    TG_TRY(tg_json_scan(text, length, diags));
    tg_json_reader r = {.text = text, .length = length, .diags = diags};
    cJSON *root = cJSON_ParseWithLength(text, length);
    if (root)
        *out = build(&r, root);
    else
        tg_json_no_memory(&r); /* after the scan, cJSON fails only without memory */
    cJSON_Delete(root);
    return r.status;
}

tg_status tg_json_load_file(const char *path, tg_module **out, tg_diags *diags)
{
    char *text;
    size_t length;
    *out = NULL;
    tg_diags_set_file(diags, path);
    TG_TRY(tg_file_read(path, TG_JSON_MAX_BYTES, &text, &length, diags));
    tg_status status = tg_json_load(text, length, out, diags);
    free(text);
    return status;
}
