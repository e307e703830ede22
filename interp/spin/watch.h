/* A watch: memory that a program has read or written, with the values that it had then. */
#ifndef TG_INTERP_SPIN_WATCH_H
#define TG_INTERP_SPIN_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tg_inst;

enum { TG_MOST_WATCHED = 1024, TG_WATCHED_BYTES = 1 << 20 };

typedef struct tg_watched {
    unsigned char *at;
    uint32_t bytes, offset;     /* offset: of its values in `first` and `now` */
    uint32_t param;             /* the parameter whose memory it is */
    const struct tg_inst *inst; /* the instruction that accessed it first */
    bool is_read;               /* that instruction reads it */
} tg_watched;

typedef struct tg_watch {
    uint32_t count, used;
    bool is_full;      /* the program accessed more than the watch holds, */
    bool lacks_memory; /* or memory ran out; then `is_full` is set as well */
    bool is_changed;   /* another actor has changed memory in between */
    tg_watched *list;
    unsigned char *first; /* values of the memory at its first access, */
    unsigned char *now;   /* and those that it must have after the program's own writes */
    size_t list_capacity, first_capacity, now_capacity;
} tg_watch;

void tg_watch_clear(tg_watch *watch);
void tg_watch_free(tg_watch *watch); /* zeroed memory is an empty watch */

/* Called when the program reads the memory that `what` names, or is about to write it.  The watch
 * sets its offset. */
void tg_watch_look(tg_watch *watch, const tg_watched *what);

/* Called when the program has written there. */
void tg_watch_written(tg_watch *watch, const unsigned char *at, size_t bytes);

/* Returns whether all memory has its values of the first access. */
bool tg_watch_holds(const tg_watch *watch);

#endif
