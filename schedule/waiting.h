/* Actors that wait, and which of them a write concerns. */
#ifndef TG_SCHEDULE_WAITING_H
#define TG_SCHEDULE_WAITING_H

#include "schedule/actor.h"

/* A table of the lines of memory that actors look at, so that a write finds these actors at once,
 * however many wait. */
typedef struct tg_waiting {
    struct tg_waiter *list; /* some entries are free */
    uint32_t listed, free;  /* free: the first free entry */
    size_t capacity;
    int count;         /* entries that are not free */
    uint32_t *written; /* those whose memory has been written since they were added */
    size_t written_capacity;
    uint32_t written_count;
    struct tg_waited_line *lines; /* a hash table with open addressing */
    size_t line_count, line_room;
    /* All lines that waiting actors look at are in between.  Most writes are not: tiles are far from
     * barriers. */
    uintptr_t first_line, last_line;
    struct tg_wait_node *nodes; /* some nodes are free */
    size_t node_count, node_room;
    uint32_t free_node;
    int64_t running; /* tg_actor.begun of the running actor */
    int64_t rounds;  /* calls of tg_waiting_take so far */
} tg_waiting;

void tg_waiting_free(tg_waiting *waiting);

/* Adds an actor whose program waits.  Returns false if memory runs out. */
bool tg_waiting_add(tg_waiting *waiting, const tg_actor *actor);

/* Takes out the first actor in the order whose wait is over, if its turn is below `limit`; returns
 * false if there is none.  In a patient wait an actor that has waited often yields for longer and
 * longer, except with `is_last`, when no other can go on. */
bool tg_waiting_take(tg_waiting *waiting, int64_t limit, bool is_last, tg_actor *out);

/* Notes a write of the running actor; for tg_launch.written, with the table as context.  Reports a
 * wait that ends by an actor which began only after it. */
void tg_waiting_written(void *waiting, const tg_access_event *event);

/* Lets one copy take place that a waiting actor, or a thread of its chain, has started.  Returns
 * false if there is none. */
bool tg_waiting_let_copy_go(tg_waiting *waiting);

/* Nobody can end these waits: reports each of them, and calls `end` for each actor. */
void tg_waiting_give_up(tg_waiting *waiting, void (*end)(void *context, const tg_actor *actor),
                        void *context);

#endif
