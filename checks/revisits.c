/* Blocks of outputs that a chain of programs leaves and comes back to, and blocks that alias an
 * input.
 *
 * If blocks are copied to fast memory and back, as on a TPU, a block is written back when the chain
 * leaves it, and is not fetched when the chain comes back: it then holds arbitrary values.  So a
 * later visit may only read elements that it has written itself, and must write all of the block.
 * On a TPU, the same holds for any visit to a block that aliases an input, because the contents of
 * the input are not fetched for it either. */
#include "checks/checks.h"
#include "interp/state/found.h"
#include "interp/state/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/number_map.h"
#include "checks/plane.h"
#include "interp/state/index_walk.h"
#include "interp/memory/windows.h"
#include "base/list.h"
#include "plan/grid.h"

/* The last program of a visit that is over, and the instruction with which it wrote the block;
 * NULL: it did not write it. */
typedef struct past {
    int64_t program_index;
    const tg_inst *inst;
} past;

/* The visits of a chain to the blocks of one output. */
typedef struct visits {
    tg_ref block; /* the block of the current visit, identified by its origin */
    bool is_under_way;
    bool is_again;     /* the block was visited before, by `before` */
    bool is_open;      /* at first the block holds arbitrary values: see `arrive` */
    bool has_reported; /* in this visit */
    past before, now;
    int64_t first_program; /* the first program of this visit */
    tg_number_map numbers; /* from a block to a `past` */
    past *pasts;
    uint32_t count;
    size_t room;
    tg_plane written; /* per element: the number of the visit that wrote it */
    uint32_t visit;   /* the number of the current visit, from 1 on */
} visits;

/* The state of a machine: the visits of its chain. */
typedef struct revisits {
    tg_machine *machine;
    bool finds_revisits, finds_unfetched;
    visits *outputs; /* per param */
} revisits;

static revisits *revisits_of(const tg_machine *m) { return m->own; }

/* The elements to examine, run by run: those of an access, or of a block. */
typedef struct visited {
    const tg_machine *m;
    visits *v;
    uint32_t param;
    const tg_inst *inst; /* NULL: the visit is over */
} visited;

/* ---- setup and cleanup ---- */

static bool has_arbitrary_axis(const tg_launch *launch)
{
    const tg_kernel *k = launch->plan->kernel;
    for (int a = 0; a < k->axis_count; a++)
        if (tg_setting_axis(&launch->setting, &k->axes[a]) == TG_SEMANTICS_ARBITRARY) return true;
    return false;
}

static bool finds_revisits(const tg_launch *launch)
{
    return (launch->checks & TG_CHECK_REVISITS) && has_arbitrary_axis(launch);
}

static bool finds_unfetched(const tg_launch *launch)
{
    const tg_kernel *k = launch->plan->kernel;
    bool has_alias = false;
    for (uint32_t p = 0; p < k->param_count; p++) has_alias = has_alias || k->params[p].alias >= 0;
    return (launch->checks & TG_CHECK_ALIASES) && tg_setting_has_windows(&launch->setting) &&
           has_alias;
}

static bool wants(const tg_launch *launch)
{
    return finds_revisits(launch) || finds_unfetched(launch);
}

/* Returns whether the output's block is a window whose initial contents are not those of the input
 * that it aliases. */
static bool is_unfetched(const revisits *r, uint32_t p)
{
    const tg_param *param = &r->machine->launch->plan->kernel->params[p];
    return r->finds_unfetched && param->alias >= 0 && tg_param_has_window(param);
}

static bool is_watched(const revisits *r, uint32_t p)
{
    const tg_param *param = &r->machine->launch->plan->kernel->params[p];
    return param->role == TG_ROLE_OUTPUT &&
           ((r->finds_revisits && param->has_block) || is_unfetched(r, p));
}

static bool attach(void *state, tg_machine *m, void **own)
{
    revisits *r = calloc(1, sizeof *r);
    (void)state;
    if (!r) return false;
    *own = r;
    r->machine = m;
    r->finds_revisits = finds_revisits(m->launch);
    r->finds_unfetched = finds_unfetched(m->launch);
    r->outputs = calloc(m->launch->plan->kernel->param_count + 1, sizeof *r->outputs);
    return r->outputs != NULL;
}

static void detach(void *own)
{
    revisits *r = own;
    for (uint32_t p = 0; r->outputs && p < r->machine->launch->plan->kernel->param_count; p++) {
        visits *v = &r->outputs[p];
        tg_number_map_free(&v->numbers);
        tg_plane_free(&v->written);
        free(v->pasts);
    }
    free(r->outputs);
    free(r);
}

/* ---- findings ---- */

static void set_coordinates(const tg_machine *m, int64_t program_index, int64_t *program)
{
    tg_grid grid = {.rank = m->launch->axis_count};
    memcpy(grid.size, m->launch->grid, sizeof grid.size);
    tg_grid_coordinates(&grid, program_index, program);
}

/* Returns the output's index in `out_specs`, from 0 on. */
static int number_of_output(const tg_machine *m, uint32_t param)
{
    const tg_param *params = m->launch->plan->kernel->params;
    int number = 0;
    for (uint32_t p = 0; p < param; p++) number += params[p].role == TG_ROLE_OUTPUT;
    return number;
}

static void describe_revisit(const visited *w, tg_found *found, const char *index)
{
    const visits *v = w->v;
    found->kind = TG_FINDING_BLOCK_REVISITED;
    found->related_count = 1;
    found->related[0].role = "visited before by";
    found->related[0].param = found->param;
    found->related[0].at = (tg_found_place){.op = v->before.inst ? v->before.inst->op : TG_OP_COUNT,
                                            .loc = v->before.inst ? v->before.inst->loc
                                                                  : w->m->launch->plan->kernel->loc,
                                            .has_program = true};
    set_coordinates(w->m, v->before.program_index, found->related[0].at.program);
    snprintf(found->message, sizeof found->message,
             "the block of %s, output %d, with %s%s is left and come back to, and %s: where blocks "
             "are kept in fast "
             "memory while they are visited, as on a TPU, it holds anything then",
             found->param->name, number_of_output(w->m, w->param), found->param->name, index,
             w->inst ? "read before this visit writes it" : "this visit does not write all of it");
}

static void describe_unfetched(const visited *w, tg_found *found, const char *index)
{
    found->kind = TG_FINDING_ALIAS_UNFETCHED;
    snprintf(
        found->message, sizeof found->message,
        "%s%s is %s: on a TPU %s, output %d, has a block of its own, which is written back whole "
        "and into which its alias %s is not copied first",
        found->param->name, index,
        w->inst ? "read before a program writes it"
                : "left as it was, as no program writes it while its block is visited",
        found->param->name, number_of_output(w->m, w->param),
        w->m->launch->plan->kernel->params[found->param->alias].name);
}

/* Reports that this visit has not written element `at` of the array, although `inst` reads it;
 * NULL: no instruction reads it before the visit ends. */
static void report(const visited *w, int64_t at)
{
    const tg_machine *m = w->m;
    visits *v = w->v;
    const tg_param *param = &m->launch->plan->kernel->params[w->param];
    char index[TG_INDEX_TEXT];
    if (v->has_reported) return;
    const tg_inst *const inst = w->inst ? w->inst : v->now.inst;
    tg_found found = tg_machine_finding(m, TG_FINDING_BLOCK_REVISITED, inst, param);
    if (!w->inst) { /* the last writing program; if none wrote, the one that came back */
        found.program_index = inst ? v->now.program_index : v->first_program;
        set_coordinates(m, found.program_index, found.at.program);
    }
    found.has_elements = true;
    found.first = found.last = at;
    tg_index_print(&param->array, at, index);
    if (v->is_again)
        describe_revisit(w, &found, index);
    else
        describe_unfetched(w, &found, index);
    tg_findings_add(m->launch->findings, &found);
    v->has_reported = true;
}

/* ---- accesses ---- */

static uint32_t write_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    (void)number;
    (void)first;
    (void)count;
    return ((const visited *)context)->v->visit;
}

static void read_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    const visited *w = context;
    (void)count;
    if (number != w->v->visit) report(w, first);
}

static void write_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    visited *w = context;
    tg_plane_update_strided(&w->v->written, first, stride, count, write_places, w);
}

static void read_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    visited *w = context;
    tg_plane_visit_strided(&w->v->written, first, stride, count, read_places, w);
}

static void accessed(void *own, const tg_access_event *event)
{
    const revisits *r = own;
    const tg_machine *m = r->machine;
    if (!is_watched(r, event->param)) return;
    visits *v = &r->outputs[event->param];
    visited w = {.m = m, .v = v, .param = event->param, .inst = event->inst};
    const size_t width = tg_dtypes[m->launch->plan->kernel->params[event->param].array.dtype].bytes;
    if (v->is_open && event->kind != TG_ACCESS_WRITE) tg_access_runs(event, width, read_run, &w);
    if (event->kind == TG_ACCESS_READ) return;
    v->now.inst = event->inst;
    if (v->is_open) tg_access_runs(event, width, write_run, &w);
}

/* ---- visits ---- */

static int rank_of_block(const tg_param *param)
{
    int rank = 0;
    for (int d = 0; d < param->array.rank; d++) rank += param->block[d].kind != TG_BLOCK_SQUEEZED;
    return rank;
}

/* Reports the first element of the block that this visit has not written. */
static void look_at_all(tg_machine *m, uint32_t p)
{
    visits *v = &revisits_of(m)->outputs[p];
    const tg_ref *ref = &v->block;
    const int rank = rank_of_block(&m->launch->plan->kernel->params[p]), last = rank - 1;
    visited w = {.m = m, .v = v, .param = p};
    int64_t first = ref->origin, shape[TG_MAX_RANK];
    tg_index_walk row;
    if (ref->is_nothing) return;
    for (int d = 0; d < rank; d++) {
        first += ref->low[d] * ref->stride[d];
        shape[d] = ref->high[d] - ref->low[d];
        if (shape[d] <= 0) return;
    }
    tg_index_begin(&row, rank > 0 ? last : 0, shape);
    do
        read_run(&w, first + tg_index_offset(&row, ref->stride), rank > 0 ? ref->stride[last] : 1,
                 rank > 0 ? shape[last] : 1);
    while (!v->has_reported && tg_index_next(&row));
}

static bool remember(visits *v)
{
    uint32_t number = tg_number_map_get(&v->numbers, (uint64_t)v->block.origin);
    if (number == UINT32_MAX) {
        number = v->count;
        if (!tg_number_map_put(&v->numbers, (uint64_t)v->block.origin, number)) return false;
        past *list = tg_list_grow(v->pasts, v->count, &v->room, sizeof *list);
        if (!list) return false;
        v->pasts = list;
        v->count++;
    }
    v->pasts[number] = v->now;
    return true;
}

static bool leave(tg_machine *m, uint32_t p)
{
    visits *v = &revisits_of(m)->outputs[p];
    if (!v->is_under_way) return true;
    if (v->is_open) look_at_all(m, p);
    v->is_under_way = false;
    return remember(v);
}

static bool arrive(tg_machine *m, uint32_t p)
{
    visits *v = &revisits_of(m)->outputs[p];
    v->block = m->refs[p];
    v->is_under_way = true;
    v->has_reported = false;
    v->visit++;
    v->now = (past){0};
    const uint32_t number = tg_number_map_get(&v->numbers, (uint64_t)v->block.origin);
    /* false if there was no memory to record the earlier visit */
    v->is_again = revisits_of(m)->finds_revisits && number < v->count;
    /* The initial contents are unknown if the block is visited again, or if its alias is not
     * fetched. */
    v->is_open = v->is_again || is_unfetched(revisits_of(m), p);
    if (!v->is_open) return true;
    if (v->is_again) v->before = v->pasts[number];
    const tg_param *param = &m->launch->plan->kernel->params[p];
    const int64_t run = tg_plane_run_of(param, tg_dtypes[param->array.dtype].bytes);
    return v->written.groups || tg_plane_init(&v->written, m->launch->buffers[p].count, run, 0);
}

static void note_shortage(tg_machine *m, bool is_complete)
{
    if (!is_complete) m->launch->findings->is_incomplete = true;
}

static void chain_begins(tg_machine *m)
{
    for (uint32_t p = 0; p < m->launch->plan->kernel->param_count; p++) {
        visits *v = &revisits_of(m)->outputs[p];
        tg_number_map_free(&v->numbers);
        v->count = 0;
        v->is_under_way = v->is_again = v->is_open = false;
    }
}

static void blocks_found(tg_machine *m)
{
    for (uint32_t p = 0; p < m->launch->plan->kernel->param_count; p++) {
        visits *v = &revisits_of(m)->outputs[p];
        if (!is_watched(revisits_of(m), p)) continue;
        if (v->is_under_way && v->block.origin != m->refs[p].origin) note_shortage(m, leave(m, p));
        if (!v->is_under_way) {
            note_shortage(m, arrive(m, p));
            v->first_program = m->program_index;
        }
        v->now.program_index = m->program_index;
    }
}

static void chain_ends(tg_machine *m)
{
    for (uint32_t p = 0; p < m->launch->plan->kernel->param_count; p++)
        if (is_watched(revisits_of(m), p)) note_shortage(m, leave(m, p));
}

const tg_detector tg_detector_revisits = {.checks = TG_CHECK_REVISITS | TG_CHECK_ALIASES,
                                          .accesses =
                                              TG_ACCESS_READ | TG_ACCESS_WRITE | TG_ACCESS_ATOMIC,
                                          .wants = wants,
                                          .attach = attach,
                                          .detach = detach,
                                          .accessed = accessed,
                                          .chain_begins = chain_begins,
                                          .chain_ends = chain_ends,
                                          .blocks_found = blocks_found};
