/* A number for each actor (interp/state/actors.h), as those of which something is kept. */
#ifndef TG_CHECKS_ACTOR_NUMBERS_H
#define TG_CHECKS_ACTOR_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, and set `programs`.  Takes 4 bytes for each program that is an actor, up to the last one that has a
 * number, and for each op beside them. */
typedef struct tg_actor_numbers {
    int64_t programs; /* so many actors are programs; 0: all of them */
    uint32_t *
        list; /* of programs, then of ops in the order of their starts: the number, plus 1; 0: none */
    size_t room;
} tg_actor_numbers;

void tg_actor_numbers_free(tg_actor_numbers *numbers);

/* Sets the number of an actor, which is at least 0; the number is less than UINT32_MAX.  Returns false if memory runs out. */
bool tg_actor_numbers_put(tg_actor_numbers *numbers, int64_t actor, uint32_t number);

static inline size_t tg_actor_numbers_place(const tg_actor_numbers *numbers, int64_t actor)
{
    if (!numbers->programs || actor < numbers->programs) return (size_t)actor;
    return (size_t)(numbers->programs + actor / numbers->programs - 1);
}

/* Returns UINT32_MAX if the actor has none. */
static inline uint32_t tg_actor_numbers_get(const tg_actor_numbers *numbers, int64_t actor)
{
    const size_t at = tg_actor_numbers_place(numbers, actor);
    return at < numbers->room ? numbers->list[at] - 1 : UINT32_MAX;
}

#endif
