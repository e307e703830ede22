/* What threads have accessed in shared memory: of each byte, the last access of each kind. */
#ifndef TG_CHECKS_PROXIES_TOUCHES_H
#define TG_CHECKS_PROXIES_TOUCHES_H

#include "checks/number_map.h"
#include "checks/plane.h"
#include "interp/state/observer.h"

/* An access of a thread. */
typedef struct tg_touch {
    int64_t actor;
    uint32_t time; /* see checks/clocks/clock.h */
    const tg_inst *inst;
    int64_t program[TG_MAX_AXES];
} tg_touch;

/* Of each byte the number of a touch, from 1 on; 0: none, or a copy has overwritten the byte since. */
typedef struct tg_last_touches {
    int64_t reader; /* actor; TG_TOUCHES_WRITE: these are the writes, of all */
    tg_plane numbers;
} tg_last_touches;

enum { TG_TOUCHES_WRITE = -1 };

/* The shared memory that one parameter has in one chain. */
typedef struct tg_touched_memory {
    int64_t chain; /* successive chains have theirs in the same memory */
    int64_t bytes;
    tg_last_touches *list;
    size_t count, room;
} tg_touched_memory;

/* Zero-initialise, but for the kernel. */
typedef struct tg_touches {
    const tg_kernel *kernel;
    tg_touch *list;
    size_t count, room;
    tg_touched_memory *memories;
    size_t memory_count, memory_room;
    tg_number_map memory_numbers; /* by address */
    bool is_incomplete;           /* something was lost because memory ran out */
} tg_touches;

void tg_touches_clear(tg_touches *touches);
void tg_touches_free(tg_touches *touches);

/* Returns what is known of the memory at `data`; NULL if no thread has accessed it. */
tg_touched_memory *tg_touched_at(tg_touches *touches, const unsigned char *data, int64_t chain);

/* Returns the touches of one kind; NULL if there are none. */
tg_last_touches *tg_last_touches_of(const tg_touched_memory *memory, int64_t reader);

/* Adds an access of a thread, which happens at `time`. */
void tg_touches_add(tg_touches *touches, const tg_access_event *event, uint32_t time);

/* Forgets touches of `bytes` bytes from `first` on, counted in the memory. */
void tg_last_touches_clear(tg_last_touches *touches, int64_t first, int64_t bytes);

static inline const tg_touch *tg_touch_of(const tg_touches *touches, uint32_t number)
{
    return &touches->list[number - 1];
}

#endif
