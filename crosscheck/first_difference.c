#include "crosscheck/first_difference.h"

#include <stdlib.h>
#include <string.h>

#include "lower/lower.h"
#include "report/compare.h"
#include "gpu_backend/run.h"
#include "interp/memory/last_writer.h"
#include "run/run.h"
#include "ir/bits.h"
#include "base/float_env.h"
#include "plan/grid.h"

enum { WINDOW = 4 << 20, MOST_WINDOWS = 256 };

/* One backend's runs. */
typedef struct side {
    tg_trace trace;
    tg_tensor *outputs; /* per param; only outputs have one */
    void **data;        /* per param, as runners take it */
    tg_findings findings;
    bool has_findings;
} side;

enum { CPU, OTHER };

typedef struct search {
    const tg_case *c;
    const tg_first_settings *settings;
    tg_plan *plan;
    tg_trace_sites *sites;
    side sides[2];
    tg_runner *cpu;
    tg_gpu_runner *other;
    tg_grid grid;
    int64_t *visits; /* per site: by the program in question */
    uint64_t order;  /* that program */
    tg_first_difference *out;
    tg_diags *diags;
} search;

/* ---- the two sides ---- */

static tg_status make_side(search *s, side *of)
{
    const tg_kernel *k = s->c->kernel;
    const size_t asked = s->settings->window ? s->settings->window : WINDOW;
    of->trace.sites = s->sites;
    of->trace.bytes = asked > s->sites->most ? asked / 8 * 8 : s->sites->most;
    of->trace.data = malloc(of->trace.bytes ? of->trace.bytes : 1);
    of->outputs = calloc((size_t)k->param_count + 1, sizeof *of->outputs);
    of->data = calloc((size_t)k->param_count + 1, sizeof *of->data);
    of->has_findings = tg_findings_init(&of->findings, 1);
    if (!of->trace.data || !of->outputs || !of->data || !of->has_findings)
        return tg_no_memory(s->diags);
    for (uint32_t p = 0; p < k->param_count; p++) {
        of->data[p] = s->c->inputs[p].tensor.data;
        if (k->params[p].role != TG_ROLE_OUTPUT) continue;
        if (tg_tensor_new(&k->params[p].array, &of->outputs[p]) != TG_OK)
            return tg_no_memory(s->diags);
        of->data[p] = of->outputs[p].data;
    }
    return TG_OK;
}

static void free_side(const search *s, side *of)
{
    for (uint32_t p = 0; of->outputs && p < s->c->kernel->param_count; p++)
        tg_tensor_free(&of->outputs[p]);
    if (of->has_findings) tg_findings_free(&of->findings);
    free(of->trace.data);
    free(of->outputs);
    free(of->data);
}

static tg_status make_runners(search *s)
{
    tg_run_settings cpu = {.plan = s->plan,
                           .setting = tg_setting_default,
                           .elementwise = tg_elementwise_get(NULL),
                           .trace = &s->sides[CPU].trace};
    const tg_gpu_settings other = {.plan = s->plan,
                                   .device = s->settings->device,
                                   .ptx.trace = s->sites,
                                   .ptx.tensor_core = s->settings->tensor_core,
                                   .most_ctas = 1,
                                   .trace = &s->sides[OTHER].trace};
    cpu.setting.tensor_core = s->settings->tensor_core;
    TG_TRY(tg_runner_new(&cpu, &s->cpu, s->diags));
    return tg_gpu_runner_new(&other, &s->other, s->diags);
}

/* Runs both with the window from `first` on. */
static tg_status run_both(search *s, uint64_t first)
{
    tg_run_result result;
    for (int i = 0; i < 2; i++) {
        tg_trace *trace = &s->sides[i].trace;
        memset(trace->data, 0, trace->bytes);
        trace->first = first;
        trace->at = 0;
    }
    TG_TRY(tg_runner_run(s->cpu, s->sides[CPU].data, s->c->dynamic_grid, &s->sides[CPU].findings,
                         &result, s->diags));
    return tg_gpu_runner_run(s->other, s->sides[OTHER].data, s->c->dynamic_grid,
                             &s->sides[OTHER].findings, s->diags);
}

/* ---- the logs ---- */

/* Counts how often the program has come to each site. */
static void count_visit(search *s, const tg_trace_record *record)
{
    if (record->order != s->order) memset(s->visits, 0, s->sites->count * sizeof *s->visits);
    s->order = record->order;
    s->visits[record->site - 1]++;
}

static void set_place(search *s, const tg_trace_record *record, bool is_read, tg_first_place *place)
{
    if (!is_read || record->site > s->sites->count) return;
    const tg_trace_site *site = &s->sites->list[record->site - 1];
    place->op = tg_ops[site->op].name;
    place->at = &s->plan->module->locs[site->loc];
    place->visit = record->order == s->order ? s->visits[record->site - 1] : 1;
    tg_grid_coordinates(&s->grid, (int64_t)record->order, place->program);
}

/* Elements that differ, the first of them noted; NaN is NaN. */
static int64_t compare_blocks(const tg_type *type, const unsigned char *a, const unsigned char *b,
                              tg_first_difference *out)
{
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(type->dtype)];
    const int64_t count = tg_type_count(type);
    int64_t differing = 0;
    if (memcmp(a, b, (size_t)count * bytes) == 0) return 0;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t bits[2] = {
            tg_bits_from_carrier(type->dtype, a + (size_t)i * bytes),
            tg_bits_from_carrier(type->dtype, b + (size_t)i * bytes),
        };
        if (bits[0] == bits[1] ||
            (tg_bits_is_nan(type->dtype, bits[0]) && tg_bits_is_nan(type->dtype, bits[1])))
            continue;
        if (differing++ > 0) continue;
        out->element = i;
        memcpy(out->bits, bits, sizeof bits);
    }
    return differing;
}

static uint64_t distance_of(tg_dtype dtype, const uint64_t bits[2])
{
    uint64_t elements[2];
    tg_bits_store(dtype, bits[0], &elements[0]);
    tg_bits_store(dtype, bits[1], &elements[1]);
    return tg_ulp_distance(dtype, &elements[0], &elements[1]);
}

typedef enum outcome { PARTED, ENDED, GOES_ON } outcome;

/* Compares the windows; *used gets the bytes that are the same. */
static outcome compare_windows(search *s, size_t *used)
{
    const tg_trace *a = &s->sides[CPU].trace, *b = &s->sides[OTHER].trace;
    tg_first_difference *out = s->out;
    for (*used = 0;;) {
        tg_trace_record x, y;
        const bool has_x = tg_trace_read(a, *used, &x), has_y = tg_trace_read(b, *used, &y);
        if (!has_x && !has_y) break;
        if (has_x) count_visit(s, &x);
        if (!has_x || !has_y || x.site != y.site || x.order != y.order) {
            out->kind = TG_FIRST_PATH;
            set_place(s, &x, has_x, &out->place);
            set_place(s, &y, has_y, &out->other);
            return PARTED;
        }
        const tg_trace_site *site = &s->sites->list[x.site - 1];
        out->differing = compare_blocks(&site->block, a->data + *used + sizeof x,
                                        b->data + *used + sizeof y, out);
        if (out->differing) {
            out->kind = TG_FIRST_BLOCK;
            out->type = site->block;
            out->ulps = distance_of(site->block.dtype, out->bits);
            set_place(s, &x, true, &out->place);
            return PARTED;
        }
        *used += site->bytes;
    }
    return a->first + *used >= a->at ? ENDED : GOES_ON;
}

/* ---- memory ---- */

/* Runs the interpreter once more. */
static tg_status find_writer(search *s, uint32_t param)
{
    tg_last_writer w = tg_last_writer_of(s->c->kernel, param, s->out->element);
    const tg_observer observer = tg_last_writer_observer(&w);
    const tg_run_settings settings = {
        .plan = s->plan, .elementwise = tg_elementwise_get(NULL), .observer = &observer};
    tg_runner *runner;
    tg_run_result result;
    TG_TRY(tg_runner_new(&settings, &runner, s->diags));
    const tg_status status = tg_runner_run(runner, s->sides[CPU].data, s->c->dynamic_grid,
                                           &s->sides[CPU].findings, &result, s->diags);
    tg_runner_free(runner);
    if (status != TG_OK || !w.inst) return status;
    s->out->place.op = tg_ops[w.inst->op].name;
    s->out->place.at = &s->plan->module->locs[w.inst->loc];
    memcpy(s->out->place.program, w.program, sizeof w.program);
    return TG_OK;
}

/* All ops left the same: the first output that ends up another. */
static tg_status compare_outputs(search *s)
{
    static const tg_tolerance exact = {.kind = TG_TOLERANCE_BITS};
    const tg_kernel *k = s->c->kernel;
    s->out->kind = TG_FIRST_NONE;
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_tensor *want = &s->sides[CPU].outputs[p], *got = &s->sides[OTHER].outputs[p];
        tg_comparison comparison;
        if (k->params[p].role != TG_ROLE_OUTPUT) continue;
        TG_TRY(tg_compare(got, want, &exact, &comparison));
        if (comparison.differing == 0) continue;
        const size_t at = (size_t)comparison.first * tg_dtypes[want->type.dtype].bytes;
        s->out->kind = TG_FIRST_STORE;
        s->out->output = k->params[p].name;
        s->out->type = want->type;
        s->out->element = comparison.first;
        s->out->differing = comparison.differing;
        s->out->bits[0] = tg_bits_load(want->type.dtype, (char *)want->data + at);
        s->out->bits[1] = tg_bits_load(want->type.dtype, (char *)got->data + at);
        s->out->ulps = distance_of(want->type.dtype, s->out->bits);
        return find_writer(s, p);
    }
    return TG_OK;
}

/* ---- the search ---- */

static tg_status search_windows(search *s)
{
    const uint32_t most =
        s->settings->most_windows ? s->settings->most_windows : (uint32_t)MOST_WINDOWS;
    for (uint32_t w = 0; w < most; w++) {
        size_t used;
        TG_TRY(run_both(s, s->out->compared));
        const outcome how = compare_windows(s, &used);
        s->out->compared += used;
        if (how == PARTED) return TG_OK;
        if (how == ENDED) return compare_outputs(s);
    }
    s->out->kind = TG_FIRST_TOO_LONG;
    return TG_OK;
}

static tg_status start(search *s)
{
    TG_TRY(tg_grid_set(s->c->kernel, s->c->dynamic_grid, &tg_setting_default, &s->grid, s->diags));
    memcpy(s->out->grid, s->grid.size, sizeof s->out->grid);
    TG_TRY(tg_plan_new(s->c->module, s->c->kernel, &s->plan, s->diags));
    s->sites = tg_trace_sites_new(s->plan);
    if (!s->sites) return tg_no_memory(s->diags);
    s->visits = calloc((size_t)s->sites->count + 1, sizeof *s->visits);
    if (!s->visits) return tg_no_memory(s->diags);
    TG_TRY(make_side(s, &s->sides[CPU]));
    TG_TRY(make_side(s, &s->sides[OTHER]));
    return make_runners(s);
}

tg_status tg_first_difference_find(const tg_case *c, const tg_first_settings *settings,
                                   tg_first_difference *out, tg_diags *diags)
{
    search s = {.c = c, .settings = settings, .order = UINT64_MAX, .out = out, .diags = diags};
    const tg_environment saved = tg_environment_enter();
    *out = (tg_first_difference){.kernel = c->kernel};
    tg_status status = start(&s);
    if (status == TG_OK) status = search_windows(&s);
    tg_runner_free(s.cpu);
    tg_gpu_runner_free(s.other);
    free_side(&s, &s.sides[CPU]);
    free_side(&s, &s.sides[OTHER]);
    free(s.visits);
    tg_trace_sites_free(s.sites);
    tg_plan_free(s.plan);
    tg_environment_leave(saved);
    return status;
}
