/* Sums that products of several threads make one behind the other, by the order that barriers hand on. */
#include "random/pipelines_plan.h"

enum { MOST_MEMBERS = 4 };

/* Some of the threads, at least two. */
static void choose_members(plan *p, relay *r)
{
    const int threads = pipe_number_of_threads(p->k), first = roll(p, threads - 1);
    r->members[r->count++] = first;
    for (int t = first + 1; t < threads && r->count < MOST_MEMBERS; t++)
        if (roll(p, 2) || (r->count == 1 && t == threads - 1)) r->members[r->count++] = t;
}

void pipe_add_relay(plan *p)
{
    relay *r = &p->relay;
    if (!p->has_relays || pipe_number_of_threads(p->k) == 1 || roll(p, 3) == 0) return;
    choose_members(p, r);
    r->is_fresh = roll(p, 2);
    r->is_read_late = roll(p, 3) == 0;
    for (int n = 0; n < r->count; n++) {
        r->is_idle[n] = n > 0 && n + 1 < r->count && roll(p, 4) == 0;
        const bool has_own = n == 0 || (!r->is_idle[n] && roll(p, 3) == 0);
        r->tile[n] = has_own ? add_memory(p, PIPE_PLAIN, 1, 0) : r->tile[n - 1];
        r->hand[n] = add_memory(p, PIPE_BARRIERS, 1, 1);
        p->thread[r->members[n]].multiplies = true;
    }
    r->done = !r->is_read_late && roll(p, 2) ? add_memory(p, PIPE_BARRIERS, 1, 1) : PIPE_NONE;
}

/* ---- a turn ---- */

static pipe_op *start_product(plan *p, pipe_section *s, int tile)
{
    pipe_op *op = add_op(p, s, PIPE_DOT);
    op->to = only(tile);
    op->from[1] = only(p->weights);
    op->operand[0] = roll(p, 2) * 2;
    op->is_transposed = roll(p, 2);
    return op;
}

/* The first product of all takes the place of what nobody has written. */
static void start_first(plan *p, pipe_section *s, const relay *r)
{
    pipe_op *first = start_product(p, s, r->tile[0]);
    first->replaces = true;
    if (r->is_fresh) return;
    first->to_total = 1;
    start_product(p, s, r->tile[0])->from_total = 1;
}

static void start_next(plan *p, pipe_section *s, const relay *r, int n)
{
    if (r->is_idle[n]) return;
    pipe_op *op = start_product(p, s, r->tile[n]);
    if (r->tile[n] == r->tile[n - 1]) return;
    op->replaces = true;
    if (roll(p, 2)) {
        op->from[1] = only(r->tile[n - 1]);
        return;
    }
    op->operand[0] = PIPE_NONE;
    op->from[0] = only(r->tile[n - 1]);
}

/* Who waits for the last product has waited for all. */
static void wait_for_last(plan *p, pipe_section *s, int thread, const relay *r)
{
    if (r->done != PIPE_NONE) {
        at_barrier(p, s, PIPE_DOT_ARRIVE, only(r->done));
        at_barrier(p, s, PIPE_WAIT, only(r->done));
    } else {
        const int which = commit(p, s, thread, PIPE_DOT_COMMIT);
        disturb(p, s);
        wait_behind(p, s, thread, PIPE_DOT_WAIT, which, 0);
    }
}

static void end_turn(plan *p, pipe_section *s, int thread, const relay *r)
{
    const int tile = r->tile[r->count - 1];
    if (r->is_read_late) {
        commit(p, s, thread, PIPE_DOT_COMMIT);
        p->thread[thread].sums[p->thread[thread].sum_count++] = tile;
    } else {
        wait_for_last(p, s, thread, r);
        load(p, s, only(tile));
    }
}

void pipe_join_relay(plan *p, int thread)
{
    const relay *r = &p->relay;
    pipe_section *s = section_of(p, thread, MAIN);
    int n = 0;
    while (n < r->count && r->members[n] != thread) n++;
    if (n == r->count) return;
    const bool is_first = n == 0, is_last = n + 1 == r->count;
    pipe_op *wait = at_barrier(p, s, PIPE_WAIT, only(r->hand[is_first ? r->count - 1 : n - 1]));
    wait->from_total = is_first;
    wait->orders = !is_first || r->is_read_late || orders_for_nothing(p);
    disturb(p, s);
    if (is_first)
        start_first(p, s, r);
    else
        start_next(p, s, r, n);
    if (is_last) end_turn(p, s, thread, r);
    pipe_op *arrive = at_barrier(p, s, PIPE_ARRIVE, only(r->hand[n]));
    arrive->orders = !is_last || r->is_read_late || orders_for_nothing(p);
}
