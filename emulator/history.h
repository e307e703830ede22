/* Races by vector clocks: for each word of memory the accesses that something later may still race
 * with.  For entries whose threads are ordered by more than barriers of the whole CTA; all others
 * have the cheaper shadow.h. */
#ifndef TG_EMULATOR_HISTORY_H
#define TG_EMULATOR_HISTORY_H

#include <stddef.h>

#include "emulator/clocks.h"
#include "emulator/shadow.h"

/* An access. */
typedef struct tg_emu_visit {
    uint32_t actor, step;
    uint32_t thread, inst; /* who did it, or started it, and where */
    tg_emu_touch touch;
    bool is_strong; /* does not race with others that are, both of threads or both of copies */
    bool is_copy;   /* done by a copy beside the threads */
} tg_emu_visit;

typedef struct tg_emu_history_cell tg_emu_history_cell;

/* Zero-initialise. */
typedef struct tg_emu_history {
    tg_emu_history_cell *cells; /* a hash table by address */
    size_t count, capacity;
} tg_emu_history;

/* Records an access to `bytes` bytes at a key, which is an address that names its space as well.
 * Returns the earlier access that it races with, or NULL.  Sets *failed if memory runs out. */
const tg_emu_visit *tg_emu_history_note(tg_emu_history *history, const tg_emu_clocks *clocks,
                                        uint64_t key, size_t bytes, const tg_emu_visit *visit,
                                        bool *failed);

void tg_emu_history_free(tg_emu_history *history);

#endif
