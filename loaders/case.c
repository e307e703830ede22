#include "loaders/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/print.h"
#include "loaders/case_file.h"
#include "loaders/case_path.h"
#include "loaders/case_ptx.h"
#include "loaders/case_tensor.h"
#include "base/file.h"
#include "loaders/json_ir.h"
#include "loaders/json_scan.h"

/* A case being read. */
typedef struct case_reader {
    tg_json_reader json;
    tg_case *out;
    char file[sizeof((tg_diags *)0)->file]; /* path of case.json, for diagnoses */
} case_reader;

/* -- the kernel -- */

static bool load_module(case_reader *r, const cJSON *root)
{
    tg_path at = {NULL, "kernel", 0};
    const cJSON *item = tg_json_need(&r->json, root, NULL, "kernel");
    char *path = item ? tg_case_file(&r->json, r->out->folder, item, &at) : NULL;
    if (!path) return false;
    tg_status status = tg_json_load_file(path, &r->out->module, r->json.diags);
    tg_diags_set_file(r->json.diags, r->file);
    free(path);
    if (status == TG_OK) return true;
    return tg_json_problem(&r->json, status, &at, "the kernel cannot be loaded");
}

static bool find_kernel(case_reader *r, const cJSON *root)
{
    tg_path at = {NULL, "entry", 0};
    const tg_module *module = r->out->module;
    const cJSON *item = tg_json_member(root, "entry");
    const char *name = item ? tg_json_text(&r->json, item, &at) : NULL;
    if (item && !name) return false;
    for (uint32_t k = 0; k < module->kernel_count && !r->out->kernel; k++)
        if (!name || strcmp(module->kernels[k].name, name) == 0)
            r->out->kernel = &module->kernels[k];
    if (r->out->kernel) return true;
    return tg_json_problem(&r->json, TG_ERR_INVALID, &at, "the file has no such kernel");
}

static bool read_dynamic_grid(case_reader *r, const cJSON *root)
{
    tg_path at = {NULL, "dynamic_grid", 0};
    const tg_kernel *kernel = r->out->kernel;
    const cJSON *item = tg_json_member(root, "dynamic_grid");
    size_t wanted = 0, given = 0;
    bool fine = true;
    for (int a = 0; a < kernel->axis_count; a++) wanted += kernel->axes[a].size < 0;
    if (item && !tg_json_list(&r->json, item, &at)) return false;
    if (item) given = tg_json_count(item);
    if (given != wanted)
        return tg_json_problem(&r->json, TG_ERR_INVALID, item ? &at : NULL,
                               "the kernel has %zu dynamic axes, \"dynamic_grid\" gives %zu",
                               wanted, given);
    r->out->dynamic_count = wanted;
    r->out->dynamic_grid = tg_json_take(&r->json, wanted, sizeof(int64_t));
    if (!r->out->dynamic_grid) return false;
    tg_path entry = {&at, NULL, 0};
    for (const cJSON *i = item ? item->child : NULL; i; i = i->next, entry.index++)
        fine &= tg_json_int(&r->json, i, &entry, 0, INT32_MAX, &r->out->dynamic_grid[entry.index]);
    return fine;
}

/* -- tensors -- */

static const tg_param *find_param(const tg_kernel *kernel, const char *name)
{
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (strcmp(kernel->params[p].name, name) == 0) return &kernel->params[p];
    return NULL;
}

static bool is_read(const tg_param *param)
{
    return param->role == TG_ROLE_INPUT || param->role == TG_ROLE_PREFETCH;
}

/* Reads tensors by parameter name: expected outputs if `outputs`, else inputs. */
static bool read_tensors(case_reader *r, const cJSON *item, const tg_path *at, bool outputs,
                         tg_case_tensor *out)
{
    bool fine = true;
    if (!tg_json_object(&r->json, item, at)) return false;
    for (const cJSON *i = item->child; i; i = i->next) {
        tg_path entry = {at, i->string, 0};
        const tg_param *param = find_param(r->out->kernel, i->string);
        if (!param || (outputs ? param->role != TG_ROLE_OUTPUT : !is_read(param)))
            fine = tg_json_problem(&r->json, TG_ERR_INVALID, &entry, "the kernel has no %s \"%s\"",
                                   outputs ? "output" : "input", i->string);
        else
            fine &= tg_case_read_tensor(&r->json, r->out, i, &entry, param,
                                        &out[param - r->out->kernel->params]);
    }
    return fine;
}

static bool read_inputs(case_reader *r, const cJSON *root)
{
    tg_path at = {NULL, "inputs", 0};
    const tg_kernel *kernel = r->out->kernel;
    const cJSON *item = tg_json_need(&r->json, root, NULL, "inputs");
    if (!item || !read_tensors(r, item, &at, false, r->out->inputs)) return false;
    bool fine = true;
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (is_read(&kernel->params[p]) && r->out->inputs[p].content == TG_CASE_ABSENT)
            fine = tg_json_problem(&r->json, TG_ERR_INVALID, &at, "the input \"%s\" is missing",
                                   kernel->params[p].name);
    return fine;
}

/* -- expected results -- */

static bool read_factor(case_reader *r, const cJSON *object, const tg_path *up, const char *key,
                        double *out)
{
    tg_path at = {up, key, 0};
    const cJSON *item = tg_json_member(object, key);
    if (!item) return true;
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(value >= 0) || isinf(value))
        return tg_json_problem(&r->json, TG_ERR_INVALID, &at,
                               "expected a number that is not negative");
    *out = value;
    return true;
}

static bool read_steps(case_reader *r, const cJSON *object, const tg_path *up, const char *key,
                       uint64_t *out)
{
    tg_path at = {up, key, 0};
    const cJSON *item = tg_json_member(object, key);
    int64_t steps = 0;
    if (item && !tg_json_int(&r->json, item, &at, 0, INT64_MAX, &steps)) return false;
    *out = (uint64_t)steps;
    return true;
}

static bool read_tolerance(case_reader *r, const cJSON *item, const tg_path *at)
{
    static const char *const keys[] = {"ulp", "scale_ulp", "rtol", "atol", NULL};
    tg_tolerance *out = &r->out->compare;
    if (cJSON_IsString(item) && strcmp(item->valuestring, "bits") == 0) return true;
    if (!cJSON_IsObject(item) || !item->child)
        return tg_json_problem(&r->json, TG_ERR_INVALID, at,
                               "expected \"bits\", {\"ulp\": N, \"scale_ulp\": M} or "
                               "{\"rtol\": R, \"atol\": A}");
    if (!tg_json_known_keys(&r->json, item, at, keys)) return false;
    bool has_steps = tg_json_member(item, "ulp") || tg_json_member(item, "scale_ulp");
    bool has_factors = tg_json_member(item, "rtol") || tg_json_member(item, "atol");
    if (has_steps && has_factors)
        return tg_json_problem(&r->json, TG_ERR_INVALID, at,
                               "\"ulp\" and \"scale_ulp\" go with no other tolerance");
    out->kind = has_steps ? TG_TOLERANCE_ULP : TG_TOLERANCE_CLOSE;
    if (has_steps)
        return read_steps(r, item, at, "ulp", &out->ulps) &&
               read_steps(r, item, at, "scale_ulp", &out->scale_ulps);
    return read_factor(r, item, at, "rtol", &out->rtol) &&
           read_factor(r, item, at, "atol", &out->atol);
}

static bool read_optional_text(case_reader *r, const cJSON *object, const tg_path *up,
                               const char *key, char **out)
{
    tg_path at = {up, key, 0};
    const cJSON *item = tg_json_member(object, key);
    if (!item) return true;
    *out = tg_json_text_copy(&r->json, item, &at);
    return *out != NULL;
}

static bool read_finding(case_reader *r, const cJSON *item, const tg_path *at, tg_case_finding *out)
{
    static const char *const keys[] = {"kind", "param", "op", NULL};
    tg_path param_at = {at, "param", 0}, op_at = {at, "op", 0};
    if (!tg_json_object(&r->json, item, at) || !tg_json_known_keys(&r->json, item, at, keys))
        return false;
    if (!tg_json_need(&r->json, item, at, "kind")) return false;
    if (!read_optional_text(r, item, at, "kind", &out->kind) ||
        !read_optional_text(r, item, at, "param", &out->param) ||
        !read_optional_text(r, item, at, "op", &out->op))
        return false;
    if (out->param && !find_param(r->out->kernel, out->param))
        return tg_json_problem(&r->json, TG_ERR_INVALID, &param_at,
                               "the kernel has no such parameter");
    if (out->op && tg_op_by_name(out->op) == TG_OP_COUNT)
        return tg_json_problem(&r->json, TG_ERR_INVALID, &op_at, "there is no such operation");
    return true;
}

static bool read_findings(case_reader *r, const cJSON *item, const tg_path *at)
{
    bool fine = true;
    if (!tg_json_list(&r->json, item, at)) return false;
    r->out->findings = tg_json_take(&r->json, tg_json_count(item), sizeof *r->out->findings);
    if (!r->out->findings) return false;
    tg_path entry = {at, NULL, 0};
    for (const cJSON *i = item->child; i; i = i->next, entry.index++)
        fine &= read_finding(r, i, &entry, &r->out->findings[entry.index]);
    r->out->finding_count = entry.index;
    return fine;
}

static bool read_expect(case_reader *r, const cJSON *root)
{
    static const char *const keys[] = {"outputs", "compare", "findings", NULL};
    tg_path at = {NULL, "expect", 0}, outputs_at = {&at, "outputs", 0},
            compare_at = {&at, "compare", 0}, findings_at = {&at, "findings", 0};
    const cJSON *item = tg_json_member(root, "expect");
    if (!item) return true;
    if (!tg_json_object(&r->json, item, &at)) return false;
    const cJSON *outputs = tg_json_member(item, "outputs"),
                *compare = tg_json_member(item, "compare"),
                *findings = tg_json_member(item, "findings");
    bool fine = tg_json_known_keys(&r->json, item, &at, keys);
    if (outputs) fine &= read_tensors(r, outputs, &outputs_at, true, r->out->expected);
    if (compare) fine &= read_tolerance(r, compare, &compare_at);
    if (findings) fine &= read_findings(r, findings, &findings_at);
    return fine;
}

/* -- the rest -- */

static bool read_version(case_reader *r, const cJSON *root)
{
    tg_path at = {NULL, "tilegrind", 0};
    const cJSON *item = tg_json_need(&r->json, root, NULL, "tilegrind");
    const char *version = item ? tg_json_text(&r->json, item, &at) : NULL;
    if (!version) return false;
    if (strcmp(version, TG_IR_VERSION) == 0) return true;
    return tg_json_problem(&r->json, TG_ERR_UNSUPPORTED, &at, "version \"%s\" where %s is read",
                           version, TG_IR_VERSION);
}

static bool read_orders(case_reader *r, const cJSON *root)
{
    tg_path at = {NULL, "orders", 0};
    const cJSON *item = tg_json_member(root, "orders");
    bool fine = true;
    if (!item) return true;
    if (!tg_json_list(&r->json, item, &at)) return false;
    r->out->orders = tg_json_take(&r->json, tg_json_count(item), sizeof *r->out->orders);
    if (!r->out->orders) return false;
    tg_path entry = {&at, NULL, 0};
    for (const cJSON *i = item->child; i; i = i->next, entry.index++)
        fine &= (r->out->orders[entry.index] = tg_json_text_copy(&r->json, i, &entry)) != NULL;
    r->out->order_count = entry.index;
    return fine;
}

/* Reads a choice between two texts: sets *choice to `other` if `key` has that value; else keeps
 * it. */
static bool read_choice(case_reader *r, const cJSON *root, const char *key, const char *other,
                        const char **choice)
{
    tg_path at = {NULL, key, 0};
    const cJSON *item = tg_json_member(root, key);
    const char *name = item ? tg_json_text(&r->json, item, &at) : *choice;
    if (!name) return false;
    if (strcmp(name, *choice) == 0) return true;
    if (strcmp(name, other) != 0)
        return tg_json_problem(&r->json, TG_ERR_INVALID, &at, "\"%s\" is neither %s nor %s", name,
                               *choice, other);
    *choice = other;
    return true;
}

static bool read_tensor_core(case_reader *r, const cJSON *root)
{
    tg_path at = {NULL, "tensor_core", 0};
    const cJSON *item = tg_json_member(root, "tensor_core");
    const char *name = item ? tg_json_text(&r->json, item, &at) : "exact";
    if (!name) return false;
    if (tg_setting_read_tensor_core(&r->out->setting, name)) return true;
    return tg_json_problem(&r->json, TG_ERR_INVALID, &at, "\"%s\" is none of exact, sm90, sm100",
                           name);
}

static bool read_modes(case_reader *r, const cJSON *root)
{
    const char *compat = "strict", *profile = "reference", *target = "any";
    bool fine = read_choice(r, root, "compat", "jax", &compat);
    fine &= read_choice(r, root, "profile", "fast", &profile);
    fine &= read_choice(r, root, "target", "tpu", &target);
    fine &= tg_setting_read_compat(&r->out->setting, compat);
    fine &= tg_setting_read_target(&r->out->setting, target);
    fine &= read_tensor_core(r, root);
    r->out->profile = strcmp(profile, "fast") == 0 ? TG_CASE_FAST : TG_CASE_REFERENCE;
    return fine;
}

/* Checks notes for human readers, which are then dropped. */
static bool check_made_by(case_reader *r, const cJSON *root)
{
    tg_path at = {NULL, "made_by", 0};
    const cJSON *item = tg_json_member(root, "made_by");
    bool fine = true;
    if (!item) return true;
    if (!tg_json_object(&r->json, item, &at)) return false;
    for (const cJSON *i = item->child; i; i = i->next)
        fine &= tg_json_text(&r->json, i, &(tg_path){&at, i->string, 0}) != NULL;
    return fine;
}

static bool read_ptx(case_reader *r, const cJSON *root)
{
    const cJSON *item = tg_json_member(root, "ptx");
    return !item ||
           tg_case_read_ptx(&r->json, r->out, item, &(tg_path){NULL, "ptx", 0}, &r->out->ptx);
}

static bool read_root(case_reader *r, const cJSON *root)
{
    static const char *const keys[] = {
        "tilegrind", "name",    "why",    "kernel", "entry",   "dynamic_grid", "inputs", "orders",
        "compat",    "profile", "target", "expect", "made_by", "tensor_core",  "ptx",    NULL};
    if (!tg_json_object(&r->json, root, NULL) || !read_version(r, root)) return false;
    bool fine = tg_json_known_keys(&r->json, root, NULL, keys);
    fine &= read_optional_text(r, root, NULL, "name", &r->out->name);
    fine &= read_optional_text(r, root, NULL, "why", &r->out->why);
    fine &= read_orders(r, root);
    fine &= read_modes(r, root);
    fine &= check_made_by(r, root);
    if (!load_module(r, root) || !find_kernel(r, root)) return false;
    size_t params = r->out->kernel->param_count;
    r->out->inputs = tg_json_take(&r->json, params, sizeof *r->out->inputs);
    r->out->expected = tg_json_take(&r->json, params, sizeof *r->out->expected);
    if (!r->out->inputs || !r->out->expected) return false;
    fine &= read_dynamic_grid(r, root);
    fine &= read_inputs(r, root);
    fine &= read_ptx(r, root);
    return read_expect(r, root) && fine;
}

/* Makes an empty case, which lives in its own arena. */
static tg_case *new_case(const char *folder)
{
    tg_case *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->folder = tg_arena_text(&made->arena, folder);
    if (made->folder) return made;
    tg_case_free(made);
    return NULL;
}

static tg_status parse(const char *text, size_t length, case_reader *r)
{
    cJSON *root = cJSON_ParseWithLength(text, length);
    bool fine = root ? read_root(r, root) : tg_json_no_memory(&r->json);
    cJSON_Delete(root);
    if (fine || r->json.status != TG_OK) return r->json.status;
    return tg_fail(r->json.diags, TG_ERR_INTERNAL, NULL, "a problem of the case was not reported");
}

tg_status tg_case_read(const char *text, size_t length, const char *folder, tg_case_arrays arrays,
                       tg_case **out, tg_diags *diags)
{
    *out = NULL;
    TG_TRY(tg_json_scan(text, length, diags));
    tg_case *made = new_case(folder);
    if (!made) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory for a case");
    made->arrays = arrays;
    case_reader r = {
        .json = {.text = text, .length = length, .arena = &made->arena, .diags = diags},
        .out = made};
    memcpy(r.file, diags->file, sizeof r.file);
    tg_status status = parse(text, length, &r);
    if (status == TG_OK)
        *out = made;
    else
        tg_case_free(made);
    return status;
}

tg_status tg_case_load(const char *folder, tg_case_arrays arrays, tg_case **out, tg_diags *diags)
{
    char before[TG_FILE_NAME], *text = NULL;
    size_t length, size = strlen(folder) + sizeof "/case.json";
    char *path = malloc(size);
    *out = NULL;
    if (!path) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory for a case");
    snprintf(path, size, "%s/case.json", folder);
    tg_file_enter(diags, path, before);
    tg_status status = tg_file_read(path, TG_JSON_MAX_BYTES, &text, &length, diags);
    if (status == TG_OK) status = tg_case_read(text, length, folder, arrays, out, diags);
    tg_diags_set_file(diags, before);
    free(text);
    free(path);
    return status;
}

void tg_case_free(tg_case *c)
{
    if (!c) return;
    for (uint32_t p = 0; c->kernel && p < c->kernel->param_count; p++) {
        if (c->inputs) tg_tensor_free(&c->inputs[p].tensor);
        if (c->expected) tg_tensor_free(&c->expected[p].tensor);
    }
    tg_module_destroy(c->module);
    tg_arena_free(&c->arena);
    free(c);
}
