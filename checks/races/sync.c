#include "checks/races/sync.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* ---- lists that grow ---- */

/* Most actors and places have one or two of anything. */
enum { FIRST_ROOM = 2 };

static void free_list(void *list, uint32_t room)
{
    if (room > FIRST_ROOM) free(list);
}

/* Returns room for `larger` elements with those of the list, of which there is no room for more; NULL if memory
 * runs out. */
static void *moved(tg_sync *s, void *list, uint32_t room, uint32_t larger, size_t size)
{
    if (room == 0) return tg_arena_take(&s->first, larger, size);
    if (larger < room) return NULL;
    if (room > FIRST_ROOM) return realloc(list, larger * size);
    void *const own = malloc(larger * size);
    return own ? memcpy(own, list, room * size) : NULL;
}

/* Makes room for one more in a list of `count` elements.  Returns false if memory runs out. */
static bool make_room(tg_sync *s, void **list, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room) return true;
    const uint32_t larger = *room ? 2 * *room : FIRST_ROOM;
    void *const next = moved(s, *list, *room, larger, size);
    if (!next) return false;
    *list = next;
    *room = larger;
    return true;
}

void tg_sync_free(tg_sync *sync)
{
    for (uint32_t c = 0; c < sync->actor_count; c++) {
        free_list(sync->actors[c].list, sync->actors[c].room);
        free_list(sync->actors[c].ends, sync->actors[c].ends_room);
    }
    for (uint32_t p = 0; p < sync->place_count; p++)
        free_list(sync->places[p].list, sync->places[p].room);
    free_list(sync->actors, sync->actor_room);
    free_list(sync->places, sync->place_room);
    tg_actor_numbers_free(&sync->actor_numbers);
    tg_actor_numbers_free(&sync->writer_numbers);
    free(sync->queue);
    tg_number_map_free(&sync->place_numbers);
    tg_number_map_free(&sync->last);
    tg_arena_free(&sync->first);
    *sync = (tg_sync){0};
}

/* ---- numbers ---- */

/* Returns the number of an actor; UINT32_MAX if it has none. */
static uint32_t known_number(const tg_sync *s, int64_t actor)
{
    return actor < 0 ? tg_actor_numbers_get(&s->writer_numbers, tg_sync_writer_of(actor))
                     : tg_actor_numbers_get(&s->actor_numbers, actor);
}

static bool set_number(tg_sync *s, int64_t actor, uint32_t number)
{
    return actor < 0 ? tg_actor_numbers_put(&s->writer_numbers, tg_sync_writer_of(actor), number)
                     : tg_actor_numbers_put(&s->actor_numbers, actor, number);
}

/* Returns the number of an actor; UINT32_MAX if memory runs out. */
static uint32_t actor_number(tg_sync *s, int64_t actor)
{
    const uint32_t number = known_number(s, actor);
    if (number != UINT32_MAX) return number;
    void *list = s->actors;
    const bool fits = make_room(s, &list, s->actor_count, &s->actor_room, sizeof *s->actors);
    s->actors = list;
    if (!fits || !set_number(s, actor, s->actor_count)) {
        s->is_incomplete = true;
        return UINT32_MAX;
    }
    s->actors[s->actor_count] = (tg_sync_actor){0};
    return s->actor_count++;
}

/* Returns the number of a new place; UINT32_MAX if memory runs out. */
static uint32_t new_place(tg_sync *s)
{
    void *list = s->places;
    const bool fits = make_room(s, &list, s->place_count, &s->place_room, sizeof *s->places);
    s->places = list;
    if (!fits) {
        s->is_incomplete = true;
        return UINT32_MAX;
    }
    s->places[s->place_count] = (tg_sync_place){0};
    return s->place_count++;
}

static uint32_t place_number(tg_sync *s, uint64_t place)
{
    uint32_t number = tg_number_map_get(&s->place_numbers, place);
    if (number != UINT32_MAX) return number;
    number = new_place(s);
    if (number != UINT32_MAX && !tg_number_map_put(&s->place_numbers, place, number))
        s->is_incomplete = true;
    return number;
}

static uint32_t op_place_number(tg_sync *s, int64_t op, tg_sync_op_place which)
{
    const uint32_t actor = actor_number(s, op);
    if (actor == UINT32_MAX) return UINT32_MAX;
    uint32_t *const own = &s->actors[actor].own[which];
    if (!*own) *own = new_place(s) + 1;
    return *own - 1;
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
    const bool fits = make_room(s, &list, actor->count, &actor->room, sizeof *actor->list);
    actor->list = list;
    if (!fits) {
        s->is_incomplete = true;
        return;
    }
    actor->list[actor->count++] =
        (struct tg_sync_acquired){place, version, actor->epoch, ++s->time};
}

static uint64_t key_of(uint32_t place, uint32_t actor) { return (uint64_t)place << 32 | actor; }

/* Finds release number `number` by its actor from now on.  Returns false if memory runs out. */
static bool enter(tg_sync *s, uint32_t place, uint32_t number)
{
    struct tg_sync_release *release = &s->places[place].list[number];
    const uint64_t key = key_of(place, release->actor);
    release->before = tg_number_map_get(&s->last, key);
    return tg_number_map_put(&s->last, key, number);
}

/* Adds a release.  The one after the first few enters these as well.  Returns false if memory runs out. */
static bool add_release(tg_sync *s, uint32_t place, uint32_t actor, uint32_t epoch)
{
    tg_sync_place *p = &s->places[place];
    void *list = p->list;
    bool fits = make_room(s, &list, p->count, &p->room, sizeof *p->list);
    p->list = list;
    if (!fits) return false;
    const uint32_t number = p->count++;
    p->list[number] = (struct tg_sync_release){actor, epoch, UINT32_MAX, ++s->time};
    if (number < TG_SYNC_FEW) return true;
    for (uint32_t i = number == TG_SYNC_FEW ? 0 : number; i <= number; i++)
        fits = enter(s, place, i) && fits;
    return fits;
}

static void release(tg_sync *s, uint32_t actor, uint32_t place)
{
    tg_sync_place *p = &s->places[place];
    const uint32_t epoch = s->actors[actor].epoch;
    /* no other actor has acquired its last release yet */
    if (p->count > p->seen && p->list[p->count - 1].actor == actor) {
        p->list[p->count - 1].epoch = epoch;
        p->list[p->count - 1].time = ++s->time;
        return;
    }
    if (!add_release(s, place, actor, epoch)) s->is_incomplete = true;
}

/* Without memory for the time, no epoch ends. */
static void end_epoch(tg_sync *s, tg_sync_actor *actor)
{
    void *list = actor->ends;
    const bool fits = make_room(s, &list, actor->epoch, &actor->ends_room, sizeof *actor->ends);
    actor->ends = list;
    if (fits)
        actor->ends[actor->epoch++] = s->time;
    else
        s->is_incomplete = true;
}

static void acquire_at(tg_sync *s, uint32_t place, int64_t who)
{
    const uint32_t actor = actor_number(s, who);
    if (actor != UINT32_MAX && place != UINT32_MAX) acquire(s, actor, place);
}

static void release_at(tg_sync *s, uint32_t place, int64_t who)
{
    const uint32_t actor = actor_number(s, who);
    if (actor == UINT32_MAX || place == UINT32_MAX) return;
    release(s, actor, place);
    end_epoch(s, &s->actors[actor]);
}

void tg_sync_acquire(tg_sync *s, uint64_t where, int64_t who)
{
    acquire_at(s, place_number(s, where), who);
}

void tg_sync_release(tg_sync *s, uint64_t where, int64_t who)
{
    release_at(s, place_number(s, where), who);
}

/* The place gets a new number: actors that have acquired something there keep the old one. */
void tg_sync_overwrite(tg_sync *s, uint64_t where, int64_t who)
{
    const uint32_t actor = actor_number(s, who), old = place_number(s, where);
    if (actor == UINT32_MAX || old == UINT32_MAX || s->places[old].count == 0) return;
    const uint32_t fresh = new_place(s);
    if (fresh == UINT32_MAX || !tg_number_map_put(&s->place_numbers, where, fresh)) {
        s->is_incomplete = true;
        return;
    }
    uint32_t own = s->places[old].count;
    while (own > 0 && s->places[old].list[own - 1].actor != actor) own--;
    if (own && !add_release(s, fresh, actor, s->places[old].list[own - 1].epoch))
        s->is_incomplete = true;
}

void tg_sync_acquire_op(tg_sync *s, int64_t op, tg_sync_op_place which, int64_t who)
{
    acquire_at(s, op_place_number(s, op, which), who);
}

void tg_sync_release_op(tg_sync *s, int64_t op, tg_sync_op_place which, int64_t who)
{
    release_at(s, op_place_number(s, op, which), who);
}

/* ---- searches ---- */

/* What a search looks for: a release by the actor, in that epoch or later. */
typedef struct wanted {
    uint32_t actor, epoch;
    uint64_t time; /* of the end of that epoch: nothing earlier can lead to the release */
} wanted;

/* Returns whether one of the first `version` releases at a place is wanted. */
static bool has_release(const tg_sync *s, uint32_t place, uint32_t version, const wanted *w)
{
    const tg_sync_place *p = &s->places[place];
    if (p->count <= TG_SYNC_FEW) {
        while (version > 0 && p->list[version - 1].actor != w->actor) version--;
        return version > 0 && p->list[version - 1].epoch >= w->epoch;
    }
    uint32_t last = tg_number_map_get(&s->last, key_of(place, w->actor));
    while (last != UINT32_MAX && last >= version) last = p->list[last].before;
    return last != UINT32_MAX && p->list[last].epoch >= w->epoch;
}

static void push(tg_sync *s, uint32_t place, uint32_t from, uint32_t version)
{
    struct tg_sync_known *queue =
        tg_list_grow(s->queue, s->queue_count, &s->queue_room, sizeof *queue);
    if (!queue) {
        s->is_incomplete = true;
        return;
    }
    s->queue = queue;
    s->queue[s->queue_count++] = (struct tg_sync_known){place, from, version};
}

/* Pushes the first `version` releases at a place, or returns true if the release that is wanted is
 * among them.  Releases that were visited before are not searched again. */
static bool push_place(tg_sync *s, uint32_t place, uint32_t version, const wanted *w)
{
    tg_sync_place *p = &s->places[place];
    const uint32_t from = p->search == s->searches ? p->known : 0;
    if (version <= from) return false;
    if (has_release(s, place, version, w)) return true;
    push(s, place, from, version);
    p->search = s->searches;
    p->known = version;
    return false;
}

/* Pushes what an actor had acquired by the end of an epoch.  Starts with the newest, which is the
 * most likely to lead to the release; a newer entry of a place includes its older ones. */
static bool push_acquired(tg_sync *s, uint32_t actor, uint32_t until, const wanted *w)
{
    tg_sync_actor *c = &s->actors[actor];
    if (c->search == s->searches && until <= c->until) return false;
    c->search = s->searches;
    c->until = until;
    uint32_t i = c->count;
    while (i && c->list[i - 1].epoch > until) i--;
    while (i-- > 0 && c->list[i].time > w->time)
        if (push_place(s, c->list[i].place, c->list[i].version, w)) return true;
    return false;
}

/* Pushes what the actors of some releases had acquired. */
static bool push_releases(tg_sync *s, struct tg_sync_known known, const wanted *w)
{
    const tg_sync_place *p = &s->places[known.place];
    for (uint32_t i = known.version; i-- > known.from && p->list[i].time > w->time;)
        if (push_acquired(s, p->list[i].actor, p->list[i].epoch, w)) return true;
    return false;
}

/* Searches what the actor has acquired, then what the actors that released it had acquired, and so
 * on.  Visits each release once. */
bool tg_sync_knows(tg_sync *s, int64_t who, int64_t whom, uint32_t epoch)
{
    const uint32_t actor = known_number(s, who), other = known_number(s, whom);
    if (actor == UINT32_MAX || other == UINT32_MAX) return false;
    if (epoch >= s->actors[other].epoch) return false;
    const wanted w = {other, epoch, s->actors[other].ends[epoch]};
    s->queue_count = 0;
    s->searches++;
    bool is_found = push_acquired(s, actor, UINT32_MAX, &w);
    for (size_t i = 0; i < s->queue_count && !is_found; i++)
        is_found = push_releases(s, s->queue[i], &w);
    return is_found;
}
