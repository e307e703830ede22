/* tilegrind run KERNEL.json: one run, with inputs from files. */
#include "cli/run_kernel.h"

#include "cli/command.h"
#include "cli/coverage.h"
#include "cli/errors.h"
#include "cli/inputs.h"
#include "cli/mesh.h"
#include "cli/mesh_run.h"
#include "cli/memory_cost.h"
#include "cli/recording.h"
#include "cli/run_report.h"
#include "cli/run_watch.h"
#include "cli/style.h"
#include "tilegrind/arrays.h"

/* Everything of one run, so that it ends in one place. */
typedef struct kernel_run {
    tg_module *module;
    tg_arrays *inputs, *outputs;
    tg_report *report;
    tg_cli_reports reports;
    tg_cli_tally tally;
    tg_diags diags;
} kernel_run;

/* Takes note of the run, as far as it came. */
static void add(const tg_run_request *request, kernel_run *k)
{
    if (!k->report) return;
    const char *kernel = request->kernel ? request->kernel : tg_module_kernel_name(k->module, 0);
    k->tally = tg_cli_reports_add(&k->reports, kernel, NULL, k->report);
}

static tg_status load(const tg_run_request *request, kernel_run *k)
{
    if (request->out && !tg_arrays_can_read(request->out))
        return tg_fail(&k->diags, TG_ERR_USAGE, NULL,
                       "--out %s: the name must end in .npz, .safetensors or .npy", request->out);
    k->inputs = tg_arrays_new();
    k->outputs = tg_arrays_new();
    if (!k->inputs || !k->outputs) return tg_no_memory(&k->diags);
    tg_errors *errors = tg_errors_new();
    TG_TRY(
        tg_cli_collect(&k->diags, errors, tg_module_load_file(request->path, &k->module, errors)));
    return tg_cli_read_inputs(request, k->module, k->inputs, &k->diags);
}

static tg_status run_on_mesh(const tg_run_request *request, kernel_run *k,
                             const tg_run_options *options, tg_errors *errors)
{
    tg_mesh_sharding list[TG_CLI_MAX_SHARDINGS];
    const tg_mesh_options mesh = tg_cli_mesh_options(request, list);
    const tg_mesh_hook hook = tg_cli_mesh_hook(request);
    return hook.run(hook.context, k->module, request->kernel, k->inputs, &mesh, options, k->outputs,
                    &k->report, errors);
}

static tg_status run_loaded(const tg_run_request *request, kernel_run *k, tg_errors *errors)
{
    tg_run_watch watch;
    tg_status status;
    const tg_run_hook hook = tg_cli_run_hook(request);
    const tg_run_options options = tg_run_options_of(request, &watch);
    if (tg_cli_is_on_mesh(request))
        status = run_on_mesh(request, k, &options, errors);
    else
        status = tg_arrays_run(k->module, request->kernel, k->inputs, &options, &hook, k->outputs,
                               &k->report, errors);
    tg_progress_end(&watch.progress);
    return status;
}

static tg_status run(const tg_run_request *request, kernel_run *k)
{
    TG_TRY(tg_cli_reports_begin(&k->reports, request, &k->diags));
    TG_TRY(load(request, k));
    tg_errors *errors = tg_errors_new();
    tg_status status = run_loaded(request, k, errors);
    tg_cli_collect(&k->diags, errors, status);
    add(request, k);
    if (status == TG_OK) status = tg_cli_recording_finish(request, &k->diags);
    if (status != TG_OK || !request->out) return status;
    errors = tg_errors_new();
    return tg_cli_collect(&k->diags, errors, tg_arrays_write(k->outputs, request->out, errors));
}

static int exit_code(const kernel_run *k, tg_status status)
{
    if (status != TG_OK) return tg_status_exit(status);
    return k->tally.failing ? TG_EXIT_FINDINGS : TG_EXIT_CLEAN;
}

static void print_count(const tg_run_request *request, const kernel_run *k, bool is_stopped)
{
    const tg_style style = tg_style_for(stdout);
    const size_t count = k->tally.left;
    tg_cli_print_stats(request, k->report);
    if (count || is_stopped)
        printf("%s%zu finding%s%s%s", style.bad, count, count == 1 ? "" : "s",
               is_stopped ? " until it was stopped" : "", style.off);
    else
        printf("%sclean%s", style.good, style.off);
    tg_cli_print_suppressed(&k->reports, &k->tally);
    putchar('\n');
}

static void print(const tg_run_request *request, const kernel_run *k, tg_status status)
{
    if (k->report) {
        tg_cli_print_findings(&k->reports, k->report);
        print_count(request, k, status == TG_ERR_STOPPED);
        tg_cli_print_mesh(k->report);
        tg_cli_print_coverage(k->report);
        tg_cli_print_memory_cost(k->report);
        tg_cli_reports_print(&k->reports);
    }
    tg_cli_print_diags(&k->diags);
}

static void print_json(const tg_run_request *request, const kernel_run *k, tg_status status)
{
    tg_json_out json = {.out = stdout};
    tg_emit_open(&json, NULL, '{');
    tg_emit_text(&json, "tilegrind", tg_version());
    tg_emit_text(&json, "file", request->path);
    tg_emit_text(&json, "status", tg_status_name(status));
    if (k->report) tg_cli_json_run(&json, &k->reports, k->report, &k->tally);
    tg_cli_reports_json(&k->reports, &json);
    tg_cli_json_diags(&json, &k->diags);
    tg_emit_int(&json, "exit", exit_code(k, status));
    tg_emit_close(&json, '}');
}

int tg_cli_run_kernel(const tg_run_request *request)
{
    kernel_run k = {0};
    tg_status status = run(request, &k);
    const tg_status written = tg_cli_reports_finish(&k.reports, exit_code(&k, status), &k.diags);
    if (status == TG_OK) status = written;
    int code = exit_code(&k, status);
    if (request->as_json)
        print_json(request, &k, status);
    else
        print(request, &k, status);
    tg_cli_reports_free(&k.reports);
    tg_report_free(k.report);
    tg_arrays_free(k.outputs);
    tg_arrays_free(k.inputs);
    tg_module_free(k.module);
    tg_diags_free(&k.diags);
    return code;
}
