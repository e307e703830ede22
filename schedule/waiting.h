/* Actors that wait, and which of them a write concerns. */
#ifndef TG_SCHEDULE_WAITING_H
#define TG_SCHEDULE_WAITING_H

#include "schedule/actor.h"

/* A table says which of them look at a line of memory, so that a write finds them at once, however many there are. */
typedef struct tg_waiting {
    struct tg_waiter *list; /* some are free */
    uint32_t listed, free;  /* free: the first one that is */
    size_t capacity;
    int count;         /* those that are not free */
    uint32_t *written; /* those whose memory has been written since they came */
    size_t written_capacity;
    uint32_t written_count;
    struct tg_waited_line *lines; /* open addressing */
    size_t line_count, line_room;
    struct tg_wait_node *nodes; /* some are free */
    size_t node_count, node_room;
    uint32_t free_node;
    int64_t running; /* tg_actor.begun of the one that runs */
    int64_t rounds;  /* actors that have gone on, so far */
} tg_waiting;

void tg_waiting_free(tg_waiting *waiting);

/* Enters one whose program waits; false without memory. */
bool tg_waiting_add(tg_waiting *waiting, const tg_actor *actor);

/* Takes out the first one, as the order has them, whose wait is over, if its turn is below `limit`; false where there is none.
 * Who has waited often already in a wait that is patient lets others go on for longer and longer, but with `is_last`, where no
 * others can. */
bool tg_waiting_take(tg_waiting *waiting, int64_t limit, bool is_last, tg_actor *out);

/* The actor that runs has written: tg_launch.written, whose context is the table.  A wait for one that had not begun then is
 * told. */
void tg_waiting_written(void *waiting, const tg_access_event *event);

/* One copy takes place that somebody who waits, or a thread beside them, has started; false where
 * there is none. */
bool tg_waiting_let_copy_go(tg_waiting *waiting);

/* Nobody can end these waits: each is reported, and `end` is called of each actor. */
void tg_waiting_give_up(tg_waiting *waiting, void (*end)(void *context, const tg_actor *actor),
                        void *context);

#endif
