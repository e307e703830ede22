#include "run/order_dependence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/merge.h"
#include "run/order_finding.h"
#include "checks/rounding.h"
#include "interp/memory/last_writer.h"
#include "ir/tensor.h"
#include "report/compare.h"
#include "plan/grid.h"

typedef struct state {
    const tg_order_search *search;
    const tg_kernel *kernel;
    tg_grid grid;
    void **data;     /* inputs of the search, outputs of the last run */
    unsigned checks; /* of the other orders */
    bool *rounds;    /* per param: tg_only_adds, and no programs race */
    bool has_reported_rounding;
    tg_findings *findings;
    tg_diags *diags;
} state;

/* ---- runs ---- */

static bool is_output(const tg_kernel *k, uint32_t p)
{
    return k->params[p].role == TG_ROLE_OUTPUT;
}

/* Allocates separate outputs, which the state frees. */
static tg_status make_outputs(state *s)
{
    s->data = calloc(s->kernel->param_count + 1, sizeof *s->data);
    if (!s->data) return tg_no_memory(s->diags);
    for (uint32_t p = 0; p < s->kernel->param_count; p++) {
        const size_t bytes = tg_tensor_bytes(&s->kernel->params[p].array);
        s->data[p] = is_output(s->kernel, p) ? malloc(bytes ? bytes : 1) : s->search->data[p];
        if (is_output(s->kernel, p) && !s->data[p]) return tg_no_memory(s->diags);
    }
    return TG_OK;
}

static void free_outputs(state *s)
{
    for (uint32_t p = 0; s->data && p < s->kernel->param_count; p++)
        if (is_output(s->kernel, p)) free(s->data[p]);
    free(s->data);
}

/* What is known of undefined bytes before a run; nobody is told of those after it, as they are those of another order.
 * NULL without memory, and where nothing is known. */
static tg_definedness *known_before(const tg_run_settings *settings)
{
    const uint32_t count = settings->plan->kernel->param_count;
    tg_definedness *known = settings->undefined ? calloc(count + 1, sizeof *known) : NULL;
    for (uint32_t p = 0; known && p < count; p++) known[p].before = settings->undefined[p].before;
    return known;
}

static tg_status run_with(state *s, const tg_run_settings *settings, tg_findings *findings)
{
    tg_runner *runner;
    tg_run_result result;
    TG_TRY(tg_runner_new(settings, &runner, s->diags));
    const tg_status status =
        tg_runner_run(runner, s->data, s->search->dynamic_grid, findings, &result, s->diags);
    tg_runner_free(runner);
    return status;
}

static tg_status run(state *s, const tg_order *order, const tg_observer *observer, unsigned checks,
                     tg_findings *findings)
{
    tg_run_settings settings = *s->search->settings;
    tg_definedness *known = known_before(&settings);
    if (settings.undefined && !known) return tg_no_memory(s->diags);
    settings.undefined = known;
    settings.order = *order;
    settings.observer = observer;
    settings.checks = checks;
    settings.trace = NULL;
    settings.print = NULL;
    const tg_status status = run_with(s, &settings, findings);
    free(known);
    return status;
}

/* A run whose findings are dropped. */
static tg_status run_quietly(state *s, const tg_order *order, const tg_observer *observer)
{
    tg_findings dropped;
    if (!tg_findings_init(&dropped, 1)) return tg_no_memory(s->diags);
    const tg_status status = run(s, order, observer, 0, &dropped);
    tg_findings_free(&dropped);
    return status;
}

/* ---- outputs that can only differ by rounding ---- */

static bool has_kind(const tg_findings *findings, tg_finding_kind kind)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].kind == kind) return true;
    return false;
}

/* Returns whether the findings of order sequential show if programs race: the check ran, and the
 * list has all its findings. */
static bool shows_races(const state *s)
{
    return (s->search->settings->checks & TG_CHECK_RACES) && s->findings->count < s->findings->most;
}

static tg_status look_for_races(state *s, bool *has_races)
{
    if (shows_races(s)) {
        *has_races = has_kind(s->findings, TG_FINDING_RACE);
        return TG_OK;
    }
    static const tg_order sequential = {.kind = TG_ORDER_SEQUENTIAL};
    tg_findings own;
    if (!tg_findings_init(&own, SIZE_MAX)) return tg_no_memory(s->diags);
    const tg_status status = run(s, &sequential, NULL, TG_CHECK_RACES, &own);
    *has_races = has_kind(&own, TG_FINDING_RACE);
    tg_findings_free(&own);
    return status;
}

static tg_status find_rounding(state *s)
{
    const tg_plan *plan = s->search->settings->plan;
    bool is_any = false, has_races = true;
    s->rounds = calloc(s->kernel->param_count + 1, sizeof *s->rounds);
    if (!s->rounds) return tg_no_memory(s->diags);
    for (uint32_t p = 0; p < s->kernel->param_count; p++) {
        s->rounds[p] = is_output(s->kernel, p) && tg_only_adds(plan, p);
        is_any = is_any || s->rounds[p];
    }
    if (is_any) TG_TRY(look_for_races(s, &has_races));
    for (uint32_t p = 0; has_races && p < s->kernel->param_count; p++) s->rounds[p] = false;
    return TG_OK;
}

/* ---- comparing ---- */

static const tg_tolerance exact = {.kind = TG_TOLERANCE_BITS};
/* Finite sums of the same floats differ by rounding only; a sum that leaves the range of the dtype
 * never comes back. */
static const tg_tolerance both_finite = {.kind = TG_TOLERANCE_CLOSE, .atol = HUGE_VAL};

static const tg_tolerance *tolerance_of(const state *s, const tg_order_difference *d)
{
    return s->rounds[d->param] && !d->is_rounding ? &both_finite : &exact;
}

static tg_tensor tensor_of(const state *s, void *const *data, uint32_t p)
{
    return (tg_tensor){.type = s->kernel->params[p].array, .data = data[p]};
}

/* Finds the first output that differs after the last run, by rounding or not.  Returns false if
 * there is none. */
static bool find_first(const state *s, bool is_rounding, tg_order_difference *out)
{
    out->is_rounding = is_rounding;
    for (uint32_t p = 0; p < s->kernel->param_count; p++) {
        if (!is_output(s->kernel, p)) continue;
        const tg_tensor got = tensor_of(s, s->data, p), want = tensor_of(s, s->search->data, p);
        out->param = p;
        tg_compare(&got, &want, tolerance_of(s, out), &out->comparison);
        if (!out->comparison.agree) return true;
    }
    return false;
}

/* Prefers a difference that is more than rounding; reports rounding only once. */
static bool find_difference(const state *s, tg_order_difference *out)
{
    return find_first(s, false, out) || (!s->has_reported_rounding && find_first(s, true, out));
}

/* Returns whether the element of `d` differs between the order and order sequential. */
static tg_status is_different(state *s, const tg_order *order, const tg_order_difference *d,
                              bool *out)
{
    TG_TRY(run_quietly(s, order, NULL));
    const tg_dtype dtype = s->kernel->params[d->param].array.dtype;
    const size_t at = (size_t)d->comparison.first_failing * tg_dtypes[dtype].bytes;
    const tg_type one = {.dtype = dtype};
    const tg_tensor got = {one, (char *)s->data[d->param] + at},
                    want = {one, (char *)s->search->data[d->param] + at};
    tg_comparison comparison;
    tg_compare(&got, &want, tolerance_of(s, d), &comparison);
    *out = !comparison.agree;
    return TG_OK;
}

/* ---- two neighbours ---- */

/* Finds the smallest number in (low, high] for which the order makes a difference, if `low` makes
 * none and `high` makes one. */
static tg_status halve(state *s, const tg_order_difference *d, tg_order *order, int64_t *number,
                       int64_t low, int64_t high)
{
    while (high - low > 1) {
        bool differs;
        *number = low + (high - low) / 2;
        TG_TRY(is_different(s, order, d, &differs));
        *(differs ? &high : &low) = *number;
    }
    *number = high;
    return TG_OK;
}

/* Finds the chains that change places between `moved - 1` and `moved`: first the one that moves to
 * the front, then the other. */
static tg_status find_pair(state *s, const tg_order *order, int64_t pair[2])
{
    int64_t *list = tg_order_list(order, s->grid.chains);
    if (!list) return tg_no_memory(s->diags);
    const tg_order base = {.kind = order->replay.base, .seed = order->seed};
    pair[0] = tg_order_pick(&base, order->replay.done, s->grid.chains);
    int64_t at = 0;
    while (list[at] != pair[0]) at++;
    pair[1] = list[at + 1];
    free(list);
    return TG_OK;
}

/* From an order that permutes chains, finds an order that is sequential except for two chains that
 * change places, if that makes the difference; otherwise the first step from sequential to that
 * order at which the element changes. */
static tg_status find_swap(state *s, tg_order_difference *d, int64_t pair[2])
{
    tg_order step = {
        .kind = TG_ORDER_REPLAY, .seed = d->order.seed, .replay = {.base = d->order.kind}};
    bool differs;
    TG_TRY(halve(s, d, &step, &step.replay.done, 0, s->grid.chains));
    step.replay.done--;
    TG_TRY(halve(s, d, &step, &step.replay.moved, 0, s->grid.chains));
    TG_TRY(find_pair(s, &step, pair));
    const tg_order swap = {.kind = TG_ORDER_REPLAY,
                           .replay = {.first = pair[0], .second = pair[1]}};
    TG_TRY(is_different(s, &swap, d, &differs));
    d->order = differs ? swap : step;
    return TG_OK;
}

/* ---- the last writer ---- */

static tg_status find_writer(state *s, const tg_order_difference *d, const tg_order *order,
                             tg_last_writer *w)
{
    *w = tg_last_writer_of(s->kernel, d->param, d->comparison.first_failing);
    const tg_observer observer = tg_last_writer_observer(w);
    return run_quietly(s, order, &observer);
}

/* ---- the finding ---- */

static tg_status add_finding(state *s, const tg_order_difference *d, const int64_t *pair)
{
    static const tg_order sequential = {.kind = TG_ORDER_SEQUENTIAL};
    tg_order_account account = {.difference = d,
                                .kernel = s->kernel,
                                .grid = &s->grid,
                                .pair = pair,
                                .sequential.data = s->search->data,
                                .other.data = s->data};
    TG_TRY(find_writer(s, d, &sequential, &account.sequential.writer));
    /* last: the finding shows its outputs */
    TG_TRY(find_writer(s, d, &d->order, &account.other.writer));
    const tg_found found = tg_order_finding(&account);
    tg_findings_add(s->findings, &found);
    return TG_OK;
}

/* Returns the checks to run in other orders.  If programs neither race nor communicate, each does
 * the same in every order, so order sequential has shown all findings.  Some checks do not depend
 * on a run. */
static unsigned checks_of(const tg_order_search *search, const tg_findings *findings)
{
    const unsigned checks = search->settings->checks;
    const bool may_differ = !(checks & TG_CHECK_RACES) || has_kind(findings, TG_FINDING_RACE) ||
                            has_kind(findings, TG_FINDING_RACE_SAME_VALUE) ||
                            findings->count >= findings->most ||
                            tg_programs_communicate(search->settings->plan);
    return may_differ ? checks & ~(unsigned)(TG_CHECK_COVERAGE | TG_CHECK_INDEPENDENCE |
                                             TG_CHECK_MEMORY_COST)
                      : 0;
}

/* Returns whether the order only permutes chains; a replay cannot move threads. */
static bool permutes_chains(const state *s, const tg_order *order)
{
    return s->grid.threads == 1 &&
           (order->kind == TG_ORDER_REVERSED || order->kind == TG_ORDER_SHUFFLED);
}

/* Tries one order. *found: an order made a difference that is more than rounding, and it has been
 * reported. */
static tg_status try_order(state *s, const tg_order *order, bool *found)
{
    tg_order_difference d = {.order = *order};
    tg_findings own;
    int64_t pair[2] = {0, 0};
    if (!tg_findings_init(&own, SIZE_MAX)) return tg_no_memory(s->diags);
    tg_status status = run(s, order, NULL, s->checks, &own);
    tg_findings_merge(s->findings, &own, order); /* also for a run that was stopped */
    tg_findings_free(&own);
    if (status != TG_OK || *found || !find_difference(s, &d)) return status;
    *found = !d.is_rounding;
    s->has_reported_rounding = s->has_reported_rounding || d.is_rounding;
    if (!permutes_chains(s, order)) return add_finding(s, &d, NULL);
    TG_TRY(find_swap(s, &d, pair));
    return add_finding(s, &d, pair);
}

tg_status tg_order_search_run(const tg_order_search *search, tg_findings *findings, tg_diags *diags)
{
    state s = {.search = search,
               .kernel = search->settings->plan->kernel,
               .findings = findings,
               .diags = diags};
    bool found = false;
    TG_TRY(tg_grid_set(s.kernel, search->dynamic_grid, &search->settings->setting, &s.grid, diags));
    if (s.grid.chains * s.grid.threads < 2) return TG_OK;
    tg_status status = make_outputs(&s);
    if (status == TG_OK) status = find_rounding(&s);
    s.checks = checks_of(search, findings);
    for (size_t o = 0; o < search->order_count && status == TG_OK; o++)
        status = try_order(&s, &search->orders[o], &found);
    free_outputs(&s);
    free(s.rounds);
    tg_findings_sort(findings);
    return status;
}
