#include "schedule/scheduler.h"

#include <stdlib.h>

#include "schedule/programs.h"

static tg_actor *push(tg_scheduler *s, tg_actor_list *list, const tg_actor *a)
{
    tg_actor *at = tg_actor_list_add(list, a);
    if (!at) s->lacks_memory = true;
    return at;
}

bool tg_scheduler_add(tg_scheduler *s, const tg_actor *actor)
{
    return push(s, &s->live, actor) != NULL;
}

static bool take_aside(tg_scheduler *s)
{
    if (!s->aside.count) return false;
    const tg_actor a = tg_actor_list_take(&s->aside);
    return tg_scheduler_add(s, &a);
}

/* ---- the beginning of actors ---- */

/* Returns the turn of the next chain.  If very many actors wait, it is from the other end of the
 * order, as they may wait for one of those chains. */
static inline int64_t next_turn(tg_scheduler *s)
{
    const int64_t busy = (int64_t)s->aside.count + s->waiting.count;
    const bool is_usual = !busy || busy < tg_walk_most_waiting(s->walk->launch);
    return is_usual ? s->next++ : --s->end;
}

static tg_machine *take_machine(tg_scheduler *s)
{
    tg_machine *m = s->spare ? s->spare : tg_walk_new_machine(s->walk);
    s->spare = NULL;
    if (!m) {
        s->lacks_memory = true;
        return NULL;
    }
    m->stops = s->is_random;
    m->is_caller = true;
    return m;
}

/* The chain that has number `turn` in the order. */
static int64_t chain_at(const tg_scheduler *s, int64_t turn)
{
    const tg_walk *w = s->walk;
    return s->list ? s->list[turn] : tg_order_pick(w->order, turn, w->grid->chains);
}

/* The next chain of the order is done by another one, or the last one if the next must begin itself. */
static int64_t cancel(void *context, int64_t resident)
{
    tg_scheduler *s = context;
    if (s->next == s->end || s->end <= resident || s->walk->grid->steps != 1) return -1;
    const int64_t turn = s->next >= resident ? s->next : s->end - 1;
    const int64_t chain = chain_at(s, turn);
    if (chain > INT32_MAX) return -1;
    if (turn == s->next)
        s->next++;
    else
        s->end--;
    s->walk->done++;
    return chain;
}

/* Makes `a` the next chain of the order, on `machine`.  Does not prepare its first program. */
static inline void set_actor(tg_scheduler *s, tg_actor *a, tg_machine *machine)
{
    *a = (tg_actor){.machine = machine, .turn = next_turn(s), .begun = s->begun++};
    a->chain = chain_at(s, a->turn);
}

/* Adds the next chain to the live ones.  Returns NULL if memory runs out. */
static tg_actor *new_live(tg_scheduler *s)
{
    tg_machine *machine = take_machine(s);
    if (!machine) return NULL;
    tg_actor a;
    set_actor(s, &a, machine);
    return push(s, &s->live, &a);
}

/* Makes a team with machines, but without a chain; NULL if memory runs out. */
static tg_team *make_team(tg_scheduler *s)
{
    const int64_t threads = s->walk->grid->threads;
    tg_team *team = tg_team_new(threads);
    if (!team) {
        s->lacks_memory = true;
        return NULL;
    }
    team->next = s->teams;
    s->teams = team;
    for (int64_t thread = 0; thread < threads && !s->lacks_memory; thread++)
        team->machines[thread] = take_machine(s);
    return s->lacks_memory ? NULL : team;
}

/* Returns a team for the next chain; its threads are not live yet.  NULL if memory runs out. */
static tg_team *new_team(tg_scheduler *s)
{
    tg_team *team = s->idle_teams ? s->idle_teams : make_team(s);
    if (!team) return NULL;
    s->idle_teams = s->idle_teams ? team->next_idle : NULL;
    const int64_t turn = next_turn(s);
    tg_team_begin(team, turn, chain_at(s, turn), s->begun++);
    return team;
}

/* Makes all threads live, and ready to run the step. */
static void start_team(tg_scheduler *s, tg_team *team)
{
    tg_team_start(s->walk, team);
    for (int64_t turn = 0; turn < s->walk->grid->threads; turn++) {
        const tg_actor a = tg_team_actor(s->walk, team, turn);
        if (!tg_scheduler_add(s, &a)) return;
    }
}

/* Begins the next chain.  Returns false if memory runs out. */
static bool begin_one(tg_scheduler *s)
{
    if (s->has_threads) {
        tg_team *team = new_team(s);
        if (team) start_team(s, team);
    } else {
        const tg_actor *a = new_live(s);
        if (a) tg_walk_start(s->walk, a);
    }
    return !s->lacks_memory;
}

/* Begins chains with `most` actors in total, or all that are left.  Returns whether one has
 * begun. */
static bool begin(tg_scheduler *s, int most)
{
    bool has_begun = false;
    for (int64_t i = 0; i < most && s->next != s->end; i += s->walk->grid->threads)
        if (!(has_begun = begin_one(s))) break;
    return has_begun;
}

/* Adds the next chain of a grid whose chains are all in flight.  Does not prepare its first
 * program. */
static void begin_one_of_all(tg_scheduler *s)
{
    const tg_team *team = s->has_threads ? new_team(s) : NULL;
    const tg_actor *a = s->has_threads ? NULL : new_live(s);
    if (team) s->walk->launch->chains[team->chain] = &team->machines[0]->own_chain;
    if (a) s->walk->launch->chains[a->chain] = &a->machine->own_chain;
}

/* Begins all chains: every scratch must exist before any program runs. */
static void begin_all(tg_scheduler *s)
{
    tg_launch *launch = s->walk->launch;
    launch->chain_count = s->walk->grid->chains;
    launch->chains = calloc((size_t)launch->chain_count + 1, sizeof(tg_chain *));
    if (!launch->chains) s->lacks_memory = true;
    while (!s->lacks_memory && s->next != s->end) begin_one_of_all(s);
    if (s->lacks_memory) return;
    for (tg_team *team = s->teams; team; team = team->next) start_team(s, team);
    for (size_t i = 0; i < s->live.count && !s->has_threads; i++)
        tg_walk_start(s->walk, tg_actor_list_at(&s->live, i));
}

/* ---- which is next ---- */

enum { NOBODY = -1 };

/* Only copies can go on: lets one take place. */
static bool let_copy_go(tg_scheduler *s)
{
    s->walk->launch->written = tg_waiting_written;
    s->walk->launch->written_context = &s->waiting;
    return tg_waiting_let_copy_go(&s->waiting);
}

static bool admit(tg_scheduler *s, int64_t limit, bool is_last)
{
    tg_actor a;
    return s->waiting.count && tg_waiting_take(&s->waiting, limit, is_last, &a) &&
           tg_scheduler_add(s, &a);
}

/* The first live actor in the order, and its turn; NOBODY if none is live. */
static int64_t first_live(const tg_scheduler *s, int64_t *turn)
{
    int64_t first = NOBODY;
    *turn = INT64_MAX;
    for (size_t i = 0; i < s->live.count; i++) {
        if (tg_actor_list_at(&s->live, i)->turn >= *turn) continue;
        first = (int64_t)i;
        *turn = tg_actor_list_at(&s->live, i)->turn;
    }
    return first;
}

/* A copy is later than all that chains in flight can do, but not than the beginning of others: else the
 * whole grid would be in flight before the first one had its first tile. */
static int64_t next_in_order(tg_scheduler *s)
{
    int64_t turn;
    const int64_t first = first_live(s, &turn);
    if (admit(s, turn, false)) return (int64_t)s->live.count - 1;
    if (first != NOBODY) return first;
    while (s->waiting.count && !s->aside.count && let_copy_go(s))
        if (admit(s, INT64_MAX, false)) return (int64_t)s->live.count - 1;
    if (begin(s, 1) || admit(s, INT64_MAX, true) || take_aside(s))
        return (int64_t)s->live.count - 1;
    return NOBODY;
}

static bool have_all_given_way(const tg_scheduler *s)
{
    for (size_t i = 0; i < s->live.count; i++)
        if (!tg_actor_list_at(&s->live, i)->gave_way) return false;
    return true;
}

/* A random one of the live actors.  More of them begin first if all may be waiting for others. */
static int64_t next_at_random(tg_scheduler *s)
{
    while (admit(s, INT64_MAX, s->live.count == 0)) continue;
    if (have_all_given_way(s)) begin(s, TG_LIVE_AT_ONCE);
    if (!s->live.count && !admit(s, INT64_MAX, true)) return NOBODY;
    return (int64_t)(tg_random(~s->walk->order->seed, s->drawn++) % (uint64_t)s->live.count);
}

/* ---- what becomes of it ---- */

/* Ends a chain at its end, or where it cannot go on. */
static void end(tg_scheduler *s, const tg_actor *a, tg_step how)
{
    if (!s->is_coupled) {
        tg_walk_end_chain(a, how);
        return;
    }
    tg_actor kept = *a;
    kept.is_blocked = how == TG_STEP_BLOCKED;
    push(s, &s->ended, &kept);
}

/* Called when a thread has ended a step of its chain; after the last one, all threads go on to the
 * next step. */
static void end_thread(tg_scheduler *s, const tg_actor *a, tg_step how)
{
    tg_team *team = a->team;
    if (!tg_team_thread_ends(s->walk, a, how)) return;
    if (tg_team_next(s->walk, team)) {
        start_team(s, team);
        return;
    }
    if (s->is_coupled) return; /* others may still signal semaphores in its scratch */
    tg_team_end(s->walk, team);
    team->next_idle = s->idle_teams;
    s->idle_teams = team;
}

static void end_waiting(void *context, const tg_actor *a)
{
    (a->team ? end_thread : end)(context, a, TG_STEP_BLOCKED);
}

/* Returns whether the next chain begins as soon as another one has ended: in order `interleaved`,
 * or if no other actor could go on. */
static bool begins_at_once(const tg_scheduler *s)
{
    if (s->is_coupled || s->has_threads || s->next == s->end) return false;
    return s->is_random || (s->live.count == 1 && !s->waiting.count && !s->aside.count);
}

/* Replaces live actor number `at` by the next chain, if one begins, on the same machine; else
 * removes it. */
static void replace(tg_scheduler *s, size_t at)
{
    tg_actor *a = tg_actor_list_at(&s->live, at);
    if (begins_at_once(s)) {
        set_actor(s, a, a->machine);
        tg_walk_start(s->walk, a);
        return;
    }
    if (!s->is_coupled) s->spare = a->machine;
    tg_actor_list_remove(&s->live, at);
}

static void end_program(tg_scheduler *s, size_t at, tg_step how)
{
    tg_actor *a = tg_actor_list_at(&s->live, at);
    if (a->team) {
        const tg_actor thread = *a;
        tg_actor_list_remove(&s->live, at);
        end_thread(s, &thread, how);
        return;
    }
    if (tg_walk_next(s->walk, a, how)) {
        a->gave_way = false;
        return;
    }
    end(s, a, how);
    replace(s, at);
}

static void put_to_wait(tg_scheduler *s, size_t at)
{
    tg_actor *a = tg_actor_list_at(&s->live, at);
    a->known = s->begun;
    a->is_reported = false;
    if (!tg_waiting_add(&s->waiting, a)) s->lacks_memory = true;
    tg_actor_list_remove(&s->live, at);
}

static void give_way(tg_scheduler *s, size_t at)
{
    tg_actor_list_at(&s->live, at)->gave_way = true;
    if (s->is_random) return;
    push(s, &s->aside, tg_actor_list_at(&s->live, at));
    tg_actor_list_remove(&s->live, at);
}

/* Runs chain after chain on the same machine, as long as no other actor could go on. */
static tg_step run_chains(tg_scheduler *s, tg_actor *a)
{
    tg_walk *w = s->walk;
    for (;;) {
        const tg_step how = tg_walk_run_chain(w, a);
        if (how != TG_STEP_DONE || !begins_at_once(s) || w->is_stopped) return how;
        set_actor(s, a, a->machine);
        tg_walk_start(w, a);
    }
}

/* Runs live actor number `at` until it waits, gives way or ends or, interleaved, until its next
 * event. */
static void run(tg_scheduler *s, size_t at)
{
    tg_walk *w = s->walk;
    const bool is_whole_chain = !s->is_random && !s->is_coupled && !s->has_threads;
    tg_actor *a = tg_actor_list_at(&s->live, at);
    w->launch->written = s->waiting.count ? tg_waiting_written : NULL;
    w->launch->written_context = &s->waiting;
    s->waiting.running = a->begun;
    const tg_step how = is_whole_chain ? run_chains(s, a) : tg_walk_run_program(w, a);
    switch (how) {
    case TG_STEP_WAITING: put_to_wait(s, at); return;
    case TG_STEP_GIVING_WAY: give_way(s, at); return;
    case TG_STEP_DONE:
    case TG_STEP_BLOCKED:
        if (is_whole_chain)
            replace(s, at);
        else
            end_program(s, at, how);
        return;
    default: return;
    }
}

/* ---- all of it ---- */

static void finish(tg_scheduler *s)
{
    for (size_t i = 0; i < s->ended.count && !s->walk->is_stopped; i++)
        tg_walk_end_chain(tg_actor_list_at(&s->ended, i), tg_actor_list_at(&s->ended, i)->is_blocked
                                                              ? TG_STEP_BLOCKED
                                                              : TG_STEP_DONE);
    for (const tg_team *team = s->teams; team && s->is_coupled && !s->walk->is_stopped;
         team = team->next)
        tg_team_end(s->walk, team);
    if (s->is_coupled) free(s->walk->launch->chains);
    s->walk->launch->chains = NULL;
    s->walk->launch->cancel = NULL;
    s->walk->launch->written = NULL;
}

tg_status tg_scheduler_run(tg_scheduler *s)
{
    tg_walk *w = s->walk;
    s->is_random = w->order->kind == TG_ORDER_INTERLEAVED;
    s->is_coupled = w->launch->plan->is_coupled;
    s->has_threads = w->launch->plan->has_threads;
    w->launch->cancel = cancel;
    w->launch->cancel_context = s;
    if (s->is_coupled) begin_all(s);
    while (!s->lacks_memory && !w->is_stopped) {
        const int64_t at = s->is_random ? next_at_random(s) : next_in_order(s);
        if (s->lacks_memory) break;
        if (at != NOBODY)
            run(s, (size_t)at);
        else if (s->waiting.count && !let_copy_go(s))
            tg_waiting_give_up(&s->waiting, end_waiting, s);
        else if (!s->waiting.count)
            break;
    }
    finish(s);
    return s->lacks_memory ? TG_ERR_NO_MEMORY : TG_OK;
}

void tg_scheduler_free(tg_scheduler *s)
{
    tg_waiting_free(&s->waiting);
    tg_actor_list_free(&s->live);
    tg_actor_list_free(&s->aside);
    tg_actor_list_free(&s->ended);
    free(s->list);
    tg_teams_free(s->teams);
}
