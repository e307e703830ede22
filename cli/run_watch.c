#define _POSIX_C_SOURCE 200809L /* sigaction */
#include "cli/run_watch.h"

#include <signal.h>

#include "cli/recording.h"

/* Set by Ctrl-C; a second one ends the process at once. */
static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

void tg_run_watch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

int tg_run_is_interrupted(void) { return is_interrupted; }

static int on_progress(void *context, int64_t done, int64_t total)
{
    tg_progress_show(&((tg_run_watch *)context)->progress, done, total);
    return is_interrupted;
}

static tg_status run(void *context, const tg_module *module, const char *kernel,
                     const tg_array *arrays, size_t array_count, const tg_run_options *options,
                     tg_report **report, tg_errors *errors)
{
    const tg_run_request *request = context;
    if (!request->is_check)
        return tg_run(module, kernel, arrays, array_count, options, report, errors);
    return tg_check(module, kernel, arrays, array_count, options, &request->orders, report, errors);
}

tg_run_hook tg_cli_run_hook(const tg_run_request *request)
{
    const tg_run_hook hook = {sizeof hook, run, (void *)request};
    return request->html || request->trace ? tg_cli_recording_hook(request, hook) : hook;
}

static void on_print(void *context, const char *text)
{
    tg_run_watch *watch = context;
    tg_progress_end(&watch->progress);
    fputs(text, watch->print_to); /* ends its line itself */
}

tg_run_options tg_run_options_of(const tg_run_request *request, tg_run_watch *watch)
{
    /* With --json, standard output is the object alone. */
    *watch = (tg_run_watch){tg_progress_begin(), request->as_json ? stderr : stdout};
    /* What is said of all findings must know them all. */
    const bool wants_all = request->suppression_count || request->fail_on || request->sarif ||
                           request->gen_suppressions;
    return (tg_run_options){
        .size = sizeof(tg_run_options),
        .order = request->order,
        .compat = request->compat,
        .dynamic_grid = request->grid,
        .dynamic_grid_count = request->grid_count,
        .isa = request->isa,
        .max_findings = wants_all ? SIZE_MAX : 0,
        .progress = on_progress,
        .print = on_print,
        .context = watch,
        .profile = request->profile,
        .backend = request->backend,
        .checks = request->checks     ? request->checks
                  : request->is_check ? "all"
                                      : NULL,
        .target = request->target,
        .trap = request->trap,
        .max_steps = request->max_steps,
        .warps = request->warps,
        .partly_written = request->partly_written,
        .layouts = request->layouts,
        .tensor_core = request->tensor_core,
    };
}
