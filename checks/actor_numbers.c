#include "checks/actor_numbers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void tg_actor_numbers_free(tg_actor_numbers *numbers)
{
    free(numbers->list);
    *numbers = (tg_actor_numbers){0};
}

/* Makes room for place `at`.  Returns false if memory runs out. */
static bool reach(tg_actor_numbers *numbers, size_t at)
{
    size_t room = numbers->room ? numbers->room : 64;
    if (at < numbers->room) return true;
    while (room <= at) room *= 2;
    uint32_t *list = calloc(room, sizeof *list);
    if (!list) return false;
    if (numbers->list) memcpy(list, numbers->list, numbers->room * sizeof *list);
    free(numbers->list);
    numbers->list = list;
    numbers->room = room;
    return true;
}

bool tg_actor_numbers_put(tg_actor_numbers *numbers, int64_t actor, uint32_t number)
{
    assert(actor >= 0);
    const size_t at = tg_actor_numbers_place(numbers, actor);
    if (!reach(numbers, at)) return false;
    numbers->list[at] = number + 1;
    return true;
}
