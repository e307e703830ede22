/* Kernels made ready to run: planned and bound once, run many times. */
#include "api/executable.h"

#include <stdlib.h>
#include <string.h>

#include "api/api_impl.h"
#include "lower/lower.h"
#include "api/arrays.h"
#include "api/errors.h"
#include "api/hint.h"
#include "api/module.h"
#include "api/options.h"
#include "api/physical.h"
#include "base/float_env.h"

/* ---- executables ---- */

/* Notes the output whose name is the `length` bytes at `name`. */
static tg_status note_partly_written(tg_executable *exe, const char *name, size_t length,
                                     tg_diags *diags)
{
    const tg_kernel *k = exe->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        const char *own = k->params[p].name;
        if (k->params[p].role != TG_ROLE_OUTPUT || strlen(own) != length ||
            memcmp(own, name, length) != 0)
            continue;
        exe->partly_written[p] = true;
        return TG_OK;
    }
    return tg_fail(diags, TG_ERR_USAGE, NULL, "partly_written: kernel %s has no output \"%.*s\"",
                   k->name, (int)length, name);
}

static tg_status set_partly_written(tg_executable *exe, const char *names, tg_diags *diags)
{
    if (!names) return TG_OK;
    exe->partly_written = calloc(exe->kernel->param_count + 1, sizeof *exe->partly_written);
    if (!exe->partly_written) return tg_no_memory(diags);
    for (const char *at = names;; at++) {
        const size_t length = strcspn(at, ",");
        TG_TRY(note_partly_written(exe, at, length, diags));
        at += length;
        if (!*at) break;
    }
    return TG_OK;
}

static tg_status note_undefined(tg_executable *exe, const tg_undefined_bytes *given,
                                tg_diags *diags)
{
    const tg_kernel *k = exe->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role != TG_ROLE_INPUT || strcmp(k->params[p].name, given->param) != 0)
            continue;
        exe->undefined[p] = (tg_definedness){given->before, given->after};
        return TG_OK;
    }
    return tg_fail(diags, TG_ERR_USAGE, NULL, "undefined: kernel %s has no input \"%s\"", k->name,
                   given->param);
}

static tg_status set_undefined(tg_executable *exe, const tg_run_options *options, tg_diags *diags)
{
    if (options->undefined_count == 0) return TG_OK;
    if (options->layouts && strcmp(options->layouts, "physical") == 0)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "layouts \"physical\" does not go with undefined bytes of inputs");
    exe->undefined = calloc(exe->kernel->param_count + 1, sizeof *exe->undefined);
    if (!exe->undefined) return tg_no_memory(diags);
    for (size_t i = 0; i < options->undefined_count; i++)
        TG_TRY(note_undefined(exe, &options->undefined[i], diags));
    return TG_OK;
}

/* A physical run has loads and stores of its own, which move blocks and fill registers. */
static tg_status check_layouts(const tg_run_options *options, const tg_run_job *job,
                               tg_diags *diags)
{
    if (!(job->checks & TG_CHECK_MEMORY_COST) || !options->layouts ||
        strcmp(options->layouts, "physical") != 0)
        return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "check memory-cost looks at logical runs, where layouts count too; layouts "
                   "\"physical\" does not go with it");
}

static tg_status prepare(tg_executable *exe, const tg_run_options *options, tg_diags *diags)
{
    static const size_t default_findings = 100;
    tg_run_job job;
    TG_TRY(tg_api_read_options(options, &job, diags));
    TG_TRY(set_partly_written(exe, options->partly_written, diags));
    TG_TRY(set_undefined(exe, options, diags));
    TG_TRY(check_layouts(options, &job, diags));
    TG_TRY(tg_api_held(options->layouts, &exe->module, &exe->kernel, diags));
    TG_TRY(tg_plan_new(exe->module, exe->kernel, &exe->plan, diags));
    job.plan = exe->plan;
    job.partly_written = exe->partly_written;
    job.undefined = exe->undefined;
    exe->most_findings = options->max_findings ? options->max_findings : default_findings;
    exe->dynamic_axes = tg_module_dynamic_axes(exe->module, exe->kernel->name);
    exe->order = job.order;
    tg_order_print(&job.order, exe->order_text, sizeof exe->order_text);
    exe->setting = job.setting;
    exe->isa = job.isa;
    exe->profile = job.is_fast ? "fast" : "reference";
    return tg_backend_prepare(&job, &exe->backend, &exe->prepared, diags);
}

tg_status tg_api_executable_new(const tg_module *module, const tg_kernel *kernel,
                                const tg_run_options *options, tg_executable **out, tg_diags *diags)
{
    tg_executable *exe = calloc(1, sizeof *exe);
    if (!exe) return tg_no_memory(diags);
    exe->module = module;
    exe->kernel = kernel;
    tg_environment saved = tg_environment_enter();
    tg_status status = prepare(exe, options, diags);
    tg_environment_leave(saved);
    if (status == TG_OK)
        *out = exe;
    else
        tg_executable_free(exe);
    return status;
}

tg_status tg_executable_new(const tg_module *module, const char *kernel,
                            const tg_run_options *options, tg_executable **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_run_options all = tg_api_options(options);
    const tg_kernel *k = tg_api_kernel(module, kernel);
    *out = NULL;
    tg_status status =
        k ? tg_api_executable_new(module, k, &all, out, diags) : tg_api_no_kernel(kernel, diags);
    tg_diags_free(&unwanted);
    return status;
}

void tg_executable_free(tg_executable *exe)
{
    if (!exe) return;
    if (exe->prepared) exe->backend->release(exe->prepared);
    tg_plan_free(exe->plan);
    free(exe->partly_written);
    free(exe->undefined);
    free(exe);
}

/* ---- runs ---- */

static tg_report *new_report(const tg_executable *exe, const int64_t *dynamic_grid)
{
    tg_report *report = calloc(1, sizeof *report);
    if (report && !tg_findings_init(&report->findings, exe->most_findings)) {
        free(report);
        return NULL;
    }
    if (!report) return NULL;
    report->module = exe->module;
    report->kernel = exe->kernel;
    for (int a = 0; a < exe->kernel->axis_count; a++)
        report->grid[a] =
            exe->kernel->axes[a].size >= 0 ? exe->kernel->axes[a].size : *dynamic_grid++;
    report->isa = exe->isa;
    report->profile = exe->profile;
    report->target = exe->setting.target;
    report->backend = exe->backend->name;
    memcpy(report->order, exe->order_text, sizeof report->order);
    return report;
}

tg_status tg_api_executable_run(tg_executable *exe, const tg_executor *executor, void *const *data,
                                const int64_t *grid, size_t grid_count, tg_report **out,
                                tg_diags *diags)
{
    if (grid_count != exe->dynamic_axes || (grid_count > 0 && !grid))
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "kernel %s: %zu axes of the grid are dynamic, %zu sizes are given",
                       exe->kernel->name, exe->dynamic_axes, grid ? grid_count : (size_t)0);
    tg_report *report = new_report(exe, grid);
    if (!report) return tg_no_memory(diags);
    const tg_backend_run run = {
        .data = data, .dynamic_grid = grid, .executor = executor, .findings = &report->findings};
    tg_status status = exe->backend->run(exe->prepared, &run, &report->result, diags);
    if (status == TG_OK) status = tg_api_set_hint(report, diags);
    if (status == TG_OK || status == TG_ERR_STOPPED)
        *out = report;
    else
        tg_report_free(report);
    return status;
}

tg_status tg_executable_run_on(tg_executable *exe, const tg_executor *executor, void *const *data,
                               const int64_t *dynamic_grid, size_t dynamic_grid_count,
                               tg_report **report, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    *report = NULL;
    tg_status status =
        tg_api_executable_run(exe, executor, data, dynamic_grid, dynamic_grid_count, report, diags);
    tg_diags_free(&unwanted);
    return status;
}

tg_status tg_executable_run(tg_executable *exe, void *const *data, const int64_t *dynamic_grid,
                            size_t dynamic_grid_count, tg_report **report, tg_errors *errors)
{
    return tg_executable_run_on(exe, NULL, data, dynamic_grid, dynamic_grid_count, report, errors);
}

/* ---- a single run ---- */

static tg_status run_once(const tg_module *module, const tg_kernel *k, const tg_array *arrays,
                          size_t count, const tg_run_options *options, tg_report **report,
                          tg_diags *diags)
{
    void **data = calloc(k->param_count + 1, sizeof *data);
    bool *given = calloc(k->param_count + 1, sizeof *given);
    tg_executable *exe = NULL;
    tg_status status =
        data && given ? tg_api_set_data(k, arrays, count, data, given, diags) : tg_no_memory(diags);
    if (status == TG_OK) status = tg_api_executable_new(module, k, options, &exe, diags);
    if (exe)
        status = tg_api_executable_run(exe, NULL, data, options->dynamic_grid,
                                       options->dynamic_grid_count, report, diags);
    tg_executable_free(exe);
    free(data);
    free(given);
    return status;
}

tg_status tg_run(const tg_module *module, const char *kernel, const tg_array *arrays,
                 size_t array_count, const tg_run_options *options, tg_report **report,
                 tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_run_options all = tg_api_options(options);
    const tg_kernel *k = tg_api_kernel(module, kernel);
    *report = NULL;
    tg_status status = k ? run_once(module, k, arrays, array_count, &all, report, diags)
                         : tg_api_no_kernel(kernel, diags);
    tg_diags_free(&unwanted);
    return status;
}
