#include "checks/history.h"

#include <stdlib.h>
#include <string.h>

tg_history *tg_history_new(const tg_plan *plan, const tg_history_range *asked_for, size_t count,
                           const tg_history_limits *limits)
{
    const tg_kernel *k = plan->kernel;
    tg_history *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    if (pthread_mutex_init(&h->lock, NULL) != 0) {
        free(h);
        return NULL;
    }
    h->plan = plan;
    h->limits = *limits;
    h->asked_for_count = count;
    h->asked_for = calloc(count + 1, sizeof *h->asked_for);
    h->gaps = calloc((size_t)k->param_count + 1, sizeof *h->gaps);
    h->of_op = calloc(TG_OP_COUNT + 1, sizeof *h->of_op);
    if (!h->asked_for || !h->gaps || !h->of_op) {
        tg_history_free(h);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        h->asked_for[i] = asked_for[i];
        h->asked_for[i].param = tg_param_owner(k, asked_for[i].param);
    }
    for (uint32_t p = 0; p < k->param_count; p++)
        h->gaps[p].since = h->gaps[p].since_asked_for = INT64_MAX;
    return h;
}

void tg_history_free(tg_history *h)
{
    if (!h) return;
    pthread_mutex_destroy(&h->lock);
    free(h->asked_for);
    free(h->entries);
    free(h->values);
    free(h->gaps);
    free(h->of_op);
    free(h);
}

/* ---- room in the log ---- */

/* Returns whether the range from the first to the last element of the box contains an element that
 * the caller asks for; the box itself may still skip it. */
static bool is_asked_for(const tg_history *h, const tg_history_entry *e)
{
    int64_t least = e->first, most = e->first;
    for (int d = 0; d < e->rank; d++)
        *(e->stride[d] < 0 ? &least : &most) += (e->count[d] - 1) * e->stride[d];
    for (size_t i = 0; i < h->asked_for_count; i++) {
        const tg_history_range *range = &h->asked_for[i];
        if (range->param == e->param && range->first <= most && range->last >= least) return true;
    }
    return false;
}

static bool has_room(const tg_history *h, const tg_history_entry *e, bool asked_for)
{
    if (asked_for) return h->count < h->limits.entries;
    return h->count < h->limits.entries / 2 && h->of_op[e->inst->op] < h->limits.entries / 4;
}

/* Returns how many values the next access may store. */
static int64_t values_left(const tg_history *h, bool asked_for)
{
    const int64_t left = (asked_for ? h->limits.values : h->limits.values / 2) - h->value_count,
                  each = h->limits.values / (asked_for ? 16 : 64);
    return left < 0 ? 0 : left < each ? left : each;
}

static void *grown(void *list, size_t *room, size_t wanted, size_t size)
{
    size_t next = *room ? *room : 256;
    while (next < wanted) next *= 2;
    list = realloc(list, next * size);
    if (list) *room = next;
    return list;
}

static void count_gap(tg_history *h, const tg_history_entry *e, bool asked_for)
{
    tg_history_gap *gap = &h->gaps[e->param];
    gap->accesses++;
    int64_t *since = asked_for ? &gap->since_asked_for : &gap->since;
    if (*since == INT64_MAX) *since = e->step;
}

/* ---- values ---- */

static size_t width_of(const tg_history *h, uint32_t param)
{
    return tg_dtypes[h->plan->kernel->params[param].array.dtype].bytes;
}

/* Appends the value of one element.  Returns false if memory runs out. */
static bool keep_value(tg_history *h, const unsigned char *data, int64_t element, size_t width)
{
    if (h->value_bytes + width > h->value_room) {
        unsigned char *values = grown(h->values, &h->value_room, h->value_bytes + width, 1);
        if (!values) {
            h->is_incomplete = true;
            return false;
        }
        h->values = values;
    }
    memcpy(h->values + h->value_bytes, data + (size_t)element * width, width);
    h->value_bytes += width;
    h->value_count++;
    return true;
}

static int64_t elements_of(const tg_history_entry *e)
{
    int64_t count = 1;
    for (int d = 0; d < e->rank; d++) count *= e->count[d];
    return count;
}

/* Advances to the next index of the box, row-major. */
static void step_on(const tg_history_entry *e, int64_t *index)
{
    int d = e->rank - 1;
    while (d > 0 && index[d] + 1 == e->count[d]) index[d--] = 0;
    index[d]++;
}

/* Stores values of the elements from `done` on, as far as there is room.  `done` is 0 except for a
 * series. */
static void keep_values(tg_history *h, tg_history_entry *e, const unsigned char *data, int64_t done,
                        bool asked_for)
{
    const size_t width = width_of(h, e->param);
    const int64_t count = elements_of(e), left = values_left(h, asked_for);
    int64_t index[TG_MAX_RANK] = {0};
    if (e->kind == TG_ACCESS_READ) return;
    if (!done) e->value_at = h->value_bytes;
    index[e->rank - 1] = done;
    for (int64_t i = done; i < count && i - done < left && e->value_count == i; i++) {
        int64_t element = e->first;
        for (int d = 0; d < e->rank; d++) element += index[d] * e->stride[d];
        if (keep_value(h, data, element, width)) e->value_count++;
        step_on(e, index);
    }
    h->gaps[e->param].values += count - (e->value_count > done ? e->value_count : done);
}

/* ---- entries ---- */

/* Returns whether `e`, an access to one element, continues the series that the last entry is or may
 * become. */
static bool continues(const tg_history *h, const tg_history_entry *e)
{
    const tg_history_entry *last = h->count ? &h->entries[h->count - 1] : NULL;
    if (!last || last->inst != e->inst || last->program != e->program || last->kind != e->kind ||
        last->param != e->param || last->is_part != e->is_part)
        return false;
    if (last->rank != 1 || last->steps != last->count[0] || e->count[0] != 1) return false;
    return last->step + last->steps == e->step &&
           (last->count[0] == 1 || e->first == last->first + last->count[0] * last->stride[0]);
}

static void go_on(tg_history *h, const tg_history_entry *e, const unsigned char *data)
{
    tg_history_entry *last = &h->entries[h->count - 1];
    if (last->count[0] == 1) last->stride[0] = e->first - last->first;
    last->count[0]++;
    last->steps++;
    keep_values(h, last, data, last->count[0] - 1, is_asked_for(h, last));
}

static void add(tg_history *h, tg_history_entry *e, const unsigned char *data)
{
    if (e->rank == 1 && continues(h, e)) {
        go_on(h, e, data);
        return;
    }
    const bool asked_for = is_asked_for(h, e);
    if (!has_room(h, e, asked_for)) {
        count_gap(h, e, asked_for);
        return;
    }
    if (h->count == h->room) {
        tg_history_entry *entries = grown(h->entries, &h->room, h->count + 1, sizeof *entries);
        if (!entries) {
            h->is_incomplete = true;
            return;
        }
        h->entries = entries;
    }
    h->of_op[e->inst->op]++;
    h->entries[h->count] = *e;
    keep_values(h, &h->entries[h->count++], data, 0, asked_for);
}

/* ---- accesses ---- */

/* For an access whose elements are not those of the parameter: its runs in elements of the
 * parameter, with neighbouring runs joined. */
typedef struct parts {
    tg_history *history;
    tg_history_entry entry; /* one-dimensional; count 0: none yet */
    const unsigned char *data;
} parts;

static void add_parts(parts *p)
{
    if (p->entry.count[0]) add(p->history, &p->entry, p->data);
    p->entry.count[0] = 0;
}

static void add_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    parts *p = context;
    tg_history_entry *e = &p->entry;
    const bool is_dense = e->count[0] && e->stride[0] == 1 && (stride == 1 || count == 1);
    const int64_t past = e->first + e->count[0];
    if (is_dense && first >= past - 1 && first <= past) { /* narrow elements may share one */
        e->count[0] = first + count - e->first;
        return;
    }
    add_parts(p);
    e->first = first;
    e->count[0] = count;
    e->stride[0] = count == 1 ? 1 : stride;
}

enum { AFTER_ATOMIC = TG_ACCESS_UPDATED | TG_ACCESS_KEPT | TG_ACCESS_COMPARED };

static void look_at(tg_history *h, const tg_access_event *event)
{
    tg_history_entry e = {.step = h->step++,
                          .steps = 1,
                          .kind = event->kind & AFTER_ATOMIC ? TG_ACCESS_UPDATED : event->kind,
                          .param = tg_param_owner(h->plan->kernel, event->param),
                          .inst = event->inst,
                          .program = event->program_index,
                          .first = event->first,
                          .rank = event->rank};
    const size_t width = width_of(h, e.param);
    if (event->width != width) {
        parts p = {.history = h, .entry = e, .data = event->data};
        p.entry.is_part = event->width < width;
        p.entry.rank = 1;
        tg_access_runs(event, width, add_run, &p);
        add_parts(&p);
        return;
    }
    for (int d = 0; d < e.rank; d++) {
        if (event->count[d] <= 0) return; /* an empty access */
        e.count[d] = event->count[d];
        e.stride[d] = event->stride[d];
    }
    add(h, &e, event->data);
}

static void accessed(void *context, const tg_access_event *event)
{
    tg_history *h = context;
    pthread_mutex_lock(&h->lock);
    look_at(h, event);
    pthread_mutex_unlock(&h->lock);
}

tg_observer tg_history_observer(tg_history *history)
{
    return (tg_observer){.wants = TG_ACCESS_READ | TG_ACCESS_WRITE | AFTER_ATOMIC,
                         .context = history,
                         .accessed = accessed};
}
