/* One fault in a pipeline that is right: which, and where, the seed chooses. */
#include <stdio.h>
#include <string.h>

#include "random/pipelines.h"

typedef struct fault {
    pipe_kernel *k;
    uint64_t state;
    pipe_section *section;
    int at, thread;
    const char *name;
    int detail;
} fault;

static int roll(fault *f, int n) { return (int)pipe_draw(&f->state, (uint32_t)n); }

static void find_op(fault *f)
{
    do {
        f->thread = roll(f, pipe_number_of_threads(f->k));
        f->section = &f->k->thread[f->thread].sections[roll(f, PIPE_SECTIONS)];
    } while (!f->section->count);
    f->at = roll(f, f->section->count);
}

static pipe_op *op_of(const fault *f) { return &f->section->ops[f->at]; }

/* ---- each returns false where it cannot be ---- */

static bool remove_op(fault *f)
{
    if (op_of(f)->act == PIPE_LOAD || op_of(f)->act == PIPE_LANE) return false;
    memmove(op_of(f), op_of(f) + 1, (size_t)(f->section->count - f->at - 1) * sizeof(pipe_op));
    f->section->count--;
    return true;
}

static bool skip_op(fault *f)
{
    pipe_op *op = op_of(f);
    const int step = roll(f, f->k->steps),
              turn = f->section->first + roll(f, f->section->end - f->section->first);
    if (op->act == PIPE_LOAD || op->act == PIPE_LANE || !pipe_takes_place(f->k, op, step, turn))
        return false;
    op->skipped = f->detail = step * f->k->turns + turn;
    return true;
}

static bool double_op(fault *f)
{
    const pipe_act act = op_of(f)->act;
    if (act == PIPE_LOAD || act == PIPE_LANE || f->section->count == PIPE_OPS) return false;
    memmove(op_of(f) + 1, op_of(f), (size_t)(f->section->count - f->at) * sizeof(pipe_op));
    f->section->count++;
    if (act == PIPE_DOT_ARRIVE && roll(f, 2)) op_of(f)[f->detail = roll(f, 2)].act = PIPE_ARRIVE;
    return true;
}

static bool shift_place(fault *f)
{
    pipe_op *op = op_of(f);
    pipe_place *const places[] = {&op->to, &op->from[0], &op->from[1], &op->barrier};
    pipe_place *place = places[f->detail = roll(f, 4)];
    if (place->modulus < 2 || f->k->memories[place->memory].kind == PIPE_INPUT) return false;
    place->offset += roll(f, 2) ? 1 : place->modulus - 1;
    return true;
}

/* Where an op that has no result stands does not matter to those it passes. */
static bool move_op(fault *f)
{
    const pipe_op op = *op_of(f);
    const int to = roll(f, f->section->count);
    if (op.act == PIPE_LOAD || op.act == PIPE_LANE || to == f->at) return false;
    const int step = to < f->at ? -1 : 1;
    for (int i = f->at; i != to; i += step) f->section->ops[i] = f->section->ops[i + step];
    f->section->ops[to] = op;
    f->detail = to;
    return true;
}

static bool change_number(fault *f)
{
    pipe_op *op = op_of(f);
    if (op->act == PIPE_EXPECT)
        op->number += roll(f, 2) ? 8 : -8;
    else if (op->act == PIPE_WAIT_GROUPS || op->act == PIPE_DOT_WAIT)
        op->number += 1 + roll(f, 2);
    else
        return false;
    f->detail = op->number;
    return true;
}

static bool change_arrivals(fault *f)
{
    pipe_memory *m = &f->k->memories[roll(f, f->k->memory_count)];
    if (m->kind != PIPE_BARRIERS) return false;
    m->arrivals += m->arrivals > 1 && roll(f, 2) ? -1 : 1;
    f->detail = m->arrivals;
    return true;
}

/* A wait that is over sooner, an arrival that comes sooner, a copy that is no longer expected, or the other way
 * round. */
static bool change_kind(fault *f)
{
    pipe_op *op = op_of(f);
    const bool may_order = op->act == PIPE_ARRIVE || op->act == PIPE_WAIT;
    if (f->k->has_faults_of_order && may_order && (op->act == PIPE_WAIT || roll(f, 2)))
        op->orders = !op->orders;
    else if (op->act == PIPE_WAIT_GROUPS && op->told != PIPE_GROUP)
        op->told = op->told == PIPE_TARGET ? PIPE_SOURCE : PIPE_TARGET;
    else if (op->act == PIPE_WAIT_GROUPS)
        op->reads = !op->reads;
    else if (op->act == PIPE_ARRIVE || op->act == PIPE_DOT_ARRIVE)
        op->act = op->act == PIPE_ARRIVE ? PIPE_DOT_ARRIVE : PIPE_ARRIVE;
    else if (op->act == PIPE_COPY && op->told >= PIPE_AMONG)
        op->told = PIPE_GROUP;
    else if (op->act == PIPE_COPY && op->told != PIPE_GROUP)
        op->told = op->told == PIPE_EXPECTED ? PIPE_BARRIER : PIPE_EXPECTED;
    else
        return false;
    return true;
}

/* A thread executes more often, or not as often, what others execute with it. */
static bool change_times(fault *f)
{
    if (!f->k->meeting_count) return false;
    pipe_meeting *m = &f->k->meetings[roll(f, f->k->meeting_count)];
    int *times = &m->times[f->detail = roll(f, pipe_number_of_threads(f->k))];
    *times += *times && roll(f, 2) ? -1 : 1;
    return true;
}

static const struct {
    bool (*put)(fault *f);
    const char *name;
    int weight;
} kinds[] = {
    {remove_op, "removed", 6},
    {skip_op, "skipped in a turn", 4},
    {double_op, "doubled", 4},
    {shift_place, "another place", 4},
    {move_op, "moved", 6},
    {change_number, "another number", 1},
    {change_arrivals, "arrivals", 1},
    {change_kind, "another kind", 2},
    {change_kind, "another kind", 3}, /* the rest only where order may be at fault */
    {change_times, "executed so often", 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds, WEIGHTS = 28, WEIGHTS_OF_ORDER = 32 };

static int choose_kind(fault *f)
{
    int left = roll(f, f->k->has_faults_of_order ? WEIGHTS_OF_ORDER : WEIGHTS), kind = 0;
    while (left >= kinds[kind].weight) left -= kinds[kind++].weight;
    return kind;
}

void pipe_break(pipe_kernel *k, uint64_t seed, char *what, size_t size)
{
    fault f = {.k = k, .state = seed * 2 + 1};
    int kind;
    pipe_act act;
    for (int i = 0; i < 4; i++) roll(&f, 2);
    do {
        find_op(&f);
        act = op_of(&f)->act;
        f.detail = 0;
        kind = choose_kind(&f);
    } while (!kinds[kind].put(&f));
    snprintf(what, size, "thread %d, section %d, op %d, %s: %s, %d", f.thread,
             (int)(f.section - k->thread[f.thread].sections), f.at, pipe_names[act],
             kinds[kind].name, f.detail);
}
