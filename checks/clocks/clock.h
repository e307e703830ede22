/* Vector clocks: how much of what each actor has done is known.
 *
 * An actor counts its *times* from 1 on.  A clock has an entry for each actor of which anything is
 * known: all that it did up to that time. */
#ifndef TG_CHECKS_CLOCKS_CLOCK_H
#define TG_CHECKS_CLOCKS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise: then nothing is known. */
typedef struct tg_clock {
    struct tg_clock_entry {
        int64_t actor;
        uint32_t time;
    } * list; /* by actor */
    size_t count, room;
} tg_clock;

void tg_clock_free(tg_clock *clock);

/* Forgets everything. */
void tg_clock_clear(tg_clock *clock);

/* Returns the time up to which what the actor did is known; 0: nothing of it is. */
uint32_t tg_clock_of(const tg_clock *clock, int64_t actor);

/* Notes that what the actor did up to `time` is known.  Returns false if memory runs out. */
bool tg_clock_note(tg_clock *clock, int64_t actor, uint32_t time);

/* Adds all that `from` knows.  Returns false if memory runs out. */
bool tg_clock_join(tg_clock *clock, const tg_clock *from);

#endif
