#include "checks/races/sync.h"

#include <stdlib.h>

#include "base/list.h"

void tg_sync_free(tg_sync *sync)
{
    for (uint32_t c = 0; c < sync->actor_count; c++) free(sync->actors[c].list);
    for (uint32_t p = 0; p < sync->place_count; p++) free(sync->places[p].list);
    free(sync->actors);
    free(sync->places);
    free(sync->stack);
    tg_number_map_free(&sync->actor_numbers);
    tg_number_map_free(&sync->place_numbers);
    tg_number_map_free(&sync->last);
    *sync = (tg_sync){0};
}

/* ---- lists that grow ---- */

/* Makes room for one more in a list of `count` elements.  Returns false if memory runs out. */
static bool make_room(void **list, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room) return true;
    const uint32_t larger = *room ? 2 * *room : 8;
    void *moved = larger > *room ? realloc(*list, larger * size) : NULL;
    if (!moved) return false;
    *list = moved;
    *room = larger;
    return true;
}

/* Returns the number of an actor; UINT32_MAX if memory runs out. */
static uint32_t actor_number(tg_sync *s, int64_t actor)
{
    uint32_t number = tg_number_map_get(&s->actor_numbers, (uint64_t)actor);
    if (number != UINT32_MAX) return number;
    void *list = s->actors;
    const bool fits = make_room(&list, s->actor_count, &s->actor_room, sizeof *s->actors);
    s->actors = list;
    if (!fits || !tg_number_map_put(&s->actor_numbers, (uint64_t)actor, s->actor_count)) {
        s->is_incomplete = true;
        return UINT32_MAX;
    }
    s->actors[s->actor_count] = (tg_sync_actor){0};
    return s->actor_count++;
}

static uint32_t place_number(tg_sync *s, uint64_t place)
{
    uint32_t number = tg_number_map_get(&s->place_numbers, place);
    if (number != UINT32_MAX) return number;
    void *list = s->places;
    const bool fits = make_room(&list, s->place_count, &s->place_room, sizeof *s->places);
    s->places = list;
    if (!fits || !tg_number_map_put(&s->place_numbers, place, s->place_count)) {
        s->is_incomplete = true;
        return UINT32_MAX;
    }
    s->places[s->place_count] = (tg_sync_place){0};
    return s->place_count++;
}

/* ---- release and acquire ---- */

uint32_t tg_sync_epoch(tg_sync *s, int64_t actor)
{
    const uint32_t number = actor_number(s, actor);
    return number == UINT32_MAX ? 0 : s->actors[number].epoch;
}

/* An actor acquires everything up to the last release by another actor.  If it has acquired that
 * already, as when it spins alone, nothing is stored. */
static void acquire(tg_sync *s, uint32_t number, uint32_t place)
{
    tg_sync_actor *actor = &s->actors[number];
    tg_sync_place *p = &s->places[place];
    const struct tg_sync_acquired *last = actor->count ? &actor->list[actor->count - 1] : NULL;
    const uint32_t known = last && last->place == place ? last->version : 0;
    uint32_t version = p->count;
    while (version > known && p->list[version - 1].actor == number) version--;
    if (version > p->seen) p->seen = version;
    if (version <= known) return;
    void *list = actor->list;
    const bool fits = make_room(&list, actor->count, &actor->room, sizeof *actor->list);
    actor->list = list;
    if (!fits) {
        s->is_incomplete = true;
        return;
    }
    actor->list[actor->count++] = (struct tg_sync_acquired){place, version, actor->epoch};
}

static uint64_t key_of(uint32_t place, uint32_t actor) { return (uint64_t)place << 32 | actor; }

static void release(tg_sync *s, uint32_t actor, uint32_t place)
{
    tg_sync_place *p = &s->places[place];
    const uint32_t epoch = s->actors[actor].epoch;
    /* no other actor has acquired its last release yet */
    if (p->count > p->seen && p->list[p->count - 1].actor == actor) {
        p->list[p->count - 1].epoch = epoch;
        return;
    }
    const uint32_t before = tg_number_map_get(&s->last, key_of(place, actor));
    void *list = p->list;
    const bool fits = make_room(&list, p->count, &p->room, sizeof *p->list);
    p->list = list;
    if (!fits || !tg_number_map_put(&s->last, key_of(place, actor), p->count)) {
        s->is_incomplete = true;
        return;
    }
    p->list[p->count++] = (struct tg_sync_release){actor, epoch, before};
}

void tg_sync_acquire(tg_sync *s, uint64_t where, int64_t who)
{
    const uint32_t actor = actor_number(s, who), place = place_number(s, where);
    if (actor != UINT32_MAX && place != UINT32_MAX) acquire(s, actor, place);
}

void tg_sync_release(tg_sync *s, uint64_t where, int64_t who)
{
    const uint32_t actor = actor_number(s, who), place = place_number(s, where);
    if (actor == UINT32_MAX || place == UINT32_MAX) return;
    release(s, actor, place);
    s->actors[actor].epoch++;
}

/* ---- searches ---- */

/* Returns whether one of the first `version` releases at a place is by the actor, in that epoch or
 * later. */
static bool has_release(const tg_sync *s, uint32_t place, uint32_t version, uint32_t actor,
                        uint32_t epoch)
{
    const tg_sync_place *p = &s->places[place];
    uint32_t last = tg_number_map_get(&s->last, key_of(place, actor));
    while (last != UINT32_MAX && last >= version) last = p->list[last].before;
    return last != UINT32_MAX && p->list[last].epoch >= epoch;
}

static void push(tg_sync *s, uint32_t place, uint32_t from, uint32_t version)
{
    struct tg_sync_known *stack =
        tg_list_grow(s->stack, s->stack_count, &s->stack_room, sizeof *stack);
    if (!stack) {
        s->is_incomplete = true;
        return;
    }
    s->stack = stack;
    s->stack[s->stack_count++] = (struct tg_sync_known){place, from, version};
}

/* Pushes the first `version` releases at a place, or returns true if the release we look for is
 * among them.  Releases that were visited before are not searched again. */
static bool push_place(tg_sync *s, uint32_t place, uint32_t version, uint32_t other, uint32_t epoch)
{
    tg_sync_place *p = &s->places[place];
    const uint32_t from = p->search == s->searches ? p->known : 0;
    if (version <= from) return false;
    if (has_release(s, place, version, other, epoch)) return true;
    push(s, place, from, version);
    p->search = s->searches;
    p->known = version;
    return false;
}

/* Pushes what an actor had acquired by the end of an epoch.  Starts with the newest, which is the
 * most likely to lead to the release; a newer entry of a place includes its older ones. */
static bool push_acquired(tg_sync *s, uint32_t actor, uint32_t until, uint32_t other,
                          uint32_t epoch)
{
    tg_sync_actor *c = &s->actors[actor];
    if (c->search == s->searches && until <= c->until) return false;
    c->search = s->searches;
    c->until = until;
    uint32_t i = c->count;
    while (i && c->list[i - 1].epoch > until) i--;
    while (i-- > 0)
        if (push_place(s, c->list[i].place, c->list[i].version, other, epoch)) return true;
    return false;
}

/* Searches what the actor has acquired, then what the actors that released it had acquired, and so
 * on.  Visits each release once. */
bool tg_sync_knows(tg_sync *s, int64_t who, int64_t whom, uint32_t epoch)
{
    const uint32_t actor = tg_number_map_get(&s->actor_numbers, (uint64_t)who),
                   other = tg_number_map_get(&s->actor_numbers, (uint64_t)whom);
    if (actor == UINT32_MAX || other == UINT32_MAX) return false;
    s->stack_count = 0;
    s->searches++;
    bool found = push_acquired(s, actor, UINT32_MAX, other, epoch);
    while (!found && s->stack_count) {
        const struct tg_sync_known known = s->stack[--s->stack_count];
        const tg_sync_place *p = &s->places[known.place];
        for (uint32_t i = known.version; i-- > known.from && !found;)
            found = push_acquired(s, p->list[i].actor, p->list[i].epoch, other, epoch);
    }
    return found;
}
