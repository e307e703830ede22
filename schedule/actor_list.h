/* Lists of actors. */
#ifndef TG_SCHEDULE_ACTOR_LIST_H
#define TG_SCHEDULE_ACTOR_LIST_H

#include <stddef.h>

#include "schedule/actor.h"

/* Zero-initialise. */
typedef struct tg_actor_list {
    tg_actor *all; /* those that are in it begin at `first` */
    size_t first, count, room;
} tg_actor_list;

void tg_actor_list_free(tg_actor_list *list);

/* Adds one at the end; NULL without memory. */
tg_actor *tg_actor_list_add(tg_actor_list *list, const tg_actor *actor);

/* Takes out the first one, which there is. */
tg_actor tg_actor_list_take(tg_actor_list *list);

/* Takes out number `at`, whose place the last one gets. */
void tg_actor_list_remove(tg_actor_list *list, size_t at);

static inline tg_actor *tg_actor_list_at(const tg_actor_list *list, size_t at)
{
    return &list->all[list->first + at];
}

#endif
