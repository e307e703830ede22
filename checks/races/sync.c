#include "checks/races/sync.h"

#include <stdlib.h>

#include "base/list.h"

void tg_sync_free(tg_sync *sync)
{
    for (uint32_t c = 0; c < sync->chain_count; c++) free(sync->chains[c].list);
    for (uint32_t p = 0; p < sync->place_count; p++) free(sync->places[p].list);
    free(sync->chains);
    free(sync->places);
    free(sync->stack);
    tg_number_map_free(&sync->chain_numbers);
    tg_number_map_free(&sync->place_numbers);
    tg_number_map_free(&sync->last);
    *sync = (tg_sync){0};
}

/* ---- lists that grow ---- */

/* Room for one more in a list of `count` elements; false without memory. */
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

/* The number of a chain; UINT32_MAX without memory. */
static uint32_t chain_number(tg_sync *s, int64_t chain)
{
    uint32_t number = tg_number_map_get(&s->chain_numbers, (uint64_t)chain);
    if (number != UINT32_MAX) return number;
    void *list = s->chains;
    const bool fits = make_room(&list, s->chain_count, &s->chain_room, sizeof *s->chains);
    s->chains = list;
    if (!fits || !tg_number_map_put(&s->chain_numbers, (uint64_t)chain, s->chain_count)) {
        s->is_incomplete = true;
        return UINT32_MAX;
    }
    s->chains[s->chain_count] = (tg_sync_chain){0};
    return s->chain_count++;
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

/* ---- atomics ---- */

uint32_t tg_sync_epoch(tg_sync *s, int64_t chain)
{
    const uint32_t number = chain_number(s, chain);
    return number == UINT32_MAX ? 0 : s->chains[number].epoch;
}

/* A chain takes on what was handed on up to the last release by another one.  If that is known
 * already, as when it alone spins, nothing is kept. */
static void acquire(tg_sync *s, uint32_t number, uint32_t place)
{
    tg_sync_chain *chain = &s->chains[number];
    const tg_sync_place *p = &s->places[place];
    const struct tg_sync_acquired *last = chain->count ? &chain->list[chain->count - 1] : NULL;
    const uint32_t known = last && last->place == place ? last->version : 0;
    uint32_t version = p->count;
    while (version > known && p->list[version - 1].chain == number) version--;
    if (version <= known) return;
    void *list = chain->list;
    const bool fits = make_room(&list, chain->count, &chain->room, sizeof *chain->list);
    chain->list = list;
    if (!fits) {
        s->is_incomplete = true;
        return;
    }
    chain->list[chain->count++] = (struct tg_sync_acquired){place, version, chain->epoch};
}

static uint64_t key_of(uint32_t place, uint32_t chain) { return (uint64_t)place << 32 | chain; }

static void release(tg_sync *s, uint32_t chain, uint32_t place)
{
    tg_sync_place *p = &s->places[place];
    const uint32_t epoch = s->chains[chain].epoch;
    /* Nobody has taken on its last one yet: whoever did would have handed on something since. */
    if (p->count && p->list[p->count - 1].chain == chain) {
        p->list[p->count - 1].epoch = epoch;
        return;
    }
    const uint32_t before = tg_number_map_get(&s->last, key_of(place, chain));
    void *list = p->list;
    const bool fits = make_room(&list, p->count, &p->room, sizeof *p->list);
    p->list = list;
    if (!fits || !tg_number_map_put(&s->last, key_of(place, chain), p->count)) {
        s->is_incomplete = true;
        return;
    }
    p->list[p->count++] = (struct tg_sync_release){chain, epoch, before};
}

void tg_sync_atomic(tg_sync *s, uint64_t where, int64_t who, bool acquires)
{
    const uint32_t chain = chain_number(s, who), place = place_number(s, where);
    if (chain == UINT32_MAX || place == UINT32_MAX) return;
    if (acquires) acquire(s, chain, place);
    release(s, chain, place);
    s->chains[chain].epoch++;
}

/* ---- knowledge ---- */

/* Whether one of the first `version` releases at a place is by the chain, in that epoch or
 * later. */
static bool has_release(const tg_sync *s, uint32_t place, uint32_t version, uint32_t chain,
                        uint32_t epoch)
{
    const tg_sync_place *p = &s->places[place];
    uint32_t last = tg_number_map_get(&s->last, key_of(place, chain));
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

/* The first `version` releases at a place; true if they have the one that is looked for.  Those
 * that were looked at before do not. */
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

/* What a chain had acquired by the end of an epoch, the newest first, which is the likeliest, and
 * has what is older at its place. */
static bool push_acquired(tg_sync *s, uint32_t chain, uint32_t until, uint32_t other,
                          uint32_t epoch)
{
    tg_sync_chain *c = &s->chains[chain];
    if (c->search == s->searches && until <= c->until) return false;
    c->search = s->searches;
    c->until = until;
    uint32_t i = c->count;
    while (i && c->list[i - 1].epoch > until) i--;
    while (i-- > 0)
        if (push_place(s, c->list[i].place, c->list[i].version, other, epoch)) return true;
    return false;
}

/* A search through what the chain has acquired, then through what had been acquired by those who
 * handed that on, and so on; each release is looked at once. */
bool tg_sync_knows(tg_sync *s, int64_t who, int64_t whom, uint32_t epoch)
{
    const uint32_t chain = tg_number_map_get(&s->chain_numbers, (uint64_t)who),
                   other = tg_number_map_get(&s->chain_numbers, (uint64_t)whom);
    if (chain == UINT32_MAX || other == UINT32_MAX) return false;
    s->stack_count = 0;
    s->searches++;
    bool found = push_acquired(s, chain, UINT32_MAX, other, epoch);
    while (!found && s->stack_count) {
        const struct tg_sync_known known = s->stack[--s->stack_count];
        const tg_sync_place *p = &s->places[known.place];
        for (uint32_t i = known.version; i-- > known.from && !found;)
            found = push_acquired(s, p->list[i].chain, p->list[i].epoch, other, epoch);
    }
    return found;
}
