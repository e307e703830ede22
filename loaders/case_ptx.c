/* Reads the PTX that a case has of its kernel. */
#include "loaders/case_ptx.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "loaders/case_file.h"

enum {
    MOST_THREADS = 1024,
    MOST_CTAS = 16,
    MOST_SHARED = 1 << 18, /* bytes */
    MOST_ZEROS = 1 << 30,  /* bytes */
    GRID_AXES = 3,
};

static const size_t most_bytes = (size_t)1 << 26; /* of a text */

typedef struct ptx_reader {
    tg_json_reader *json;
    const tg_case *of;
} ptx_reader;

/* ---- the text ---- */

static bool read_text(const ptx_reader *r, const cJSON *root, const tg_path *up, tg_case_ptx *out)
{
    const tg_path at = {up, "file", 0};
    const cJSON *item = tg_json_need(r->json, root, up, "file");
    char *text = NULL, *path = item ? tg_case_file(r->json, r->of->folder, item, &at) : NULL;
    if (!path) return false;
    const tg_status status = tg_file_read(path, most_bytes, &text, &out->length, r->json->diags);
    free(path);
    if (status != TG_OK) return tg_json_problem(r->json, status, &at, "the PTX cannot be loaded");
    out->text = tg_json_take(r->json, out->length + 1, 1);
    if (out->text) memcpy(out->text, text, out->length + 1);
    free(text);
    out->name = tg_json_text_copy(r->json, item, &at);
    return out->text && out->name;
}

/* ---- arguments ---- */

/* The input that `item` names; -1 after a problem. */
static int64_t find_input(const ptx_reader *r, const cJSON *item, const tg_path *at)
{
    const tg_kernel *kernel = r->of->kernel;
    const char *name = tg_json_text(r->json, item, at);
    if (!name) return -1;
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (kernel->params[p].role == TG_ROLE_INPUT && strcmp(kernel->params[p].name, name) == 0)
            return p;
    tg_json_problem(r->json, TG_ERR_INVALID, at, "the kernel has no input \"%s\"", name);
    return -1;
}

static bool read_memory(const ptx_reader *r, const cJSON *item, const tg_path *at,
                        tg_case_ptx_arg *out)
{
    static const char *const keys[] = {"memory", "offset", NULL};
    const tg_path memory_at = {at, "memory", 0}, offset_at = {at, "offset", 0};
    const cJSON *offset = tg_json_member(item, "offset");
    int64_t bytes = 0;
    if (!tg_json_known_keys(r->json, item, at, keys)) return false;
    const int64_t param = find_input(r, tg_json_member(item, "memory"), &memory_at);
    if (param < 0) return false;
    const int64_t most = (int64_t)tg_tensor_bytes(&r->of->kernel->params[param].array);
    if (offset && !tg_json_int(r->json, offset, &offset_at, 0, most, &bytes)) return false;
    *out = (tg_case_ptx_arg){
        .kind = TG_CASE_PTX_MEMORY, .param = (uint32_t)param, .bytes = (size_t)bytes};
    return true;
}

static bool read_number(const ptx_reader *r, const cJSON *item, const tg_path *at,
                        tg_case_ptx_arg *out)
{
    static const char *const keys[] = {"number", NULL};
    const tg_path number_at = {at, "number", 0};
    if (!tg_json_known_keys(r->json, item, at, keys)) return false;
    const int64_t param = find_input(r, tg_json_member(item, "number"), &number_at);
    if (param < 0) return false;
    if (r->of->kernel->params[param].array.rank > 0)
        return tg_json_problem(r->json, TG_ERR_INVALID, &number_at, "the input is no number");
    *out = (tg_case_ptx_arg){.kind = TG_CASE_PTX_NUMBER, .param = (uint32_t)param};
    return true;
}

static bool read_zeros(const ptx_reader *r, const cJSON *item, const tg_path *at,
                       tg_case_ptx_arg *out)
{
    static const char *const keys[] = {"zeros", NULL};
    const tg_path zeros_at = {at, "zeros", 0};
    int64_t bytes;
    if (!tg_json_known_keys(r->json, item, at, keys) ||
        !tg_json_int(r->json, tg_json_member(item, "zeros"), &zeros_at, 0, MOST_ZEROS, &bytes))
        return false;
    *out = (tg_case_ptx_arg){.kind = TG_CASE_PTX_ZEROS, .bytes = (size_t)bytes};
    return true;
}

static bool read_arg(const ptx_reader *r, const cJSON *item, const tg_path *at,
                     tg_case_ptx_arg *out)
{
    if (!tg_json_object(r->json, item, at)) return false;
    if (tg_json_member(item, "memory")) return read_memory(r, item, at, out);
    if (tg_json_member(item, "number")) return read_number(r, item, at, out);
    if (tg_json_member(item, "zeros")) return read_zeros(r, item, at, out);
    return tg_json_problem(r->json, TG_ERR_INVALID, at,
                           "expected \"memory\", \"number\" or \"zeros\"");
}

static bool read_args(const ptx_reader *r, const cJSON *root, const tg_path *up, tg_case_ptx *out)
{
    const tg_path at = {up, "arguments", 0};
    const cJSON *item = tg_json_need(r->json, root, up, "arguments");
    bool fine = true;
    if (!item || !tg_json_list(r->json, item, &at)) return false;
    out->args = tg_json_take(r->json, tg_json_count(item), sizeof *out->args);
    if (!out->args) return false;
    tg_path entry = {&at, NULL, 0};
    for (const cJSON *i = item->child; i; i = i->next, entry.index++)
        fine &= read_arg(r, i, &entry, &out->args[entry.index]);
    out->arg_count = entry.index;
    return fine;
}

/* ---- the launch ---- */

static bool read_size(const ptx_reader *r, const cJSON *root, const tg_path *up, const char *key,
                      int64_t least, int64_t most, int64_t *out)
{
    const tg_path at = {up, key, 0};
    const cJSON *item = tg_json_member(root, key);
    return !item || tg_json_int(r->json, item, &at, least, most, out);
}

static bool read_launch(const ptx_reader *r, const cJSON *root, const tg_path *at, tg_case_ptx *out)
{
    int64_t threads = 1, ctas = 1, shared = 0;
    bool fine = read_size(r, root, at, "threads", 1, MOST_THREADS, &threads);
    fine &= read_size(r, root, at, "ctas", 1, MOST_CTAS, &ctas);
    fine &= read_size(r, root, at, "shared_bytes", 0, MOST_SHARED, &shared);
    out->threads = (uint32_t)threads;
    out->ctas = (uint32_t)ctas;
    out->shared_bytes = (size_t)shared;
    return fine;
}

bool tg_case_read_ptx(tg_json_reader *json, const tg_case *of, const cJSON *item, const tg_path *at,
                      tg_case_ptx **out)
{
    static const char *const keys[] = {"file",         "threads",   "ctas",
                                       "shared_bytes", "arguments", NULL};
    const ptx_reader r = {json, of};
    if (!tg_json_object(json, item, at)) return false;
    if (of->kernel->axis_count != GRID_AXES || of->dynamic_count != GRID_AXES)
        return tg_json_problem(json, TG_ERR_INVALID, at,
                               "the kernel's grid has not the dynamic axes z, y, x");
    tg_case_ptx *made = tg_json_take(json, 1, sizeof *made);
    if (!made) return false;
    bool fine = tg_json_known_keys(json, item, at, keys);
    fine &= read_text(&r, item, at, made);
    fine &= read_launch(&r, item, at, made);
    fine &= read_args(&r, item, at, made);
    *out = made;
    return fine;
}
