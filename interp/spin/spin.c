#include "interp/spin/spin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/state/found.h"
#include "interp/spin/watch.h"
#include "physical/logical_element.h"
#include "plan/program_text.h"
#include "report/compare.h"

enum { FIRST_TURNS = 8 }; /* turns of a loop before it is looked at */

/* A loop, since the turn at whose beginning `state` was taken.  The state is taken again after
 * twice as many turns, so that turns that repeat with any period are found (Brent: An improved
 * Monte Carlo factorization algorithm, 1980).  Memory accesses of turns are watched only from a
 * turn on that begins with the same values: most loops never have one, and cost next to nothing. */
typedef struct looked_at {
    uint64_t turns, next; /* since the program began; when `state` will be taken again */
    unsigned char *state; /* NULL: not taken yet */
    bool has_state;
    bool watches;   /* watches accesses of turns */
    tg_watch watch; /* accesses since the last turn that began with `state` */
} looked_at;

struct tg_spin {
    looked_at *loops; /* per loop of the plan */
    uint32_t count;
    looked_at *waiting;  /* the loop in which the program waits; NULL: none */
    const tg_inst *inst; /* the end of that loop */
};

/* ---- memory ---- */

static tg_spin *new_spin(const tg_plan *plan)
{
    tg_spin *spin = calloc(1, sizeof *spin);
    if (!spin) return NULL;
    spin->loops = calloc(plan->while_count, sizeof *spin->loops);
    spin->count = plan->while_count;
    if (spin->loops) return spin;
    free(spin);
    return NULL;
}

void tg_spin_free(tg_spin *spin)
{
    if (!spin) return;
    for (uint32_t i = 0; i < spin->count; i++) {
        free(spin->loops[i].state);
        tg_watch_free(&spin->loops[i].watch);
    }
    free(spin->loops);
    free(spin);
}

void tg_spin_reset(tg_machine *m)
{
    tg_spin *spin = m->spin;
    spin->waiting = NULL;
    for (uint32_t i = 0; i < spin->count; i++) {
        spin->loops[i].turns = spin->loops[i].next = 0;
        spin->loops[i].has_state = spin->loops[i].watches = false;
    }
}

/* ---- what the program accesses ---- */

typedef struct look {
    tg_spin *spin;
    const tg_access_event *event;
} look;

static void see(tg_spin *spin, tg_access_kind kind, const tg_watched *what)
{
    for (uint32_t i = 0; i < spin->count; i++) {
        tg_watch *watch = &spin->loops[i].watch;
        if (!spin->loops[i].watches || watch->is_full) continue;
        if (kind & (TG_ACCESS_WRITE | TG_ACCESS_UPDATED | TG_ACCESS_KEPT | TG_ACCESS_COMPARED))
            tg_watch_written(watch, what->at, what->bytes);
        else
            tg_watch_look(watch, what);
    }
}

static void see_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    const look *l = context;
    const tg_access_event *event = l->event;
    const bool is_dense = stride == 1;
    const int64_t bytes = (int64_t)event->width * (is_dense ? count : 1);
    tg_watched what = {.at = event->data + first * (int64_t)event->width,
                       .bytes = bytes > TG_WATCHED_BYTES ? TG_WATCHED_BYTES + 1 : (uint32_t)bytes,
                       .param = event->param,
                       .inst = event->inst,
                       .is_read = event->kind == TG_ACCESS_READ || event->kind == TG_ACCESS_ATOMIC};
    for (int64_t i = 0; i < (is_dense ? 1 : count); i++) {
        see(l->spin, event->kind, &what);
        what.at += stride * (int64_t)event->width;
    }
}

static bool is_watching(const tg_spin *spin)
{
    for (uint32_t i = 0; i < spin->count; i++)
        if (spin->loops[i].watches && !spin->loops[i].watch.is_full) return true;
    return false;
}

/* Scratch is part of the state, unless threads share it. */
void tg_spin_accessed(const tg_machine *m, const tg_access_event *event)
{
    const tg_plan *plan = m->launch->plan;
    look l = {m->spin, event};
    if (!is_watching(m->spin)) return;
    if (plan->has_threads || plan->kernel->params[event->param].role != TG_ROLE_SCRATCH)
        tg_access_own_runs(event, see_run, &l);
}

void tg_spin_read_semaphore(const tg_machine *m, const tg_inst *inst, uint32_t root,
                            const int64_t *semaphore)
{
    const tg_watched what = {.at = (unsigned char *)semaphore,
                             .bytes = sizeof *semaphore,
                             .param = root,
                             .inst = inst,
                             .is_read = true};
    see(m->spin, TG_ACCESS_READ, &what);
}

void tg_spin_wrote_semaphore(const tg_machine *m, const int64_t *semaphore)
{
    const tg_watched what = {.at = (unsigned char *)semaphore, .bytes = sizeof *semaphore};
    see(m->spin, TG_ACCESS_WRITE, &what);
}

/* ---- turns ---- */

/* Returns whether the values that decide are those of `state`; with `takes`, stores them there
 * instead. */
static bool is_state(tg_machine *m, const tg_while *loop, looked_at *l, bool takes)
{
    unsigned char *at = l->state;
    for (uint32_t i = 0; i <= loop->slot_count; i++) {
        const bool is_scratch = i == loop->slot_count;
        const void *now = is_scratch ? (void *)m->chain->scratch : m->slot[loop->slots[i]];
        const size_t bytes = !is_scratch            ? m->launch->plan->slots[loop->slots[i]].bytes
                             : loop->writes_scratch ? m->launch->scratch_bytes
                                                    : 0;
        if (!bytes) continue;
        if (takes)
            memcpy(at, now, bytes);
        else if (memcmp(at, now, bytes) != 0)
            return false;
        at += bytes;
    }
    return true;
}

/* Takes the state.  Returns false if memory runs out. */
static bool begin(tg_machine *m, const tg_while *loop, looked_at *l)
{
    const size_t bytes = loop->bytes + (loop->writes_scratch ? m->launch->scratch_bytes : 0);
    if (!l->state && !(l->state = malloc(bytes ? bytes : 1))) return false;
    is_state(m, loop, l, true);
    l->has_state = true;
    l->watches = false;
    return true;
}

static tg_step no_memory(tg_machine *m)
{
    m->launch->findings->is_incomplete = true;
    return TG_STEP_BLOCKED;
}

/* Called when a turn begins with the values of the state.  Returns whether memory is the same as
 * well, since the last turn that did.  If not, it is watched from here on. */
static bool is_same_again(looked_at *l)
{
    const tg_watch *watch = &l->watch;
    if (l->watches && !watch->is_full && !watch->is_changed && tg_watch_holds(watch)) return true;
    tg_watch_clear(&l->watch);
    l->watches = true;
    return false;
}

tg_step tg_spin_turned(tg_machine *m, const tg_while *loop, const tg_inst *inst)
{
    if (!m->spin && !(m->spin = new_spin(m->launch->plan))) return no_memory(m);
    looked_at *l = &m->spin->loops[loop - m->launch->plan->whiles];
    if (++l->turns < FIRST_TURNS) return TG_STEP_GOING;
    m->spin->waiting = NULL;
    if (l->watches && l->watch.lacks_memory) return no_memory(m);
    if (l->has_state && !m->chain->async_ops.count && is_state(m, loop, l, false) &&
        is_same_again(l)) {
        m->spin->waiting = l;
        m->spin->inst = inst;
        m->wait = &tg_wait_loop;
        return TG_STEP_WAITING;
    }
    if (l->turns < l->next) return TG_STEP_GOING;
    l->next = 2 * l->turns;
    return begin(m, loop, l) ? TG_STEP_GOING : no_memory(m);
}

/* ---- waiting ---- */

/* The memory that a waiting program looks at. */
static const tg_watch *watch_of(const tg_machine *m) { return &m->spin->waiting->watch; }

static bool is_over(const tg_machine *m)
{
    return watch_of(m)->is_changed || !tg_watch_holds(watch_of(m));
}

static void visit_places(const tg_machine *m,
                         void (*visit)(void *context, const unsigned char *at, size_t bytes),
                         void *context)
{
    for (uint32_t i = 0; i < watch_of(m)->count; i++)
        visit(context, watch_of(m)->list[i].at, watch_of(m)->list[i].bytes);
}

static void go_on(tg_machine *m)
{
    looked_at *l = m->spin->waiting;
    m->spin->waiting = NULL;
    l->has_state = l->watches = false;
    l->turns = l->next = FIRST_TURNS;
}

/* ---- reports ---- */

/* What a waiting program reads: the parameter (NULL: none), its elements (-1: none), and text such
 * as "flag_ref[2], which is 0". */
typedef struct object {
    const tg_param *param;
    const tg_type *array; /* of which they are elements */
    const tg_inst *inst;  /* the instruction that reads it; NULL: the loop reads no memory */
    int64_t first, last;
    int64_t
        count; /* elements that are read; in memory with a layout `last` is not the last of them */
    char text[400];
} object;

static const tg_watched *first_read(const tg_watch *watch)
{
    for (uint32_t i = 0; i < watch->count; i++)
        if (watch->list[i].is_read) return &watch->list[i];
    return NULL;
}

/* `held`: the bytes when they were read. */
static void print_object(const tg_param *param, const unsigned char *held, object *out)
{
    char index[2][TG_INDEX_TEXT], value[TG_ELEMENT_TEXT];
    tg_index_print(out->array, out->first, index[0]);
    if (out->last > out->first)
        snprintf(out->text, sizeof out->text, "%.60s%s to %s", param->name, index[0],
                 tg_index_print(out->array, out->last, index[1]));
    else if (out->count > 1)
        snprintf(out->text, sizeof out->text, "%.60s%s and %" PRId64 " that follow it in memory",
                 param->name, index[0], out->count - 1);
    else if (tg_is_semaphore(param->array.dtype))
        snprintf(out->text, sizeof out->text, "%.60s%s, which is %" PRId64, param->name,
                 param->array.rank ? index[0] : "", *(const int64_t *)(const void *)held);
    else
        snprintf(out->text, sizeof out->text, "%.60s%s, which is %s", param->name, index[0],
                 tg_element_print(param->array.dtype, held, value));
}

static void find_object(const tg_machine *m, object *out)
{
    const tg_watch *watch = watch_of(m);
    const tg_watched *w = first_read(watch);
    tg_laid_out laid_out;
    *out = (object){.first = -1, .last = -1};
    if (!w) return;
    out->inst = w->inst;
    if (w->param == UINT32_MAX) {
        snprintf(out->text, sizeof out->text, "a scoped semaphore, which is %" PRId64,
                 *(const int64_t *)(const void *)(watch->first + w->offset));
        return;
    }
    const tg_kernel *kernel = m->launch->plan->kernel;
    out->param = &kernel->params[w->param];
    const int64_t width = tg_dtypes[out->param->array.dtype].bytes;
    out->count = w->bytes > width ? w->bytes / width : 1;
    out->first = (w->at - tg_machine_memory(m, w->param)) / width;
    out->last = out->first + out->count - 1;
    out->array = &out->param->array;
    if (tg_laid_out_find(kernel, w->param, &laid_out)) {
        out->first = out->last = tg_laid_out_element(&laid_out, out->first);
        out->array = &laid_out.param->array;
    }
    print_object(out->param, watch->first + w->offset, out);
}

/* Returns a finding about the object, located at the loop. */
static tg_found finding_of(const tg_machine *m, tg_finding_kind kind, const object *of)
{
    tg_found found = tg_machine_finding(m, kind, m->spin->inst, of->param);
    found.has_elements = of->param != NULL;
    found.first = of->first;
    found.last = of->last;
    return found;
}

/* Relates another program that waits in its loop. */
static tg_found_related waits_as_well(const tg_machine *other)
{
    const tg_inst *loop = other->spin->inst;
    object of;
    find_object(other, &of);
    tg_found_related related = {.role = "waits as well:",
                                .param = of.param,
                                .at = {.op = loop->op, .loc = loop->loc, .has_program = true}};
    memcpy(related.at.program, other->program, sizeof other->program);
    return related;
}

static void report(tg_machine *m, const tg_machine *const *others, int count)
{
    const tg_inst *loop = m->spin->inst;
    object of;
    find_object(m, &of);
    if (!of.inst) {
        tg_machine_found(m, TG_FINDING_ENDLESS_LOOP, loop, NULL,
                         "%s: two turns begin with the same values, so that it never ends.  The "
                         "program ends here",
                         tg_ops[loop->op].name);
        return;
    }
    tg_found found = finding_of(m, TG_FINDING_LIVELOCK, &of);
    snprintf(found.message, sizeof found.message,
             "%s never ends: it reads %s, and no program is left that could change it. "
             " The program ends here",
             tg_ops[loop->op].name, of.text);
    found.related_count = 1;
    found.related[0] =
        (tg_found_related){.role = "it is read by",
                           .param = of.param,
                           .at = {.op = of.inst->op, .loc = of.inst->loc, .has_program = true}};
    memcpy(found.related[0].at.program, m->program, sizeof m->program);
    for (int i = 0; i < count; i++) found.related[found.related_count++] = waits_as_well(others[i]);
    tg_findings_add(m->launch->findings, &found);
}

static void began_later(const tg_machine *m, const tg_access_event *by)
{
    char waiter[TG_PROGRAM_TEXT], other[TG_PROGRAM_TEXT];
    const tg_kernel *kernel = m->launch->plan->kernel;
    const int64_t *grid = m->launch->grid;
    object of;
    find_object(m, &of);
    tg_found found = finding_of(m, TG_FINDING_ASSUMES_RESIDENT, &of);
    snprintf(found.message, sizeof found.message,
             "program %s waits in this loop for %s, until program %s changes it, which had not "
             "begun: they must be resident together, or begin in another order",
             tg_program_print(kernel, grid, m->program, waiter), of.text,
             tg_program_print(kernel, grid, by->program, other));
    found.related_count = 1;
    found.related[0] =
        (tg_found_related){.role = "it is changed by",
                           .param = &m->launch->plan->kernel->params[by->param],
                           .at = {.op = by->inst->op, .loc = by->inst->loc, .has_program = true}};
    memcpy(found.related[0].at.program, by->program, sizeof found.related[0].at.program);
    tg_findings_add(m->launch->findings, &found);
}

const tg_wait tg_wait_loop = {.is_over = is_over,
                              .places = visit_places,
                              .go_on = go_on,
                              .report = report,
                              .began_later = began_later,
                              .is_patient = true};
