#include "interp/waiting.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/watch.h"
#include "base/list.h"
#include "plan/grid.h"

enum { LINE_BYTES = 64, NONE = UINT32_MAX };

typedef struct tg_waiter {
    tg_flight flight;
    uint32_t next_free;
    uint32_t nodes; /* the first of its own */
    bool is_free, is_written;
} tg_waiter;

/* Numbers of nodes count from 1; 0 is none. */
typedef struct tg_waited_line {
    uintptr_t line; /* 0: nothing is here, nor beyond */
    uint32_t first; /* of its nodes */
} tg_waited_line;

/* That a waiter looks at a line. */
typedef struct tg_wait_node {
    uintptr_t line;
    uint32_t waiter;
    uint32_t before, next; /* of the line's */
    uint32_t next_own;     /* of the waiter's; of those that are free */
} tg_wait_node;

void tg_waiting_free(tg_waiting *waiting)
{
    free(waiting->list);
    free(waiting->written);
    free(waiting->lines);
    free(waiting->nodes);
    *waiting = (tg_waiting){0};
}

/* ---- lines ---- */

static size_t hash(uintptr_t line, size_t room)
{
    return (size_t)((uint64_t)line * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
}

/* Its entry, or the empty one that may become it. */
static tg_waited_line *find_line(const tg_waiting *waiting, uintptr_t line)
{
    size_t at = hash(line, waiting->line_room);
    while (waiting->lines[at].line && waiting->lines[at].line != line)
        at = (at + 1) & (waiting->line_room - 1);
    return &waiting->lines[at];
}

/* Room for one more line, half of the table staying empty; false without memory. */
static bool make_room(tg_waiting *waiting)
{
    enum { FIRST_ROOM = 256 };
    tg_waited_line *const old = waiting->lines;
    const size_t old_room = waiting->line_room;
    if (2 * (waiting->line_count + 1) <= old_room) return true;
    size_t kept = 0, room = FIRST_ROOM;
    for (size_t i = 0; i < old_room; i++) kept += old[i].first != 0;
    while (room < 4 * (kept + 1)) room *= 2;
    tg_waited_line *const lines = calloc(room, sizeof *lines);
    if (!lines) return false;
    waiting->lines = lines;
    waiting->line_room = room;
    waiting->line_count = kept;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].first) *find_line(waiting, old[i].line) = old[i];
    free(old);
    return true;
}

/* A node that is free, by its number; 0 without memory. */
static uint32_t new_node(tg_waiting *waiting)
{
    const uint32_t node = waiting->free_node;
    if (node) {
        waiting->free_node = waiting->nodes[node - 1].next_own;
        return node;
    }
    tg_wait_node *nodes =
        tg_list_grow(waiting->nodes, waiting->node_count, &waiting->node_room, sizeof *nodes);
    if (!nodes) return 0;
    waiting->nodes = nodes;
    return (uint32_t)++waiting->node_count;
}

static bool add_line(tg_waiting *waiting, uintptr_t line, uint32_t waiter)
{
    const uint32_t node = make_room(waiting) ? new_node(waiting) : 0;
    if (!node) return false;
    tg_waited_line *entry = find_line(waiting, line);
    waiting->line_count += entry->line == 0;
    entry->line = line;
    waiting->nodes[node - 1] = (tg_wait_node){.line = line,
                                              .waiter = waiter,
                                              .next = entry->first,
                                              .next_own = waiting->list[waiter].nodes};
    if (entry->first) waiting->nodes[entry->first - 1].before = node;
    entry->first = waiting->list[waiter].nodes = node;
    return true;
}

static void remove_node(tg_waiting *waiting, uint32_t number)
{
    tg_wait_node *node = &waiting->nodes[number - 1];
    if (node->next) waiting->nodes[node->next - 1].before = node->before;
    if (node->before)
        waiting->nodes[node->before - 1].next = node->next;
    else
        find_line(waiting, node->line)->first = node->next;
    node->next_own = waiting->free_node;
    waiting->free_node = number;
}

static uintptr_t line_of(const unsigned char *at) { return (uintptr_t)at / LINE_BYTES; }

static bool add_lines(tg_waiting *waiting, uint32_t number)
{
    const tg_watch *watch = tg_spin_watch(waiting->list[number].flight.machine);
    for (uint32_t i = 0; i < watch->count; i++) {
        const tg_watched *w = &watch->list[i];
        for (uintptr_t line = line_of(w->at); line <= line_of(w->at + w->bytes - 1); line++)
            if (!add_line(waiting, line, number)) return false;
    }
    return true;
}

/* ---- waiters ---- */

static bool new_waiter(tg_waiting *waiting, uint32_t *out)
{
    if (waiting->free) {
        *out = waiting->free - 1;
        waiting->free = waiting->list[*out].next_free;
        return true;
    }
    tg_waiter *list =
        tg_list_grow(waiting->list, waiting->listed, &waiting->capacity, sizeof *list);
    if (!list) return false;
    waiting->list = list;
    *out = waiting->listed++;
    return true;
}

bool tg_waiting_add(tg_waiting *waiting, const tg_flight *flight)
{
    uint32_t number;
    if (!new_waiter(waiting, &number)) return false;
    enum { MOST_PATIENT = 10 };
    tg_flight *f = &waiting->list[number].flight;
    waiting->list[number] = (tg_waiter){.flight = *flight};
    f->after = waiting->rounds + (INT64_C(1) << f->waits) - 1;
    f->waits += f->waits < MOST_PATIENT;
    waiting->count++;
    return add_lines(waiting, number);
}

static void take_out(tg_waiting *waiting, uint32_t number)
{
    tg_waiter *w = &waiting->list[number];
    while (w->nodes) {
        const uint32_t node = w->nodes;
        w->nodes = waiting->nodes[node - 1].next_own;
        remove_node(waiting, node);
    }
    w->is_free = true;
    w->next_free = waiting->free;
    waiting->free = number + 1;
    waiting->count--;
}

/* The first of those whose memory has been written, as the order has them, whose wait is over, and that may go on now; NONE where there
 * is none.  Who still finds what it found before waits on. */
static uint32_t find_over(tg_waiting *waiting, bool is_last)
{
    uint32_t kept = 0, first = NONE;
    for (uint32_t i = 0; i < waiting->written_count; i++) {
        const uint32_t number = waiting->written[i];
        tg_waiter *w = &waiting->list[number];
        w->is_written = !w->is_free && tg_spin_is_over(w->flight.machine);
        if (!w->is_written) continue;
        waiting->written[kept++] = number;
        if (!is_last && w->flight.after > waiting->rounds) continue;
        if (first == NONE || w->flight.turn < waiting->list[first].flight.turn) first = number;
    }
    waiting->written_count = kept;
    return first;
}

bool tg_waiting_take(tg_waiting *waiting, bool is_last, tg_flight *out)
{
    waiting->rounds++;
    const uint32_t number = find_over(waiting, is_last);
    if (number == NONE) return false;
    *out = waiting->list[number].flight;
    take_out(waiting, number);
    tg_spin_go_on(out->machine);
    return true;
}

/* ---- writes ---- */

/* The program of `f` has waited for one that began only after that. */
static void tell_resident(const tg_flight *f, const tg_touch *by)
{
    const tg_machine *m = f->machine;
    char waiter[TG_PROGRAM_TEXT], other[TG_PROGRAM_TEXT];
    const int rank = m->launch->axis_count;
    tg_spin_object object;
    tg_spin_object_of(m, &object);
    tg_found found = tg_spin_finding(m, TG_FINDING_ASSUMES_RESIDENT, &object);
    snprintf(found.message, sizeof found.message,
             "program %s waits in this loop for %s, until program %s changes it, which had not "
             "begun: they must be resident together, or begin in another order",
             tg_program_print(rank, m->program, waiter), object.text,
             tg_program_print(rank, by->program, other));
    found.related_count = 1;
    found.related[0] =
        (tg_found_related){.role = "it is changed by",
                           .param = &m->launch->plan->kernel->params[by->param],
                           .at = {.op = by->inst->op, .loc = by->inst->loc, .has_program = true}};
    memcpy(found.related[0].at.program, by->program, sizeof found.related[0].at.program);
    tg_findings_add(m->launch->findings, &found);
}

static void note_written(tg_waiting *waiting, uint32_t number, const tg_touch *touch)
{
    tg_waiter *w = &waiting->list[number];
    if (!w->is_written) {
        uint32_t *list = tg_list_grow(waiting->written, waiting->written_count,
                                      &waiting->written_capacity, sizeof *list);
        if (!list) {
            w->flight.machine->launch->findings->is_incomplete = true;
            return;
        }
        waiting->written = list;
        list[waiting->written_count++] = number;
        w->is_written = true;
    }
    if (w->flight.is_told || waiting->running < w->flight.known) return;
    w->flight.is_told = tg_spin_is_over(w->flight.machine);
    if (w->flight.is_told) tell_resident(&w->flight, touch);
}

typedef struct write {
    tg_waiting *waiting;
    const tg_touch *touch;
} write;

static void look_at_bytes(const write *w, const unsigned char *at, size_t bytes)
{
    tg_waiting *waiting = w->waiting;
    for (uintptr_t line = line_of(at); line <= line_of(at + bytes - 1); line++)
        for (uint32_t n = find_line(waiting, line)->first; n; n = waiting->nodes[n - 1].next)
            note_written(waiting, waiting->nodes[n - 1].waiter, w->touch);
}

static void look_at_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    const write *w = context;
    const int64_t width = (int64_t)w->touch->width;
    const unsigned char *const data = w->touch->data;
    if (stride == 1) {
        look_at_bytes(w, data + first * width, (size_t)(count * width));
        return;
    }
    for (int64_t i = 0; i < count; i++)
        look_at_bytes(w, data + (first + i * stride) * width, (size_t)width);
}

static void look_at_touch(void *context, const tg_touch *touch)
{
    write w = {context, touch};
    if (w.waiting->line_room) tg_touch_own_runs(touch, look_at_run, &w);
}

const tg_observer *tg_waiting_observer(tg_waiting *waiting)
{
    if (!waiting->count) return NULL;
    waiting->observer = (tg_observer){
        .wants = TG_TOUCH_WRITE | TG_TOUCH_UPDATED, .context = waiting, .touched = look_at_touch};
    return &waiting->observer;
}

/* ---- no end ---- */

/* The first chains that wait, by number, so that each of them has others to name in any order. */
typedef struct some_waiters {
    const tg_flight *list[TG_MOST_OTHERS + 1];
    int count;
} some_waiters;

static void take_note(some_waiters *some, const tg_flight *f)
{
    int at = some->count;
    if (!tg_spin_watch(f->machine)->count) return; /* it waits for nobody */
    while (at > 0 && some->list[at - 1]->chain > f->chain) at--;
    if (at > TG_MOST_OTHERS) return;
    if (some->count <= TG_MOST_OTHERS) some->count++;
    memmove(&some->list[at + 1], &some->list[at],
            (size_t)(some->count - at - 1) * sizeof *some->list);
    some->list[at] = f;
}

static void report(const tg_flight *f, const some_waiters *some)
{
    const tg_machine *others[TG_MOST_OTHERS];
    int count = 0;
    for (int i = 0; i < some->count && count < TG_MOST_OTHERS; i++)
        if (some->list[i] != f) others[count++] = some->list[i]->machine;
    tg_spin_report(f->machine, others, count);
}

void tg_waiting_give_up(tg_waiting *waiting, void (*end)(void *context, tg_flight *flight),
                        void *context)
{
    some_waiters some = {0};
    for (uint32_t i = 0; i < waiting->listed; i++) {
        const tg_flight *f = &waiting->list[i].flight;
        if (waiting->list[i].is_free) continue;
        /* All writes are told, and found, unless memory was short. */
        assert(!tg_spin_is_over(f->machine) || f->machine->launch->findings->is_incomplete);
        take_note(&some, f);
    }
    for (uint32_t i = 0; i < waiting->listed; i++)
        if (!waiting->list[i].is_free) report(&waiting->list[i].flight, &some);
    for (uint32_t i = 0; i < waiting->listed; i++) {
        if (waiting->list[i].is_free) continue;
        end(context, &waiting->list[i].flight);
        take_out(waiting, i);
    }
}
