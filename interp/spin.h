/* Loops that spin: turns that do nothing but look whether other programs have changed something.
 *
 * A while loop spins if two of its turns begin with the same values, what counts turns alone left
 * out (plan/whiles.c), and all memory that the turns in between have touched holds again what it
 * held.  Then the program does the same for ever, until somebody else changes some of that memory:
 * it waits, and other programs may run.  This is proven, never guessed: a loop that is just long
 * never waits. */
#ifndef TG_INTERP_SPIN_H
#define TG_INTERP_SPIN_H

#include "interp/machine.h"

/* Frees what was noted; NULL is fine. */
void tg_spin_free(tg_spin *spin);

/* A new program begins. */
void tg_spin_reset(tg_machine *m);

/* The program goes back to the beginning of a loop of its plan.  WAITING: it waits from now on.  In
 * steps from one visible event to the next it goes on all the same as far as the next one, if there
 * is any in the loop.  BLOCKED: memory is short, of which the findings know.  Loops whose turns
 * touch more than a watch takes (watch.h) never wait. */
tg_step tg_spin_turned(tg_machine *m, const tg_while *loop, const tg_inst *inst);

/* What the program touches, each time; m->spin is there. */
void tg_spin_touched(const tg_machine *m, const tg_touch *touch);

/* It reads a semaphore, or has changed one; likewise. */
void tg_spin_read_semaphore(const tg_machine *m, const tg_inst *inst, uint32_t root,
                            const int64_t *semaphore);
void tg_spin_wrote_semaphore(const tg_machine *m, const int64_t *semaphore);

/* Whether the program waits in a loop. */
bool tg_is_spinning(const tg_machine *m);

/* Whether somebody has changed what a waiting program looks at. */
bool tg_spin_is_over(const tg_machine *m);

/* Whether it waits, and nobody has. */
static inline bool tg_spin_waits(const tg_machine *m)
{
    return tg_is_spinning(m) && !tg_spin_is_over(m);
}

/* The program does not wait any more, if it did. */
void tg_spin_go_on(tg_machine *m);

/* The memory that a waiting program looks at. */
const struct tg_watch *tg_spin_watch(const tg_machine *m);

/* The loop of a waiting program. */
const tg_inst *tg_spin_loop(const tg_machine *m);

/* What a waiting program reads: the parameter (NULL: none), its elements (-1: none), and text such
 * as "flag_ref[2], which is 0". */
enum { TG_SPIN_TEXT = 400 };
typedef struct tg_spin_object {
    const tg_param *param;
    const tg_inst *inst; /* that reads it; NULL: the loop reads no memory */
    int64_t first, last;
    char text[TG_SPIN_TEXT];
} tg_spin_object;
void tg_spin_object_of(const tg_machine *m, tg_spin_object *out);

/* A finding about it, at the loop. */
tg_found tg_spin_finding(const tg_machine *m, tg_finding_kind kind, const tg_spin_object *object);

/* Reports that nobody can end the loop of a waiting program; `others` wait as well, and read
 * memory. */
enum { TG_MOST_OTHERS = 3 };
void tg_spin_report(tg_machine *m, const tg_machine *const *others, int count);

#endif
