#include "schedule/waiting.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "interp/sync/async.h"

enum { LINE_BYTES = 64, NONE = UINT32_MAX };

typedef struct tg_waiter {
    tg_actor actor;
    uint32_t next_free;
    uint32_t nodes; /* the first node of this waiter */
    bool is_free, is_written;
} tg_waiter;

/* Node numbers count from 1; 0 is none. */
typedef struct tg_waited_line {
    uintptr_t line; /* 0: the entry is empty, and ends a probe */
    uint32_t first; /* the first node of the line */
} tg_waited_line;

/* Says that a waiter looks at a line. */
typedef struct tg_wait_node {
    uintptr_t line;
    uint32_t waiter;
    uint32_t before, next; /* in the list of the line */
    uint32_t next_own;     /* in the list of the waiter, or in the list of free nodes */
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

/* Returns the entry of the line, or the empty one that it may take. */
static tg_waited_line *find_line(const tg_waiting *waiting, uintptr_t line)
{
    size_t at = hash(line, waiting->line_room);
    while (waiting->lines[at].line && waiting->lines[at].line != line)
        at = (at + 1) & (waiting->line_room - 1);
    return &waiting->lines[at];
}

/* Makes room for one more line; half of the table stays empty.  Returns false if memory runs
 * out. */
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

/* Returns the number of a free node; 0 if memory runs out. */
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
    if (line < waiting->first_line) waiting->first_line = line;
    if (line > waiting->last_line) waiting->last_line = line;
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

typedef struct adder {
    tg_waiting *waiting;
    uint32_t number;
    bool has_memory;
} adder;

static void add_place(void *context, const unsigned char *at, size_t bytes)
{
    adder *a = context;
    for (uintptr_t line = line_of(at); line <= line_of(at + bytes - 1); line++)
        a->has_memory = a->has_memory && add_line(a->waiting, line, a->number);
}

static bool add_lines(tg_waiting *waiting, uint32_t number)
{
    const tg_machine *m = waiting->list[number].actor.machine;
    adder a = {waiting, number, true};
    m->wait->places(m, add_place, &a);
    return a.has_memory;
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

bool tg_waiting_add(tg_waiting *waiting, const tg_actor *actor)
{
    uint32_t number;
    if (!new_waiter(waiting, &number)) return false;
    enum { MOST_PATIENT = 10 };
    tg_actor *a = &waiting->list[number].actor;
    waiting->list[number] = (tg_waiter){.actor = *actor};
    if (a->machine->wait->is_patient) {
        a->after = waiting->rounds + (INT64_C(1) << a->waits) - 1;
        a->waits += a->waits < MOST_PATIENT;
    }
    if (waiting->count++ == 0) {
        waiting->first_line = UINTPTR_MAX;
        waiting->last_line = 0;
    }
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

/* Of the waiters whose memory has been written, whose wait is over and that may go on now, returns
 * the first in the order; NONE if there is none.  A waiter that finds its memory unchanged waits
 * on. */
static uint32_t find_over(tg_waiting *waiting, bool is_last)
{
    uint32_t kept = 0, first = NONE;
    for (uint32_t i = 0; i < waiting->written_count; i++) {
        const uint32_t number = waiting->written[i];
        tg_waiter *w = &waiting->list[number];
        w->is_written = !w->is_free && !tg_wait_lasts(w->actor.machine);
        if (!w->is_written) continue;
        waiting->written[kept++] = number;
        if (!is_last && w->actor.after > waiting->rounds) continue;
        if (first == NONE || w->actor.turn < waiting->list[first].actor.turn) first = number;
    }
    waiting->written_count = kept;
    return first;
}

bool tg_waiting_take(tg_waiting *waiting, int64_t limit, bool is_last, tg_actor *out)
{
    waiting->rounds++;
    const uint32_t number = find_over(waiting, is_last);
    if (number == NONE || waiting->list[number].actor.turn >= limit) return false;
    *out = waiting->list[number].actor;
    take_out(waiting, number);
    tg_wait_end(out->machine);
    return true;
}

/* ---- writes ---- */

static void note_written(tg_waiting *waiting, uint32_t number, const tg_access_event *event)
{
    tg_waiter *w = &waiting->list[number];
    if (!w->is_written) {
        uint32_t *list = tg_list_grow(waiting->written, waiting->written_count,
                                      &waiting->written_capacity, sizeof *list);
        if (!list) {
            w->actor.machine->launch->findings->is_incomplete = true;
            return;
        }
        waiting->written = list;
        list[waiting->written_count++] = number;
        w->is_written = true;
    }
    tg_machine *m = w->actor.machine;
    TG_DETECT(m, awaited_written, m, event)
    if (!m->wait->began_later || w->actor.is_reported || waiting->running < w->actor.known) return;
    w->actor.is_reported = m->wait->is_over(m);
    if (w->actor.is_reported) m->wait->began_later(m, event);
}

typedef struct write {
    tg_waiting *waiting;
    const tg_access_event *event;
} write;

static void look_at_bytes(const write *w, const unsigned char *at, size_t bytes)
{
    tg_waiting *waiting = w->waiting;
    uintptr_t line = line_of(at), last = line_of(at + bytes - 1);
    if (line < waiting->first_line) line = waiting->first_line;
    if (last > waiting->last_line) last = waiting->last_line;
    for (; line <= last; line++)
        for (uint32_t n = find_line(waiting, line)->first; n; n = waiting->nodes[n - 1].next)
            note_written(waiting, waiting->nodes[n - 1].waiter, w->event);
}

static void look_at_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    const write *w = context;
    const int64_t width = (int64_t)w->event->width;
    const unsigned char *const data = w->event->data;
    if (stride == 1) {
        look_at_bytes(w, data + first * width, (size_t)(count * width));
        return;
    }
    for (int64_t i = 0; i < count; i++)
        look_at_bytes(w, data + (first + i * stride) * width, (size_t)width);
}

/* Whether an actor looks at any of these lines. */
static bool is_any_waited(const tg_waiting *waiting, uintptr_t first, uintptr_t last)
{
    for (uint32_t i = 0; i < waiting->listed; i++)
        for (uint32_t n = waiting->list[i].nodes; n; n = waiting->nodes[n - 1].next_own)
            if (waiting->nodes[n - 1].line >= first && waiting->nodes[n - 1].line <= last)
                return true;
    return false;
}

/* Whether any byte of the access may be in a line that an actor looks at.  Tiles have far more lines than
 * there are waiting actors. */
static bool may_concern(const tg_waiting *waiting, const tg_access_event *event)
{
    int64_t first = event->first, last = first;
    for (int d = 0; d < event->rank; d++) {
        const int64_t way = (event->count[d] - 1) * event->stride[d];
        *(way < 0 ? &first : &last) += way;
    }
    const int64_t width = (int64_t)event->width;
    const uintptr_t from = line_of(event->data + first * width),
                    to = line_of(event->data + (last + 1) * width - 1);
    if (from > waiting->last_line || to < waiting->first_line) return false;
    return to - from < waiting->listed || is_any_waited(waiting, from, to);
}

void tg_waiting_written(void *waiting, const tg_access_event *event)
{
    write w = {waiting, event};
    if (w.waiting->line_room && may_concern(waiting, event))
        tg_access_own_runs(event, look_at_run, &w);
}

/* ---- copies ---- */

bool tg_waiting_let_copy_go(tg_waiting *waiting)
{
    for (uint32_t i = 0; i < waiting->listed; i++) {
        const tg_waiter *w = &waiting->list[i];
        if (w->is_free) continue;
        waiting->running = w->actor.begun;
        if (tg_async_let_one_go(w->actor.machine)) return true;
    }
    return false;
}

/* ---- no end ---- */

/* The first actors that wait for others, sorted by number, so that in any order each report names
 * the same others. */
typedef struct some_waiters {
    const tg_actor *list[TG_MOST_OTHERS + 1];
    int count;
} some_waiters;

static void note_place(void *context, const unsigned char *at, size_t bytes)
{
    (void)at, (void)bytes;
    *(bool *)context = true;
}

static void take_note(some_waiters *some, const tg_actor *a)
{
    int at = some->count;
    bool has_places = false;
    if (a->machine->wait->is_idle) return;
    a->machine->wait->places(a->machine, note_place, &has_places);
    if (!has_places) return; /* it does not wait for others */
    while (at > 0 && some->list[at - 1]->machine->actor > a->machine->actor) at--;
    if (at > TG_MOST_OTHERS) return;
    if (some->count <= TG_MOST_OTHERS) some->count++;
    memmove(&some->list[at + 1], &some->list[at],
            (size_t)(some->count - at - 1) * sizeof *some->list);
    some->list[at] = a;
}

static void report(const tg_actor *a, const some_waiters *some)
{
    const tg_machine *others[TG_MOST_OTHERS];
    int count = 0;
    for (int i = 0; i < some->count && count < TG_MOST_OTHERS; i++)
        if (some->list[i] != a && some->list[i]->machine->wait == a->machine->wait)
            others[count++] = some->list[i]->machine;
    a->machine->wait->report(a->machine, others, count);
}

void tg_waiting_give_up(tg_waiting *waiting, void (*end)(void *context, const tg_actor *actor),
                        void *context)
{
    some_waiters some = {0};
    for (uint32_t i = 0; i < waiting->listed; i++) {
        const tg_actor *a = &waiting->list[i].actor;
        if (waiting->list[i].is_free) continue;
        /* Every write is noticed, and ends the waits that it can end, unless memory was short. */
        assert(tg_wait_lasts(a->machine) || a->machine->launch->findings->is_incomplete);
        take_note(&some, a);
    }
    for (uint32_t i = 0; i < waiting->listed; i++)
        if (!waiting->list[i].is_free && !waiting->list[i].actor.machine->wait->is_idle)
            report(&waiting->list[i].actor, &some);
    for (uint32_t i = 0; i < waiting->listed; i++) {
        if (waiting->list[i].is_free) continue;
        end(context, &waiting->list[i].actor);
        take_out(waiting, i);
    }
}
