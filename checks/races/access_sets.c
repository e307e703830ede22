#include "checks/races/access_sets.h"

#include <stdlib.h>
#include <string.h>

#include "checks/number_map.h"
#include "checks/plane.h"
#include "base/list.h"

/* ---- memory ---- */

enum { BLOCK_ACCESSES = 4096 };

struct tg_set_block {
    struct tg_set_block *next;
    size_t used, room;
    tg_race_access list[];
};

static tg_race_access *take_memory(tg_access_sets *sets, size_t count)
{
    struct tg_set_block *block = sets->blocks;
    if (!block || block->room - block->used < count) {
        const size_t room = count > BLOCK_ACCESSES ? count : BLOCK_ACCESSES;
        block = malloc(sizeof *block + room * sizeof *block->list);
        if (!block) return NULL;
        block->next = sets->blocks;
        block->used = 0;
        block->room = room;
        sets->blocks = block;
    }
    block->used += count;
    return block->list + block->used - count;
}

static bool grow_list(tg_access_sets *sets)
{
    if (sets->count == TG_PLANE_LIMIT) return false;
    tg_access_set *list = tg_list_grow(sets->list, sets->count, &sets->room, sizeof *list);
    if (list) sets->list = list;
    return list != NULL;
}

static bool grow_scratch(tg_access_sets *sets, uint32_t count)
{
    if (count <= sets->scratch_room) return true;
    tg_race_access *scratch = realloc(sets->scratch, 2 * (size_t)count * sizeof *scratch);
    if (!scratch) return false;
    sets->scratch = scratch;
    sets->scratch_room = 2 * count;
    return true;
}

bool tg_access_sets_init(tg_access_sets *sets, const tg_grid *grid)
{
    *sets = (tg_access_sets){.table_size = 256, .grid = grid};
    sets->table = calloc(sets->table_size, sizeof *sets->table);
    if (!sets->table || !grow_scratch(sets, 16) || !grow_list(sets)) return false;
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

/* ---- the table of sets ---- */

static uint32_t length_of(const tg_access_set *set) { return set->count + 2 * set->conflict_count; }

static uint64_t hash_of(const tg_access_set *set)
{
    uint64_t hash = tg_hash_mix(set->differs, set->count);
    for (uint32_t i = 0; i < length_of(set); i++) {
        const tg_race_access *a = &set->list[i];
        hash = tg_hash_mix(hash, (uint64_t)a->site << 32 | a->epoch);
        hash = tg_hash_mix(tg_hash_mix(hash, (uint64_t)a->actor), (uint64_t)a->program);
    }
    return hash;
}

static bool same_access(const tg_race_access *a, const tg_race_access *b)
{
    return a->site == b->site && a->epoch == b->epoch && a->actor == b->actor &&
           a->program == b->program;
}

static bool same(const tg_access_set *a, const tg_access_set *b)
{
    if (a->count != b->count || a->conflict_count != b->conflict_count || a->differs != b->differs)
        return false;
    for (uint32_t i = 0; i < length_of(a); i++)
        if (!same_access(&a->list[i], &b->list[i])) return false;
    return true;
}

/* Returns the slot of the table with the set, or the empty slot where it belongs. */
static struct tg_set_slot *slot_of(const tg_access_sets *sets, const tg_access_set *set,
                                   uint32_t hash)
{
    for (uint32_t at = hash;; at++) {
        struct tg_set_slot *slot = &sets->table[at & (sets->table_size - 1)];
        if (!slot->set || (slot->hash == hash && same(&sets->list[slot->set], set))) return slot;
    }
}

/* Puts a set that the table lacks into its slot. */
static void put(tg_access_sets *sets, struct tg_set_slot what)
{
    uint32_t at = what.hash;
    while (sets->table[at & (sets->table_size - 1)].set) at++;
    sets->table[at & (sets->table_size - 1)] = what;
}

static bool grow_table(tg_access_sets *sets)
{
    if (sets->count < sets->table_size / 2) return true;
    struct tg_set_slot *const old = sets->table;
    const uint32_t old_size = sets->table_size;
    struct tg_set_slot *table = calloc(2 * (size_t)old_size, sizeof *table);
    if (!table) return false;
    sets->table = table;
    sets->table_size *= 2;
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i].set) put(sets, old[i]);
    free(old);
    return true;
}

static uint32_t lose(tg_access_sets *sets, uint32_t set)
{
    sets->is_incomplete = true;
    return set;
}

/* Returns the number of a set whose accesses are in scratch; `old` if memory runs out. */
static uint32_t number_of(tg_access_sets *sets, tg_access_set set, uint32_t old)
{
    const uint32_t length = length_of(&set), hash = (uint32_t)hash_of(&set);
    const struct tg_set_slot *known = slot_of(sets, &set, hash);
    if (known->set) return known->set;
    if (!grow_table(sets) || !grow_list(sets)) return lose(sets, old);
    tg_race_access *own = take_memory(sets, length);
    if (!own) return lose(sets, old);
    if (length) memcpy(own, set.list, length * sizeof *own);
    set.list = own;
    put(sets, (struct tg_set_slot){sets->count, hash});
    sets->list[sets->count] = set;
    return sets->count++;
}

/* Copies a set to scratch, with room for `more` accesses.  Returns false if memory runs out. */
static bool copy_of(tg_access_sets *sets, uint32_t number, uint32_t more, tg_access_set *copy)
{
    const tg_access_set *set = &sets->list[number];
    if (!grow_scratch(sets, length_of(set) + more)) return false;
    *copy = *set;
    copy->list = sets->scratch;
    if (length_of(set)) memcpy(copy->list, set->list, length_of(set) * sizeof *copy->list);
    return true;
}

/* ---- adding accesses to sets ---- */

static bool precedes(const tg_race_access *a, const tg_race_access *b)
{
    return a->site != b->site ? a->site < b->site : a->actor < b->actor;
}

static void insert(tg_access_set *set, uint32_t at, const tg_race_access *access)
{
    memmove(&set->list[at + 1], &set->list[at], (length_of(set) - at) * sizeof *set->list);
    set->list[at] = *access;
    set->count++;
}

static void take_out(tg_access_set *set, uint32_t at)
{
    memmove(&set->list[at], &set->list[at + 1], (length_of(set) - at - 1) * sizeof *set->list);
    set->count--;
}

/* Returns the axes on which the programs of one site differ once `access` is one of them. */
static uint32_t axes_with(const tg_access_sets *sets, const tg_race_access *known,
                          const tg_race_access *access)
{
    if (!sets->grid) return 0;
    return known->axes | tg_grid_differs(sets->grid, known->program, access->program);
}

uint32_t tg_access_sets_add(tg_access_sets *sets, uint32_t number, const tg_race_access *access)
{
    const tg_access_set *old = &sets->list[number];
    tg_access_set set;
    uint32_t first = 0, at, end;
    while (first < old->count && old->list[first].site < access->site) first++;
    end = first;
    while (end < old->count && old->list[end].site == access->site) end++;
    at = first;
    while (at < end && old->list[at].actor < access->actor) at++;
    const bool is_known = at < end && old->list[at].actor == access->actor;
    const bool is_less = is_known ? access->program < old->list[at].program : at < first + 2;
    const uint32_t before = first < end ? old->list[first].axes : 0,
                   axes = first < end ? axes_with(sets, &old->list[first], access) : 0;
    if (!is_less && axes == before) return number;
    if (!copy_of(sets, number, 1, &set)) return lose(sets, number);
    if (is_less && is_known) {
        set.list[at].program = access->program;
    } else if (is_less) {
        insert(&set, at, access);
        if (end - first == 2)
            take_out(&set, first + 2);
        else
            end++;
    }
    for (uint32_t i = first; i < end; i++) set.list[i].axes = axes;
    return number_of(sets, set, number);
}

uint32_t tg_access_sets_differ(tg_access_sets *sets, uint32_t number)
{
    tg_access_set set;
    if (sets->list[number].differs) return number;
    if (!copy_of(sets, number, 0, &set)) return lose(sets, number);
    set.differs = true;
    return number_of(sets, set, number);
}

/* ---- adding accesses where atomics order programs ---- */

/* Of the conflicts between two ops, keeps the one that was found first. */
static void note_conflict(tg_access_set *set, const tg_race_access *done,
                          const tg_race_access *access)
{
    for (uint32_t i = 0; i < set->conflict_count; i++) {
        const tg_race_access *pair = &set->list[set->count + 2 * i];
        if (pair[0].site == done->site && pair[1].site == access->site) return;
    }
    set->list[length_of(set)] = *done;
    set->list[length_of(set) + 1] = *access;
    set->conflict_count++;
}

/* The limit on unordered accesses of one kind in a set.  After that, a new access replaces the last
 * one. */
enum { MOST_KEPT = 64 };

uint32_t tg_access_sets_add_ordered(tg_access_sets *sets, uint32_t number,
                                    const tg_race_access *access, tg_race_relate *relate,
                                    void *context)
{
    tg_access_set set;
    if (!copy_of(sets, number, 3 + 2 * sets->list[number].count, &set)) return lose(sets, number);
    for (uint32_t i = 0; i < set.count;) {
        const tg_race_access done = set.list[i];
        const tg_race_relation relation = relate(context, access, &done);
        if (relation == TG_RACE_CONFLICT) note_conflict(&set, &done, access);
        if (relation == TG_RACE_REPLACED)
            take_out(&set, i);
        else
            i++;
    }
    uint32_t at = 0;
    while (at < set.count && precedes(&set.list[at], access)) at++;
    if (set.count == MOST_KEPT) take_out(&set, set.count - 1);
    insert(&set, at < set.count ? at : set.count, access);
    return number_of(sets, set, number);
}
