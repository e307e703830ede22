#include "gpu_backend/run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_backend/kernel/kernel.h"
#include "gpu_backend/printed.h"
#include "gpu_backend/text/record.h"
#include "ir/ir.h"
#include "ir/op.h"
#include "ir/type.h"
#include "ir/undefined.h"
#include "plan/grid.h"

enum {
    FIXED_PARAMS = 6, /* report, workspace, prints, and three for the trace */
    FIRST_PRINT_ROOM = 16 * 1024
};

struct tg_gpu_runner {
    tg_gpu_settings settings;
    tg_ptx *ptx;
    void *module;
    /* capacity for printed records, in bytes: the most that any run has needed so far */
    size_t print_room;
};

/* One run: its device memory, with sizes. */
typedef struct run {
    tg_gpu_runner *runner;
    const tg_kernel *kernel;
    tg_device *device;
    tg_grid grid;
    uint32_t ctas; /* or clusters of them, which run a chain each */
    uint64_t report, workspace, prints, trace,
        *arrays; /* addresses; 0: not allocated; arrays: per param, 0 for aliases */
    uint64_t *params;
    size_t param_count;
    tg_diags *diags;
} run;

static size_t bytes_of(const tg_param *param)
{
    return (size_t)tg_type_count(&param->array) * tg_dtypes[param->array.dtype].bytes;
}

/* All CTAs, those of clusters one by one. */
static uint32_t launched(const run *r) { return r->ctas * r->runner->ptx->blocks; }

/* ---- a kernel on a device ---- */

tg_status tg_gpu_runner_new(const tg_gpu_settings *settings, tg_gpu_runner **out, tg_diags *diags)
{
    tg_gpu_runner *runner = calloc(1, sizeof *runner);
    *out = NULL;
    if (!runner) return tg_no_memory(diags);
    runner->settings = *settings;
    runner->print_room = settings->print ? FIRST_PRINT_ROOM : 0;
    tg_status status = tg_ptx_emit(settings->plan, &settings->ptx, &runner->ptx, diags);
    if (status == TG_OK)
        status =
            settings->device->kind->load(settings->device, runner->ptx, &runner->module, diags);
    if (status == TG_OK)
        *out = runner;
    else
        tg_gpu_runner_free(runner);
    return status;
}

void tg_gpu_runner_free(tg_gpu_runner *runner)
{
    if (!runner) return;
    if (runner->module)
        runner->settings.device->kind->unload(runner->settings.device, runner->module);
    tg_ptx_free(runner->ptx);
    free(runner);
}

const tg_ptx *tg_gpu_runner_ptx(const tg_gpu_runner *runner) { return runner->ptx; }

/* ---- memory ---- */

static tg_status take(run *r, size_t bytes, const char *name, uint64_t *address)
{
    return r->device->kind->alloc(r->device, bytes ? bytes : 1, name, address, r->diags);
}

/* Whether atomics change elements of one byte, which they do with a whole word of memory. */
static bool needs_whole_words(const tg_plan *plan, const tg_param *param)
{
    if (tg_dtypes[param->array.dtype].bytes != 1) return false;
    for (uint32_t i = 0; i < plan->body.count; i++)
        if (plan->body.list[i].kind == TG_I_ATOMIC) return true;
    return false;
}

/* Fills an output that is not an alias with undefined values. */
static tg_status send_undefined(run *r, uint64_t to, const tg_type *array, size_t bytes)
{
    void *undefined = malloc(bytes ? bytes : 1);
    if (!undefined) return tg_no_memory(r->diags);
    tg_fill_undefined_memory(undefined, array->dtype, (size_t)tg_type_count(array));
    const tg_status status = r->device->kind->write(r->device, to, undefined, bytes, r->diags);
    free(undefined);
    return status;
}

static tg_status send_array(run *r, uint32_t p, void *const *data)
{
    const tg_param *param = &r->kernel->params[p];
    const size_t bytes = bytes_of(param);
    if (param->role == TG_ROLE_SCRATCH) return TG_OK;
    if (param->role == TG_ROLE_OUTPUT && param->alias >= 0) return TG_OK;
    const bool in_words = needs_whole_words(r->runner->settings.plan, param);
    TG_TRY(take(r, in_words ? (bytes + 3) / 4 * 4 : bytes, param->name, &r->arrays[p]));
    if (param->role == TG_ROLE_OUTPUT) return send_undefined(r, r->arrays[p], &param->array, bytes);
    return r->device->kind->write(r->device, r->arrays[p], data[p], bytes, r->diags);
}

static uint64_t address_of(const run *r, uint32_t p)
{
    const tg_param *param = &r->kernel->params[p];
    return param->alias >= 0 && param->role == TG_ROLE_OUTPUT ? r->arrays[param->alias]
                                                              : r->arrays[p];
}

static tg_status send_print_room(run *r)
{
    const uint64_t head[TG_PTX_PRINTS_HEAD / sizeof(uint64_t)] = {0, r->runner->print_room};
    TG_TRY(take(r, sizeof head + r->runner->print_room, "what is printed", &r->prints));
    return r->device->kind->write(r->device, r->prints, head, sizeof head, r->diags);
}

static tg_status send_trace(run *r)
{
    const tg_trace *trace = r->runner->settings.trace;
    TG_TRY(take(r, trace->bytes, "the trace", &r->trace));
    return r->device->kind->write(r->device, r->trace, trace->data, trace->bytes, r->diags);
}

static tg_status send(run *r, void *const *data)
{
    const tg_ptx *ptx = r->runner->ptx;
    const size_t bytes = ptx->site_count * sizeof(uint64_t);
    uint64_t *none = malloc(bytes ? bytes : 1);
    if (!none) return tg_no_memory(r->diags);
    tg_status status = take(r, bytes, "the report", &r->report);
    if (status == TG_OK) {
        memset(none, 0xff, bytes);
        status = r->device->kind->write(r->device, r->report, none, bytes, r->diags);
    }
    free(none);
    if (status == TG_OK && ptx->global_bytes)
        status = take(r, ptx->global_bytes * launched(r), "the workspace", &r->workspace);
    if (status == TG_OK && ptx->has_prints) status = send_print_room(r);
    if (status == TG_OK && ptx->has_trace) status = send_trace(r);
    for (uint32_t p = 0; p < r->kernel->param_count && status == TG_OK; p++)
        status = send_array(r, p, data);
    return status;
}

static tg_status fetch(run *r, void *const *data)
{
    for (uint32_t p = 0; p < r->kernel->param_count; p++) {
        const tg_param *param = &r->kernel->params[p];
        if (param->role == TG_ROLE_OUTPUT)
            TG_TRY(r->device->kind->read(r->device, data[p], address_of(r, p), bytes_of(param),
                                         r->diags));
    }
    if (!r->runner->ptx->has_trace) return TG_OK;
    const tg_trace *trace = r->runner->settings.trace;
    return r->device->kind->read(r->device, trace->data, r->trace, trace->bytes, r->diags);
}

static void release(run *r, uint64_t *address)
{
    if (*address) r->device->kind->release(r->device, *address);
    *address = 0;
}

static void release_all(run *r)
{
    for (uint32_t p = 0; p < r->kernel->param_count; p++) release(r, &r->arrays[p]);
    release(r, &r->report);
    release(r, &r->workspace);
    release(r, &r->prints);
    release(r, &r->trace);
}

/* ---- findings ---- */

static const tg_finding_kind guard_findings[] = {[TG_GUARD_NOT_ZERO] = TG_FINDING_DIVISION_BY_ZERO,
                                                 [TG_GUARD_BELOW] = TG_FINDING_SHIFT_TOO_FAR,
                                                 [TG_GUARD_MULTIPLE] =
                                                     TG_FINDING_MULTIPLE_OF_BROKEN};

static tg_finding_kind kind_of(const tg_ptx_site *site)
{
    switch (site->kind) {
    case TG_PTX_SITE_BLOCK: return TG_FINDING_BLOCK_OUTSIDE_ARRAY;
    case TG_PTX_SITE_ACCESS: return TG_FINDING_ACCESS_OUTSIDE_REF;
    case TG_PTX_SITE_GUARD: return guard_findings[site->inst->as.guard->kind];
    case TG_PTX_SITE_LOOP: return TG_FINDING_ENDLESS_LOOP;
    case TG_PTX_SITE_DEADLOCK: return TG_FINDING_DEADLOCK;
    default: return tg_finding_of_check(site->inst->as.print->source);
    }
}

/* The param whose memory the finding is about; NULL: none. */
static const tg_param *param_of(const run *r, const tg_ptx_site *site)
{
    const uint32_t root = site->kind == TG_PTX_SITE_BLOCK ? site->param : tg_inst_root(site->inst);
    return root == UINT32_MAX ? NULL : &r->kernel->params[root];
}

static void describe(const tg_ptx_site *site, const tg_param *param, char *out, size_t size)
{
    const char *const op = site->inst ? tg_ops[site->inst->op].name : "";
    switch (site->kind) {
    case TG_PTX_SITE_BLOCK:
        snprintf(out, size, "the index map of %s gives a block outside its array", param->name);
        return;
    case TG_PTX_SITE_ACCESS:
        snprintf(out, size, "%s reaches outside %s", op, param ? param->name : "a scoped ref");
        return;
    case TG_PTX_SITE_DEADLOCK:
        snprintf(out, size,
                 "%s waits for a semaphore that nobody can raise.  The program ends here", op);
        return;
    case TG_PTX_SITE_GUARD:
        snprintf(out, size, "%s has an operand that is forbidden, or breaks its promise", op);
        return;
    case TG_PTX_SITE_LOOP:
        snprintf(out, size, "for: the step is not positive.  The loop was left out");
        return;
    default: snprintf(out, size, "a condition that the kernel checks is false"); return;
    }
}

static void add_finding(const run *r, const tg_ptx_site *site, int64_t order, tg_findings *findings)
{
    tg_found found = {.kind = kind_of(site),
                      .param = param_of(r, site),
                      .at = {.op = site->inst ? site->inst->op : TG_OP_COUNT,
                             .loc = site->inst ? site->inst->loc : r->kernel->loc,
                             .has_program = true},
                      .program_index = order,
                      .count = 1};
    tg_grid_coordinates(&r->grid, order, found.at.program);
    describe(site, found.param, found.message, sizeof found.message);
    tg_findings_add(findings, &found);
}

static tg_status report(run *r, tg_findings *findings)
{
    const tg_ptx *ptx = r->runner->ptx;
    const size_t bytes = ptx->site_count * sizeof(uint64_t);
    uint64_t *first = malloc(bytes ? bytes : 1);
    if (!first) return tg_no_memory(r->diags);
    const tg_status status = r->device->kind->read(r->device, first, r->report, bytes, r->diags);
    for (uint32_t s = 0; s < ptx->site_count && status == TG_OK; s++)
        if (first[s] != UINT64_MAX) add_finding(r, &ptx->sites[s], (int64_t)first[s], findings);
    free(first);
    tg_findings_sort(findings);
    return status;
}

/* ---- what is printed ---- */

static tg_status read_printed(run *r, size_t *bytes)
{
    uint64_t wanted = 0;
    if (r->runner->ptx->has_prints && r->runner->settings.print)
        TG_TRY(r->device->kind->read(r->device, &wanted, r->prints, sizeof wanted, r->diags));
    *bytes = (size_t)wanted;
    return TG_OK;
}

static tg_status print(run *r, size_t bytes)
{
    const tg_gpu_settings *s = &r->runner->settings;
    if (bytes == 0) return TG_OK;
    unsigned char *records = malloc(bytes);
    if (!records) return tg_no_memory(r->diags);
    tg_status status =
        r->device->kind->read(r->device, records, r->prints + TG_PTX_PRINTS_HEAD, bytes, r->diags);
    const tg_ptx_records all = {s->plan, &r->grid, records, bytes};
    if (status == TG_OK) status = tg_ptx_print_records(&all, s->print, s->context, r->diags);
    free(records);
    return status;
}

/* ---- the run ---- */

static void set_params(run *r, const int64_t *dynamic_grid)
{
    size_t n = 0;
    r->params[n++] = r->report;
    r->params[n++] = r->workspace;
    if (r->runner->ptx->has_prints) r->params[n++] = r->prints;
    for (uint32_t p = 0; p < r->kernel->param_count; p++)
        if (r->kernel->params[p].role != TG_ROLE_SCRATCH) r->params[n++] = address_of(r, p);
    for (int a = 0; a < r->kernel->axis_count; a++)
        if (r->kernel->axes[a].size < 0) r->params[n++] = (uint64_t)*dynamic_grid++;
    if (r->trace) {
        const tg_trace *trace = r->runner->settings.trace;
        r->params[n++] = r->trace;
        r->params[n++] = trace->first;
        r->params[n++] = trace->first + trace->bytes;
    }
    r->param_count = n;
}

/* Launches nothing for an empty grid: the text would walk through every chain, none of which
 * has steps. */
static tg_status launch(run *r)
{
    const tg_gpu_settings *s = &r->runner->settings;
    if (r->grid.chains == 0) return TG_OK;
    const tg_device_launch l = {launched(r), r->params, r->param_count, s->progress, s->context};
    return r->device->kind->launch(r->device, r->runner->module, r->runner->ptx, &l, r->diags);
}

/* Repeats the run, from fresh copies of the arrays, until all printed records fit; each run reports
 * how many bytes it needs.  *printed is that number. */
static tg_status launch_with_room(run *r, void *const *data, const int64_t *dynamic_grid,
                                  size_t *printed)
{
    for (;;) {
        TG_TRY(send(r, data));
        set_params(r, dynamic_grid);
        TG_TRY(launch(r));
        TG_TRY(read_printed(r, printed));
        if (*printed <= r->runner->print_room) return TG_OK;
        r->runner->print_room = *printed;
        release_all(r);
    }
}

/* How many chains run at once, one in each CTA or cluster. */
static uint32_t resident(const tg_gpu_runner *runner)
{
    const tg_gpu_settings *s = &runner->settings;
    const uint32_t ctas = s->device->kind->resident(s->device, runner->module, runner->ptx),
                   blocks = runner->ptx->blocks;
    return ctas < blocks ? 1 : ctas / blocks;
}

tg_status tg_gpu_runner_run(tg_gpu_runner *runner, void *const *data, const int64_t *dynamic_grid,
                            tg_findings *findings, tg_diags *diags)
{
    const tg_gpu_settings *s = &runner->settings;
    run r = {.runner = runner, .kernel = s->plan->kernel, .device = s->device, .diags = diags};
    size_t printed = 0;
    TG_TRY(tg_grid_set(r.kernel, dynamic_grid, &tg_setting_default, &r.grid, diags));
    const uint32_t most = s->most_ctas ? s->most_ctas : resident(runner);
    r.ctas = r.grid.chains < most ? (uint32_t)(r.grid.chains ? r.grid.chains : 1) : most;
    r.arrays = calloc(r.kernel->param_count + 1, sizeof *r.arrays);
    r.params = calloc(r.kernel->param_count + TG_MAX_AXES + FIXED_PARAMS, sizeof *r.params);
    if (!r.arrays || !r.params) {
        free(r.arrays);
        free(r.params);
        return tg_no_memory(diags);
    }
    tg_status status = launch_with_room(&r, data, dynamic_grid, &printed);
    if (status == TG_OK) status = fetch(&r, data);
    if (status == TG_OK) status = report(&r, findings);
    if (status == TG_OK) status = print(&r, printed);
    release_all(&r);
    free(r.arrays);
    free(r.params);
    return status;
}
