/* Chains in flight, and those of them whose programs wait in a loop for others (spin.h). */
#ifndef TG_INTERP_WAITING_H
#define TG_INTERP_WAITING_H

#include "interp/observer.h"
#include "interp/spin.h"

/* A chain in flight, on a machine of its own. */
typedef struct tg_flight {
    tg_machine *machine;
    int64_t chain, step;
    int64_t turn;   /* the order has it as number `turn` */
    int64_t begun;  /* chains that had begun before it */
    int64_t known;  /* chains that had begun when it came to wait */
    bool is_told;   /* who has ended the wait */
    bool gives_way; /* it may wait for others, without anybody knowing (TG_STEP_GIVING_WAY) */
    int waits;      /* so often it has waited; */
    int64_t after;  /* it goes on after so many rounds (tg_waiting.rounds), if others can */
} tg_flight;

/* Chains that wait.  A table says which of them look at a line of memory, so that a write finds them at once, however many there are. */
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
    int64_t running; /* tg_flight.begun of the chain that runs */
    int64_t rounds;  /* chains that have gone on, so far */
    tg_observer observer;
} tg_waiting;

void tg_waiting_free(tg_waiting *waiting);

/* Enters a chain whose program waits; false without memory. */
bool tg_waiting_add(tg_waiting *waiting, const tg_flight *flight);

/* Takes out the first one, as the order has them, whose wait is over; false where there is none.  Who has waited often already, as at a
 * counter that many raise, lets others go on for longer and longer, but with `is_last`, where no others can. */
bool tg_waiting_take(tg_waiting *waiting, bool is_last, tg_flight *out);

/* Hears what the chain that runs writes, while `waiting` stays where it is; NULL while nobody waits.  A wait for one
 * that had not begun then is told. */
const tg_observer *tg_waiting_observer(tg_waiting *waiting);

/* Nobody can end these waits: each is reported, and `end` is called of each chain. */
void tg_waiting_give_up(tg_waiting *waiting, void (*end)(void *context, tg_flight *flight),
                        void *context);

#endif
