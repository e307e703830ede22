#include "layout/relayout/shuffles.h"

#include <stdlib.h>
#include <string.h>

#include "layout/thread.h"

/* A move within a warp, as the plan sees it. */
typedef struct transfer {
    size_t move;
    const tg_move *of;
    int from, to; /* lanes */
} transfer;

static int compare_warps(const tg_coordinate *a, const tg_coordinate *b)
{
    const int blocks = tg_block_compare(a, b);
    if (blocks) return blocks;
    const int64_t x = tg_warp_of(tg_thread_in_block(a)), y = tg_warp_of(tg_thread_in_block(b));
    return (x > y) - (x < y);
}

/* By warp, then value: values that many lanes want come first to their round together. */
static int by_warp(const void *a, const void *b)
{
    const transfer *x = a, *y = b;
    const int warps = compare_warps(&x->of->to, &y->of->to);
    if (warps) return warps;
    if (x->of->element != y->of->element) return x->of->element < y->of->element ? -1 : 1;
    if (x->from != y->from) return x->from - y->from;
    return (x->move > y->move) - (x->move < y->move);
}

/* What each lane offers and takes in each round of one warp: 0 for nothing, else transfer + 1. */
typedef struct rounds {
    size_t (*offers)[TG_WARP_THREADS], (*takes)[TG_WARP_THREADS];
    int64_t *of; /* the round of each transfer */
    int64_t used;
} rounds;

static void clear(rounds *r, size_t count)
{
    memset(r->offers, 0, (count + 1) * sizeof *r->offers);
    memset(r->takes, 0, (count + 1) * sizeof *r->takes);
    r->used = 0;
}

static void put(const transfer *list, size_t i, int64_t k, rounds *r)
{
    r->offers[k][list[i].from] = r->takes[k][list[i].to] = i + 1;
    r->of[i] = k;
    if (k >= r->used) r->used = k + 1;
}

/* In the first round in which the lane that wants the value takes none, and the lane that has it
 * offers none or this one: values that many lanes want are offered once. */
static void plan_greedily(const transfer *list, size_t count, rounds *r)
{
    clear(r, count);
    for (size_t i = 0; i < count; i++)
        for (int64_t k = 0;; k++) {
            const size_t offered = r->offers[k][list[i].from];
            if (r->takes[k][list[i].to]) continue;
            if (offered && list[offered - 1].of->element != list[i].of->element) continue;
            put(list, i, k, r);
            break;
        }
}

static int64_t first_free(size_t (*in)[TG_WARP_THREADS], int lane)
{
    int64_t k = 0;
    while (in[k][lane]) k++;
    return k;
}

/* Exchanges rounds a and b along the path of transfers that begins at what `lane` takes in round
 * a.  The path cannot come back to a lane, since in each round a lane takes and offers one value at
 * most. */
static void exchange(const transfer *list, int lane, int64_t a, int64_t b, rounds *r)
{
    size_t path[2 * TG_WARP_THREADS];
    int count = 0;
    bool is_take = true;
    for (size_t next = r->takes[a][lane]; next;) {
        const transfer *t = &list[next - 1];
        const int64_t other = r->of[next - 1] == a ? b : a;
        path[count++] = next - 1;
        next = is_take ? r->offers[other][t->from] : r->takes[other][t->to];
        is_take = !is_take;
    }
    for (int i = 0; i < count; i++) {
        const transfer *t = &list[path[i]];
        r->offers[r->of[path[i]]][t->from] = r->takes[r->of[path[i]]][t->to] = 0;
    }
    for (int i = 0; i < count; i++) put(list, path[i], r->of[path[i]] == a ? b : a, r);
}

/* As many rounds as a lane takes or offers values at the most, each for one lane: Koenig's theorem
 * on colours of the edges of a bipartite graph, whose proof is this algorithm. */
static void plan_by_colours(const transfer *list, size_t count, rounds *r)
{
    clear(r, count);
    for (size_t i = 0; i < count; i++) {
        const int64_t a = first_free(r->offers, list[i].from), b = first_free(r->takes, list[i].to);
        if (a != b) exchange(list, list[i].to, a, b, r);
        put(list, i, a, r);
    }
}

/* Values that a lane takes, or must offer.  The same value for several lanes is offered once; the
 * list is in the order of the values. */
static int64_t least_rounds(const transfer *list, size_t count, bool has_choice)
{
    int64_t takes[TG_WARP_THREADS] = {0}, offers[TG_WARP_THREADS] = {0}, least = 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_new = !i || list[i - 1].of->element != list[i].of->element;
        if (++takes[list[i].to] > least) least = takes[list[i].to];
        if (!has_choice && is_new && ++offers[list[i].from] > least) least = offers[list[i].from];
    }
    return least;
}

static void plan_warp(const transfer *list, size_t count, bool has_choice, rounds *r,
                      tg_shuffles *out)
{
    const int64_t least = least_rounds(list, count, has_choice);
    plan_greedily(list, count, r);
    const int64_t greedily = r->used;
    if (greedily > least) plan_by_colours(list, count, r);
    if (r->used > greedily) plan_greedily(list, count, r);
    for (size_t i = 0; i < count; i++) out->round[list[i].move] = r->of[i];
    if (r->used > out->count) out->count = r->used;
    if (least > out->least) out->least = least;
}

static size_t list_transfers(const tg_moves *moves, transfer *list, int64_t *round)
{
    size_t count = 0;
    for (size_t i = 0; i < moves->count; i++) {
        const tg_move *m = &moves->list[i];
        round[i] = -1;
        if (m->reach != TG_REACH_WARP) continue;
        list[count++] = (transfer){i, m, tg_lane_of(tg_thread_in_block(&m->from)),
                                   tg_lane_of(tg_thread_in_block(&m->to))};
    }
    qsort(list, count, sizeof *list, by_warp);
    return count;
}

static size_t warp_end(const transfer *list, size_t first, size_t count)
{
    size_t end = first;
    while (end < count && compare_warps(&list[first].of->to, &list[end].of->to) == 0) end++;
    return end;
}

static size_t largest_warp(const transfer *list, size_t count)
{
    size_t most = 0;
    for (size_t i = 0, end; i < count; i = end) {
        end = warp_end(list, i, count);
        if (end - i > most) most = end - i;
    }
    return most;
}

static tg_status plan_all(const transfer *list, size_t count, bool has_choice, tg_shuffles *out,
                          tg_diags *diags)
{
    const size_t most = largest_warp(list, count) + 1;
    rounds r = {calloc(most, sizeof *r.offers), calloc(most, sizeof *r.takes),
                calloc(most, sizeof *r.of), 0};
    const bool has_memory = r.offers && r.takes && r.of;
    for (size_t i = 0, end; has_memory && i < count; i = end) {
        end = warp_end(list, i, count);
        plan_warp(list + i, end - i, has_choice, &r, out);
    }
    free(r.offers);
    free(r.takes);
    free(r.of);
    return has_memory ? TG_OK : tg_no_memory(diags);
}

tg_status tg_shuffles_of(const tg_moves *moves, tg_shuffles *out, tg_diags *diags)
{
    *out = (tg_shuffles){.round = calloc(moves->count + 1, sizeof *out->round)};
    transfer *list = calloc(moves->count + 1, sizeof *list);
    tg_status status = TG_ERR_NO_MEMORY;
    if (out->round && list)
        status =
            plan_all(list, list_transfers(moves, list, out->round), moves->has_choice, out, diags);
    else
        tg_no_memory(diags);
    free(list);
    if (status != TG_OK) tg_shuffles_free(out);
    return status;
}

void tg_shuffles_free(tg_shuffles *shuffles)
{
    free(shuffles->round);
    *shuffles = (tg_shuffles){0};
}
