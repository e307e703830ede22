/* Runs of a kernel on the devices of a mesh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_impl.h"
#include "api/errors.h"
#include "api/executable.h"
#include "api/hint.h"
#include "api/mesh_arrays.h"
#include "api/mesh_gather.h"
#include "api/mesh_report.h"
#include "api/module.h"
#include "api/options.h"
#include "base/float_env.h"
#include "base/text.h"
#include "checks/memory_cost/sites.h"

/* Everything of one call, so that it ends in one place. */
typedef struct mesh_run {
    const tg_kernel *kernel;
    tg_mesh_options mesh_options;
    tg_run_options options; /* of each device: with progress and print of this file */
    tg_run_options given;
    tg_order order; /* of the devices */
    tg_mesh_arrays arrays;
    tg_executable *exe;
    void **data;         /* per param */
    tg_report **reports; /* by id of the device; NULL: has not run */
    tg_report_mesh *mesh;
    tg_tensors *outputs;
    int done, current; /* devices that have run; the one that does */
} mesh_run;

/* ---- options ---- */

static int on_progress(void *context, int64_t done, int64_t total)
{
    const mesh_run *run = context;
    int64_t before, all;
    if (__builtin_mul_overflow(total, run->arrays.mesh.device_count, &all)) all = INT64_MAX;
    if (__builtin_mul_overflow(total, run->done, &before) ||
        __builtin_add_overflow(before, done, &before))
        before = INT64_MAX;
    return run->given.progress(run->given.context, before, all);
}

static void on_print(void *context, const char *text)
{
    const mesh_run *run = context;
    tg_text line = {0};
    tg_text_add(&line, "%s: %s", run->mesh->names[run->current], text);
    char *whole = tg_text_finish(&line);
    run->given.print(run->given.context, whole ? whole : text);
    free(whole);
}

static tg_status read_order(mesh_run *run, tg_diags *diags)
{
    const char *text = run->mesh_options.device_order;
    if (!text) text = "sequential";
    if (tg_order_parse(text, &run->order, NULL) == TG_OK &&
        (run->order.kind == TG_ORDER_SEQUENTIAL || run->order.kind == TG_ORDER_REVERSED ||
         run->order.kind == TG_ORDER_SHUFFLED))
        return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL,
                   "device order \"%s\" is none of sequential, reversed, shuffled[:SEED]", text);
}

static tg_status read_options(mesh_run *run, const tg_mesh_options *mesh,
                              const tg_run_options *options, tg_diags *diags)
{
    run->mesh_options = tg_api_mesh_options(mesh);
    run->given = run->options = tg_api_options(options);
    if (run->given.undefined_count)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a mesh does not go with undefined bytes of inputs");
    run->options.context = run;
    if (run->given.progress) run->options.progress = on_progress;
    if (run->given.print) run->options.print = on_print;
    if (run->mesh_options.check && !run->options.checks) run->options.checks = "all";
    return read_order(run, diags);
}

/* ---- runs ---- */

static tg_status run_device(mesh_run *run, int device, tg_errors *errors)
{
    for (uint32_t p = 0; p < run->kernel->param_count; p++)
        if (run->arrays.list[p].param) run->data[p] = run->arrays.list[p].parts[device].data;
    const tg_run_options *o = &run->options;
    run->current = device;
    if (run->mesh_options.check)
        return tg_executable_check(run->exe, run->data, o->dynamic_grid, o->dynamic_grid_count,
                                   run->mesh_options.check, &run->reports[device], errors);
    return tg_executable_run(run->exe, run->data, o->dynamic_grid, o->dynamic_grid_count,
                             &run->reports[device], errors);
}

/* Between devices, since each alone may end before it has made any progress known. */
static tg_status show_progress(mesh_run *run, int device, tg_diags *diags)
{
    const int count = run->arrays.mesh.device_count;
    int64_t programs = run->reports[device]->result.programs, done, total;
    if (!run->given.progress) return TG_OK;
    if (__builtin_mul_overflow(programs, run->done + 1, &done)) done = INT64_MAX;
    if (__builtin_mul_overflow(programs, count, &total)) total = INT64_MAX;
    if (!run->given.progress(run->given.context, done, total)) return TG_OK;
    return tg_fail(diags, TG_ERR_STOPPED, NULL, "stopped after %d of %d devices", run->done + 1,
                   count);
}

static tg_status run_devices(mesh_run *run, tg_errors *errors, tg_diags *diags)
{
    const int count = run->arrays.mesh.device_count;
    for (; run->done < count; run->done++) {
        const int device = (int)tg_order_pick(&run->order, run->done, count);
        TG_TRY(run_device(run, device, errors));
        TG_TRY(show_progress(run, device, diags));
    }
    return TG_OK;
}

static tg_status prepare(mesh_run *run, const tg_module *module, tg_diags *diags)
{
    const size_t devices = (size_t)run->arrays.mesh.device_count;
    run->data = calloc(run->kernel->param_count + 1, sizeof *run->data);
    run->reports = calloc(devices, sizeof(tg_report *));
    run->mesh = tg_report_mesh_new(&run->arrays.mesh, run->arrays.has_names);
    if (!run->data || !run->reports || !run->mesh) return tg_no_memory(diags);
    tg_order_print(&run->order, run->mesh->order, sizeof run->mesh->order);
    TG_TRY(tg_api_executable_new(module, run->kernel, &run->options, &run->exe, diags));
    return tg_mesh_arrays_split(&run->arrays, TG_MESH_ALL_DEVICES, diags);
}

/* ---- one report of all ---- */

static void add_part(tg_written_by *into, const tg_written_by *from)
{
    const int64_t count = into->count + from->count;
    if (!into->count) *into = *from;
    into->count = count;
}

/* Returns false if memory runs out. */
static bool add_result(tg_run_result *into, const tg_run_result *from)
{
    into->programs += from->programs;
    into->seconds += from->seconds;
    into->instructions += from->instructions;
    if (from->threads > into->threads) into->threads = from->threads;
    for (size_t i = 0; i < into->covered_count && i < from->covered_count; i++)
        for (size_t k = 0; k < sizeof into->covered->by / sizeof *into->covered->by; k++)
            add_part(&into->covered[i].by[k], &from->covered[i].by[k]);
    return tg_cost_sites_merge(&into->costs, &into->cost_count, from->costs, from->cost_count);
}

/* The first report of a device becomes that of all: its findings are taken out. */
static tg_report *begin_report(mesh_run *run, tg_findings *first, int *device)
{
    for (*device = 0; !run->reports[*device]; ++*device) {
    }
    tg_report *report = run->reports[*device];
    *first = report->findings;
    run->reports[*device] = NULL;
    if (!tg_findings_init(&report->findings, first->most)) {
        tg_report_free(report);
        return NULL;
    }
    report->mesh = run->mesh;
    run->mesh = NULL;
    return report;
}

static tg_status add_findings(tg_report *report, const tg_findings *from, int device,
                              tg_diags *diags)
{
    for (size_t i = 0; i < from->count; i++)
        TG_TRY(tg_report_mesh_add(report->mesh, &report->findings, &from->list[i], device, diags));
    return TG_OK;
}

/* Adds the other devices' reports to that of the first. */
static tg_status merge(mesh_run *run, const tg_findings *first, int device, tg_report *report,
                       tg_diags *diags)
{
    TG_TRY(add_findings(report, first, device, diags));
    for (device++; device < run->arrays.mesh.device_count; device++) {
        const tg_report *next = run->reports[device];
        if (!next) continue;
        TG_TRY(add_findings(report, &next->findings, device, diags));
        if (!add_result(&report->result, &next->result)) return tg_no_memory(diags);
    }
    return TG_OK;
}

/* ---- outputs ---- */

static tg_status add_differences(tg_report *report, const tg_mesh_array *array,
                                 const tg_copies_differ *d, tg_diags *diags)
{
    char index[TG_INDEX_TEXT];
    tg_found found = {.kind = TG_FINDING_REPLICAS_DIFFER,
                      .param = array->param,
                      .at = {.op = TG_OP_COUNT, .loc = report->kernel->loc},
                      .has_elements = true,
                      .first = d->first,
                      .last = d->last,
                      .count = 1};
    tg_type whole = {.dtype = array->param->array.dtype, .rank = array->shape.rank};
    memcpy(whole.shape, array->shape.extent, (size_t)whole.rank * sizeof *whole.shape);
    tg_index_print(&whole, d->first, index);
    snprintf(found.message, sizeof found.message,
             "%lld element%s of %s differ%s between devices that hold copies of %s: %s%s is %s on "
             "%s and %s on %s",
             (long long)d->count, d->count == 1 ? "" : "s", array->param->name,
             d->count == 1 ? "s" : "", d->count == 1 ? "it" : "them", array->param->name, index,
             d->values[0], report->mesh->names[d->devices[0]], d->values[1],
             report->mesh->names[d->devices[1]]);
    TG_TRY(tg_report_mesh_add(report->mesh, &report->findings, &found, d->devices[0], diags));
    found.count = 0; /* one finding, of two devices */
    return tg_report_mesh_add(report->mesh, &report->findings, &found, d->devices[1], diags);
}

static tg_status gather(mesh_run *run, tg_mesh_array *array, tg_report *report, tg_diags *diags)
{
    tg_copies_differ differences;
    tg_tensor *whole = tg_tensors_find(run->outputs, array->param->name);
    TG_TRY(tg_mesh_gather(array, run->arrays.mesh.device_count, whole->data, &differences, diags));
    if (differences.count) TG_TRY(add_differences(report, array, &differences, diags));
    return tg_mesh_tell(array, &report->mesh->outputs[report->mesh->output_count++], diags);
}

static tg_status gather_all(mesh_run *run, tg_report *report, tg_diags *diags)
{
    report->mesh->outputs = calloc(run->outputs->count + 1, sizeof *report->mesh->outputs);
    if (!report->mesh->outputs) return tg_no_memory(diags);
    for (uint32_t p = 0; p < run->kernel->param_count; p++)
        if (run->kernel->params[p].role == TG_ROLE_OUTPUT)
            TG_TRY(gather(run, &run->arrays.list[p], report, diags));
    return TG_OK;
}

static tg_status make_outputs(mesh_run *run, tg_diags *diags)
{
    if (run->outputs->count)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "there are arrays among the outputs already");
    for (uint32_t p = 0; p < run->kernel->param_count; p++) {
        const tg_mesh_array *array = &run->arrays.list[p];
        if (run->kernel->params[p].role != TG_ROLE_OUTPUT) continue;
        tg_type type = {.dtype = array->param->array.dtype, .rank = array->shape.rank};
        memcpy(type.shape, array->shape.extent, (size_t)type.rank * sizeof *type.shape);
        tg_tensor tensor;
        if (tg_tensor_new(&type, &tensor) != TG_OK) return tg_no_memory(diags);
        memset(tensor.data, 0, tg_tensor_bytes(&type));
        if (tg_tensors_add(run->outputs, array->param->name, &tensor) != TG_OK)
            return tg_no_memory(diags);
    }
    return TG_OK;
}

/* ---- all of it ---- */

/* Findings of the devices come first: those of copies may follow from them. */
static tg_status fill_report(mesh_run *run, bool is_stopped, const tg_findings *first, int device,
                             tg_report *report, tg_diags *diags)
{
    TG_TRY(merge(run, first, device, report, diags));
    const tg_environment saved = tg_environment_enter();
    const tg_status status = is_stopped ? TG_OK : gather_all(run, report, diags);
    tg_environment_leave(saved);
    if (status != TG_OK) return status;
    tg_findings *findings = &report->findings;
    if (findings->count > findings->most) findings->count = findings->most;
    free(report->hint);
    report->hint = NULL;
    return tg_api_set_hint(report, diags);
}

static tg_status finish(mesh_run *run, bool is_stopped, tg_report **out, tg_diags *diags)
{
    int device;
    tg_findings first;
    tg_report *report = begin_report(run, &first, &device);
    tg_status status = TG_ERR_NO_MEMORY;
    if (report)
        status = fill_report(run, is_stopped, &first, device, report, diags);
    else
        tg_no_memory(diags);
    tg_findings_free(&first);
    if (status == TG_OK)
        *out = report;
    else
        tg_report_free(report);
    return status;
}

static tg_status run_all(mesh_run *run, const tg_module *module, const tg_tensors *inputs,
                         tg_report **report, tg_errors *errors, tg_diags *diags)
{
    TG_TRY(tg_mesh_arrays_read(run->kernel, &run->mesh_options, inputs, &run->arrays, diags));
    TG_TRY(make_outputs(run, diags));
    TG_TRY(prepare(run, module, diags));
    const tg_status status = run_devices(run, errors, diags);
    const bool is_stopped = status == TG_ERR_STOPPED;
    if (status != TG_OK && !is_stopped) return status;
    const tg_status finished = finish(run, is_stopped, report, diags);
    return finished == TG_OK ? status : finished;
}

static void end(mesh_run *run)
{
    for (int d = 0; run->reports && d < run->arrays.mesh.device_count; d++)
        tg_report_free(run->reports[d]);
    free(run->reports);
    tg_report_mesh_free(run->mesh);
    tg_executable_free(run->exe);
    tg_mesh_arrays_free(&run->arrays);
    free(run->data);
    free(run);
}

static tg_status run_kernel(const tg_kernel *k, const tg_module *module, const tg_arrays *inputs,
                            const tg_mesh_options *mesh, const tg_run_options *options,
                            tg_arrays *outputs, tg_report **report, tg_errors *errors,
                            tg_diags *diags)
{
    mesh_run *run = calloc(1, sizeof *run);
    if (!run) return tg_no_memory(diags);
    run->kernel = k;
    run->outputs = outputs;
    tg_status status = read_options(run, mesh, options, diags);
    if (status == TG_OK) status = run_all(run, module, inputs, report, errors, diags);
    end(run);
    return status;
}

tg_status tg_mesh_run(const tg_module *module, const char *kernel, const tg_arrays *inputs,
                      const tg_mesh_options *mesh, const tg_run_options *options,
                      tg_arrays *outputs, tg_report **report, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_kernel *k = tg_api_kernel(module, kernel);
    tg_status status;
    *report = NULL;
    if (k)
        status = run_kernel(k, module, inputs, mesh, options, outputs, report, errors, diags);
    else
        status = tg_api_no_kernel(kernel, diags);
    tg_diags_free(&unwanted);
    return status;
}
