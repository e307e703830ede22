/* Lists of actors. */
#ifndef TG_SCHEDULE_ACTOR_LIST_H
#define TG_SCHEDULE_ACTOR_LIST_H

#include <stddef.h>

#include "schedule/actor.h"

/* Initialise with zeros. */
typedef struct tg_actor_list {
    tg_actor *all; /* its elements begin at `first` */
    size_t first, count, room;
} tg_actor_list;

void tg_actor_list_free(tg_actor_list *list);

/* Adds an actor at the end.  Returns NULL if memory runs out. */
tg_actor *tg_actor_list_add(tg_actor_list *list, const tg_actor *actor);

/* Removes the first actor and returns it; the list must not be empty. */
tg_actor tg_actor_list_take(tg_actor_list *list);

/* Removes actor number `at`; the last one moves to its position. */
void tg_actor_list_remove(tg_actor_list *list, size_t at);

static inline tg_actor *tg_actor_list_at(const tg_actor_list *list, size_t at)
{
    return &list->all[list->first + at];
}

#endif
