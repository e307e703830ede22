#include "api/record.h"

#include <stdlib.h>
#include <string.h>

#include "api/arrays.h"
#include "api/errors.h"
#include "api/executable.h"
#include "api/mesh_report.h"
#include "api/module.h"
#include "api/options.h"
#include "checks/timeline/recorder.h"
#include "ir/tensor.h"

static bool is_output(const tg_recording *r, uint32_t p)
{
    return r->kernel->params[p].role == TG_ROLE_OUTPUT;
}

void tg_recording_free(tg_recording *r)
{
    if (!r) return;
    for (uint32_t p = 0; r->data && p < r->kernel->param_count; p++)
        if (is_output(r, p)) free(r->data[p]);
    free(r->data);
    tg_history_free(r->history);
    tg_timeline_free(r->timeline);
    tg_executable_free(r->exe);
    tg_mesh_arrays_delete(r->parts);
    free(r);
}

/* Inputs of the call, and outputs of the recording's own. */
static tg_status set_data(tg_recording *r, const tg_array *arrays, size_t count, tg_diags *diags)
{
    const size_t params = (size_t)r->kernel->param_count + 1;
    bool *given = calloc(params, sizeof *given);
    r->data = calloc(params, sizeof *r->data);
    tg_status status = given && r->data
                           ? tg_api_set_data(r->kernel, arrays, count, r->data, given, diags)
                           : tg_no_memory(diags);
    free(given);
    for (uint32_t p = 0; r->data && p < r->kernel->param_count; p++) {
        if (!is_output(r, p)) continue;
        const size_t bytes = tg_tensor_bytes(&r->kernel->params[p].array);
        r->data[p] = malloc(bytes ? bytes : 1);
        if (!r->data[p] && status == TG_OK) status = tg_no_memory(diags);
    }
    return status;
}

typedef struct record_limits {
    tg_history_limits history;
    size_t events;
} record_limits;

/* Whether a finding speaks of elements that the recording has. */
static bool is_of(const tg_recording *r, const tg_record_call *call, size_t finding)
{
    const tg_found *f = &call->report->findings.list[finding];
    if (!f->param || !f->has_elements) return false;
    /* Elements of scratch are those of the kernel that was written. */
    if (r->kernel->logical && f->param->role == TG_ROLE_SCRATCH) return false;
    if (call->device < 0) return true;
    /* Copies differ in elements of the whole array. */
    return f->kind != TG_FINDING_REPLICAS_DIFFER &&
           tg_report_mesh_is_on(call->report->mesh, finding, call->device);
}

static tg_status make_history(tg_recording *r, const tg_record_call *call,
                              const tg_history_limits *limits, tg_diags *diags)
{
    const tg_findings *findings = &call->report->findings;
    size_t count = 0;
    tg_history_range *ranges = calloc(findings->count + 1, sizeof *ranges);
    if (!ranges) return tg_no_memory(diags);
    for (size_t i = 0; i < findings->count; i++) {
        const tg_found *f = &findings->list[i];
        if (!is_of(r, call, i)) continue;
        ranges[count++] =
            (tg_history_range){(uint32_t)(f->param - r->kernel->params), f->first, f->last};
    }
    r->history = tg_history_new(r->exe->plan, ranges, count, limits);
    free(ranges);
    return r->history ? TG_OK : tg_no_memory(diags);
}

static tg_status observe(tg_recording *r, const int64_t *grid, tg_diags *diags)
{
    const tg_observer observer = tg_history_observer(r->history);
    const tg_added_detector detector = tg_timeline_detector(r->timeline);
    tg_findings unwanted;
    if (!tg_findings_init(&unwanted, 1)) return tg_no_memory(diags);
    const tg_backend_run run = {.data = r->data, .dynamic_grid = grid, .findings = &unwanted};
    const tg_status status =
        r->exe->backend->observe(r->exe->prepared, &run, &observer, &detector, diags);
    tg_findings_free(&unwanted);
    if (status == TG_OK && (r->history->is_incomplete || r->timeline->is_incomplete))
        return tg_no_memory(diags);
    return status;
}

static record_limits limits_of(const tg_record_limits *limits)
{
    tg_record_limits own = {.size = sizeof own};
    if (limits) memcpy(&own, limits, limits->size < sizeof own ? limits->size : sizeof own);
    return (record_limits){.history = {.entries = own.accesses ? own.accesses : 100000,
                                       .values = own.values ? own.values : 500000},
                           .events = own.events ? own.events : 100000};
}

static tg_status record(tg_recording *r, const tg_record_call *call, tg_diags *diags)
{
    const record_limits limits = limits_of(call->limits);
    const tg_run_options *options = call->options;
    TG_TRY(set_data(r, call->arrays, call->array_count, diags));
    TG_TRY(tg_api_executable_new(r->module, r->kernel, options, &r->exe, diags));
    TG_TRY(tg_backend_need_observe(r->exe->backend, diags));
    TG_TRY(tg_grid_set(r->kernel, options->dynamic_grid, &r->exe->setting, &r->grid, diags));
    TG_TRY(make_history(r, call, &limits.history, diags));
    r->timeline = tg_timeline_new(limits.events);
    if (!r->timeline) return tg_no_memory(diags);
    return observe(r, options->dynamic_grid, diags);
}

tg_status tg_api_record(const tg_record_call *call, tg_mesh_arrays *parts, tg_recording **out,
                        tg_diags *diags)
{
    tg_recording *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r) {
        tg_mesh_arrays_delete(parts);
        return tg_no_memory(diags);
    }
    r->module = call->module;
    r->kernel = call->kernel;
    r->parts = parts;
    const tg_status status = record(r, call, diags);
    if (status == TG_OK)
        *out = r;
    else
        tg_recording_free(r);
    return status;
}

tg_status tg_record(const tg_module *module, const char *kernel, const tg_array *arrays,
                    size_t array_count, const tg_run_options *options, const tg_report *report,
                    const tg_record_limits *limits, tg_recording **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_run_options all = tg_api_options(options);
    const tg_record_call call = {.module = module,
                                 .kernel = tg_api_kernel(module, kernel),
                                 .arrays = arrays,
                                 .array_count = array_count,
                                 .options = &all,
                                 .report = report,
                                 .limits = limits,
                                 .device = -1};
    *out = NULL;
    const tg_status status =
        call.kernel ? tg_api_record(&call, NULL, out, diags) : tg_api_no_kernel(kernel, diags);
    tg_diags_free(&unwanted);
    return status;
}
