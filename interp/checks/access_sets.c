#include "interp/checks/access_sets.h"

#include <stdlib.h>
#include <string.h>

#include "interp/checks/plane.h"

/* ---- memory ---- */

enum { BLOCK_SITES = 4096 };

struct tg_set_block {
    struct tg_set_block *next;
    size_t used, room;
    tg_site_accesses sites[];
};

static tg_site_accesses *take_sites(tg_access_sets *sets, size_t count)
{
    struct tg_set_block *block = sets->blocks;
    if (!block || block->room - block->used < count) {
        const size_t room = count > BLOCK_SITES ? count : BLOCK_SITES;
        block = malloc(sizeof *block + room * sizeof *block->sites);
        if (!block) return NULL;
        block->next = sets->blocks;
        block->used = 0;
        block->room = room;
        sets->blocks = block;
    }
    block->used += count;
    return block->sites + block->used - count;
}

static bool grow_list(tg_access_sets *sets)
{
    if (sets->count < sets->room) return true;
    const uint32_t room = sets->room ? 2 * sets->room : 64;
    if (room > TG_PLANE_LIMIT) return false;
    tg_access_set *list = realloc(sets->list, room * sizeof *list);
    if (!list) return false;
    sets->list = list;
    sets->room = room;
    return true;
}

bool tg_access_sets_init(tg_access_sets *sets, uint32_t sites)
{
    *sets = (tg_access_sets){.site_room = sites, .table_size = 256};
    sets->scratch = calloc(sites + 1, sizeof *sets->scratch);
    sets->table = calloc(sets->table_size, sizeof *sets->table);
    if (!sets->scratch || !sets->table || !grow_list(sets)) return false;
    sets->list[sets->count++] = (tg_access_set){0};
    return true;
}

void tg_access_sets_free(tg_access_sets *sets)
{
    for (struct tg_set_block *block = sets->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(sets->list);
    free(sets->table);
    free(sets->scratch);
    *sets = (tg_access_sets){0};
}

/* ---- finding a set by what is in it ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_of(const tg_access_set *set)
{
    uint64_t hash = set->differs;
    for (uint32_t i = 0; i < set->site_count; i++) {
        const tg_site_accesses *s = &set->sites[i];
        hash = mix(hash, s->site);
        for (uint32_t a = 0; a < s->actor_count; a++)
            hash = mix(mix(hash, (uint64_t)s->actors[a].chain), (uint64_t)s->actors[a].program);
    }
    return mix(hash, set->site_count);
}

static bool same_actors(const tg_site_accesses *a, const tg_site_accesses *b)
{
    if (a->site != b->site || a->actor_count != b->actor_count) return false;
    for (uint32_t i = 0; i < a->actor_count; i++)
        if (a->actors[i].chain != b->actors[i].chain ||
            a->actors[i].program != b->actors[i].program)
            return false;
    return true;
}

static bool same(const tg_access_set *a, const tg_access_set *b)
{
    if (a->site_count != b->site_count || a->differs != b->differs) return false;
    for (uint32_t i = 0; i < a->site_count; i++)
        if (!same_actors(&a->sites[i], &b->sites[i])) return false;
    return true;
}

/* The slot of the table that has the set, or the empty one where it belongs. */
static uint32_t *slot_of(const tg_access_sets *sets, const tg_access_set *set)
{
    uint64_t at = hash_of(set);
    for (;; at++) {
        uint32_t *slot = &sets->table[at & (sets->table_size - 1)];
        if (!*slot || same(&sets->list[*slot], set)) return slot;
    }
}

static bool grow_table(tg_access_sets *sets)
{
    if (sets->count < sets->table_size / 2) return true;
    uint32_t *table = calloc(2 * (size_t)sets->table_size, sizeof *table);
    if (!table) return false;
    free(sets->table);
    sets->table = table;
    sets->table_size *= 2;
    for (uint32_t i = 1; i < sets->count; i++) *slot_of(sets, &sets->list[i]) = i;
    return true;
}

static uint32_t lose(tg_access_sets *sets, uint32_t set)
{
    sets->is_incomplete = true;
    return set;
}

/* The number of a set whose sites lie in scratch; `old` where there is no memory for it. */
static uint32_t number_of(tg_access_sets *sets, tg_access_set set, uint32_t old)
{
    uint32_t *slot = slot_of(sets, &set);
    if (*slot) return *slot;
    if (!grow_table(sets) || !grow_list(sets)) return lose(sets, old);
    tg_site_accesses *own = take_sites(sets, set.site_count);
    if (!own) return lose(sets, old);
    memcpy(own, set.sites, set.site_count * sizeof *own);
    set.sites = own;
    *slot_of(sets, &set) = sets->count;
    sets->list[sets->count] = set;
    return sets->count++;
}

/* ---- what sets become ---- */

/* Adds an actor to the two of least chains; false where nothing changes. */
static bool add_actor(tg_site_accesses *s, tg_actor actor)
{
    for (uint32_t i = 0; i < s->actor_count; i++) {
        if (s->actors[i].chain != actor.chain) continue;
        if (s->actors[i].program <= actor.program) return false;
        s->actors[i].program = actor.program;
        return true;
    }
    if (s->actor_count == 2 && actor.chain > s->actors[1].chain) return false;
    const bool is_first = actor.chain < s->actors[0].chain;
    if (is_first) s->actors[1] = s->actors[0];
    s->actors[is_first ? 0 : 1] = actor;
    s->actor_count = 2;
    return true;
}

uint32_t tg_access_sets_add(tg_access_sets *sets, uint32_t number, uint32_t site, tg_actor actor)
{
    const tg_access_set old = sets->list[number];
    tg_access_set set = {
        .site_count = old.site_count, .differs = old.differs, .sites = sets->scratch};
    uint32_t at = 0;
    while (at < old.site_count && old.sites[at].site < site) at++;
    const bool is_known = at < old.site_count && old.sites[at].site == site;
    if (is_known) {
        tg_site_accesses changed = old.sites[at];
        if (!add_actor(&changed, actor)) return number;
        memcpy(set.sites, old.sites, old.site_count * sizeof *set.sites);
        set.sites[at] = changed;
        return number_of(sets, set, number);
    }
    if (at) memcpy(set.sites, old.sites, at * sizeof *set.sites);
    set.sites[at] = (tg_site_accesses){.site = site, .actor_count = 1, .actors = {actor}};
    if (at < old.site_count)
        memcpy(set.sites + at + 1, old.sites + at, (old.site_count - at) * sizeof *set.sites);
    set.site_count++;
    return number_of(sets, set, number);
}

uint32_t tg_access_sets_differ(tg_access_sets *sets, uint32_t number)
{
    tg_access_set set = sets->list[number];
    if (set.differs) return number;
    set.differs = true;
    return number_of(sets, set, number);
}
