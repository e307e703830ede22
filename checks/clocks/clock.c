#include "checks/clocks/clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void tg_clock_free(tg_clock *clock)
{
    free(clock->list);
    *clock = (tg_clock){0};
}

void tg_clock_clear(tg_clock *clock) { clock->count = 0; }

/* Returns the place of the first entry whose actor is not less. */
static size_t place_of(const tg_clock *clock, int64_t actor)
{
    size_t low = 0, high = clock->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (clock->list[middle].actor < actor)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t tg_clock_of(const tg_clock *clock, int64_t actor)
{
    const size_t at = place_of(clock, actor);
    return at < clock->count && clock->list[at].actor == actor ? clock->list[at].time : 0;
}

bool tg_clock_note(tg_clock *clock, int64_t actor, uint32_t time)
{
    const size_t at = place_of(clock, actor);
    if (at < clock->count && clock->list[at].actor == actor) {
        if (clock->list[at].time < time) clock->list[at].time = time;
        return true;
    }
    struct tg_clock_entry *list =
        tg_list_grow(clock->list, clock->count, &clock->room, sizeof *list);
    if (!list) return false;
    clock->list = list;
    memmove(&list[at + 1], &list[at], (clock->count - at) * sizeof *list);
    list[at] = (struct tg_clock_entry){actor, time};
    clock->count++;
    return true;
}

/* Joins the entries that both lists begin with alike, as mostly all are; returns how many these are. */
static size_t join_alike(tg_clock *clock, const tg_clock *from)
{
    const size_t most = from->count < clock->count ? from->count : clock->count;
    size_t at = 0;
    for (; at < most && clock->list[at].actor == from->list[at].actor; at++) {
        const uint32_t known = clock->list[at].time, time = from->list[at].time;
        clock->list[at].time = known < time ? time : known;
    }
    return at;
}

/* Both lists are by actor. */
bool tg_clock_join(tg_clock *clock, const tg_clock *from)
{
    bool is_whole = true;
    size_t at = join_alike(clock, from);
    for (size_t i = at; i < from->count; i++) {
        const struct tg_clock_entry entry = from->list[i];
        while (at < clock->count && clock->list[at].actor < entry.actor) at++;
        if (at == clock->count || clock->list[at].actor != entry.actor)
            is_whole = tg_clock_note(clock, entry.actor, entry.time) && is_whole;
        else if (clock->list[at].time < entry.time)
            clock->list[at].time = entry.time;
    }
    return is_whole;
}
