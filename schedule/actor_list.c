#include "schedule/actor_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void tg_actor_list_free(tg_actor_list *list)
{
    free(list->all);
    *list = (tg_actor_list){0};
}

tg_actor *tg_actor_list_add(tg_actor_list *list, const tg_actor *actor)
{
    if (list->first && list->first + list->count == list->room) {
        memmove(list->all, list->all + list->first, list->count * sizeof *list->all);
        list->first = 0;
    }
    tg_actor *grown =
        tg_list_grow(list->all, list->first + list->count, &list->room, sizeof *grown);
    if (!grown) return NULL;
    list->all = grown;
    tg_actor *at = &grown[list->first + list->count++];
    *at = *actor;
    return at;
}

tg_actor tg_actor_list_take(tg_actor_list *list)
{
    list->count--;
    return list->all[list->first++];
}

void tg_actor_list_remove(tg_actor_list *list, size_t at)
{
    list->count--;
    if (at != list->count) *tg_actor_list_at(list, at) = *tg_actor_list_at(list, list->count);
}
