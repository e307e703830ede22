#include "checks/races/scratch.h"

#include <stdlib.h>

#include "base/list.h"

/* Successive chains use the same memory, and the same access sets: the accesses of an earlier chain
 * have ended (relate, in races.c). */
static tg_race_memory *add(tg_races *races, const tg_access_event *event)
{
    const tg_race_memory *kind = &races->memories[event->param];
    tg_race_memory *list =
        tg_list_grow(races->scratch, races->scratch_count, &races->scratch_room, sizeof *list);
    if (!list) return NULL;
    races->scratch = list;
    tg_race_memory *memory = &list[races->scratch_count];
    *memory = *kind;
    const tg_param *param = &races->plan->kernel->params[event->param];
    if (!tg_plane_init(&memory->plane, memory->count, tg_plane_run_of(param, memory->width), 0))
        return NULL;
    if (!tg_number_map_put(&races->scratch_numbers, (uintptr_t)event->data,
                           (uint32_t)races->scratch_count)) {
        tg_plane_free(&memory->plane);
        return NULL;
    }
    races->scratch_count++;
    return memory;
}

tg_race_memory *tg_race_scratch_of(tg_races *races, const tg_access_event *event)
{
    const uint32_t number = tg_number_map_get(&races->scratch_numbers, (uintptr_t)event->data);
    if (number != UINT32_MAX) return &races->scratch[number];
    tg_race_memory *memory = add(races, event);
    if (!memory) races->is_incomplete = true;
    return memory;
}

/* ---- conflicts ---- */

typedef struct run {
    int64_t first, count;
    uint32_t set;
} run;

typedef struct runs {
    const tg_races *races;
    run *list;
    size_t count, room;
    bool lacks_memory;
} runs;

static void note(void *context, uint32_t set, int64_t first, int64_t count)
{
    runs *all = context;
    if (all->races->sets.list[set].conflict_count == 0) return;
    run *list = tg_list_grow(all->list, all->count, &all->room, sizeof *list);
    if (!list) {
        all->lacks_memory = true;
        return;
    }
    all->list = list;
    list[all->count++] = (run){first, count, set};
}

static int by_first(const void *a, const void *b)
{
    const run *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->set < y->set ? -1 : x->set > y->set;
}

bool tg_race_scratch_visit(const tg_races *races, uint32_t param,
                           void (*visit)(void *context, uint32_t set, int64_t first, int64_t count),
                           void *context)
{
    runs all = {.races = races};
    for (size_t i = 0; i < races->scratch_count; i++)
        if (races->scratch[i].same_as == param)
            tg_plane_visit(&races->scratch[i].plane, 0, races->scratch[i].count, note, &all);
    if (all.count) qsort(all.list, all.count, sizeof *all.list, by_first);
    for (size_t i = 0; i < all.count; i++)
        visit(context, all.list[i].set, all.list[i].first, all.list[i].count);
    free(all.list);
    return !all.lacks_memory;
}

void tg_race_scratch_free(tg_races *races)
{
    for (size_t i = 0; i < races->scratch_count; i++) tg_plane_free(&races->scratch[i].plane);
    free(races->scratch);
    tg_number_map_free(&races->scratch_numbers);
    races->scratch = NULL;
    races->scratch_count = races->scratch_room = 0;
}
