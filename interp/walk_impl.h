/* What the walks share: walk.c, which lets chains run one after the other, walk_interleaved.c, walk_threads.c and coupled.c. */
#ifndef TG_INTERP_WALK_IMPL_H
#define TG_INTERP_WALK_IMPL_H

#include "interp/waiting.h"
#include "interp/walk.h"

/* How many machines there are of `wanted`: all of them, unless memory is short. */
int tg_walk_machines(tg_walk *w, int wanted);

/* A machine that no chain has had in this walk; NULL without memory. */
tg_machine *tg_walk_new_machine(tg_walk *w);

/* How many chains may wait, each with a machine, before others than those that the order has next are tried. */
int tg_walk_most_waiting(const tg_launch *launch);

/* Reports how far the walk is; only the thread that called may do so.  Returns whether the walk shall stop.  The context is the
 * walk. */
bool tg_walk_show_progress(void *context, bool is_caller);

/* Gets program number `step` of the chain ready to run on `m`, with fresh scratch for the first one. */
void tg_walk_start(tg_walk *w, tg_machine *m, int64_t chain, int64_t step);

/* Runs a chain on, to its end (DONE), or to where its program waits for others or gives way to them (WAITING, GIVING_WAY). */
tg_step tg_walk_go_on(tg_walk *w, tg_flight *f);

/* A program is done: whether its chain goes on.  What would come after one that cannot go on never runs. */
bool tg_walk_end_program(tg_walk *w, tg_machine *m, tg_step how, int64_t step);

/* A program has run to its end. */
void tg_walk_count(tg_walk *w, bool is_caller);

/* Of several threads whose programs are stopped the calling one tells of its own. */
void tg_walk_note_stopped(tg_walk *w, const tg_machine *m);

/* Chains one after the other, as the order has them, on one thread; one that waits is put off. */
typedef struct tg_in_order {
    tg_walk *walk;
    int64_t turn, end;  /* chains of the order that have not begun */
    int64_t begun;      /* how many have */
    int64_t *list;      /* the order where it is listed; else NULL */
    tg_flight *flights; /* that go on before anything else, from number `ready` on */
    int ready, ready_count;
    /* private */
    tg_waiting waiting;
    tg_flight *
        aside; /* chains that have given way, from number `aside_first` on, the longest ago first */
    size_t aside_first, aside_count, aside_room;
    tg_machine *spare;
} tg_in_order;

/* Runs them all.  TG_ERR_NO_MEMORY. */
tg_status tg_walk_in_order(tg_in_order *in_order);

/* On several threads; a few at a time, interleaved at random. */
tg_status tg_walk_parallel(tg_walk *w);
tg_status tg_walk_interleaved(tg_walk *w);

/* Chains that signal each other's semaphores, as the cores of a device do: all of them are in flight at once, and who
 * waits for another one lets the others run. */
tg_status tg_walk_coupled(tg_walk *w);

#endif
