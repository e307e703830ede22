/* A watch: memory that a program has looked at or changed, with what it held then. */
#ifndef TG_INTERP_SPIN_WATCH_H
#define TG_INTERP_SPIN_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tg_inst;

enum { TG_MOST_WATCHED = 1024, TG_WATCHED_BYTES = 1 << 20 };

typedef struct tg_watched {
    unsigned char *at;
    uint32_t bytes, offset;     /* offset: of its values in a watch */
    uint32_t param;             /* whose memory it is */
    const struct tg_inst *inst; /* that was the first to touch it */
    bool is_read;               /* by that one */
} tg_watched;

typedef struct tg_watch {
    uint32_t count, used;
    bool is_full;      /* there was more than it takes, */
    bool lacks_memory; /* or than there is memory for; then it is full as well */
    bool is_changed;   /* somebody else has changed something in between */
    tg_watched *list;
    unsigned char *first; /* what the memory held when it was touched first, */
    unsigned char *now;   /* and what it must hold, by what the program itself has done */
    size_t list_capacity, first_capacity, now_capacity;
} tg_watch;

void tg_watch_clear(tg_watch *watch);
void tg_watch_free(tg_watch *watch); /* zeroed memory is an empty one */

/* The program reads the memory that `what` names, or is about to write it; its offset is the
 * watch's to choose. */
void tg_watch_look(tg_watch *watch, const tg_watched *what);

/* The program has written there. */
void tg_watch_written(tg_watch *watch, const unsigned char *at, size_t bytes);

/* Whether all of it holds what it held at first. */
bool tg_watch_holds(const tg_watch *watch);

#endif
