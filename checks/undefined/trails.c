#include "checks/undefined/trails.h"

#include <stdlib.h>
#include <string.h>

/* Trails of single programs and steps may be very many; beyond this number no more are added. */
enum { MOST_DETAILED = 1 << 20 };

typedef struct tg_trail_entry {
    tg_trail key;
    uint32_t number; /* 0: a free entry */
} entry;

/* ---- the table ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const tg_trail *key)
{
    uint64_t hash = mix((uint64_t)key->kind, (uint64_t)(uintptr_t)key->inst);
    hash = mix(hash, (uint64_t)key->param << 32 | key->op_number);
    return mix(mix(hash, key->before), (uint64_t)key->program_index);
}

static bool is_same(const tg_trail *a, const tg_trail *b)
{
    return a->kind == b->kind && a->param == b->param && a->op_number == b->op_number &&
           a->before == b->before && a->inst == b->inst && a->program_index == b->program_index;
}

/* Returns the entry of the key, or the free entry where it belongs. */
static entry *entry_of(const tg_trails *trails, const tg_trail *key)
{
    uint32_t at = (uint32_t)hash_of(key) & (trails->entry_room - 1);
    while (trails->entries[at].number && !is_same(&trails->entries[at].key, key))
        at = (at + 1) & (trails->entry_room - 1);
    return &trails->entries[at];
}

static bool grow_entries(tg_trails *trails)
{
    tg_trails larger = {.entry_room = trails->entry_room ? 2 * trails->entry_room : 256};
    larger.entries = calloc(larger.entry_room, sizeof *larger.entries);
    if (!larger.entries) return false;
    for (uint32_t i = 0; i < trails->entry_room; i++)
        if (trails->entries[i].number)
            *entry_of(&larger, &trails->entries[i].key) = trails->entries[i];
    free(trails->entries);
    trails->entries = larger.entries;
    trails->entry_room = larger.entry_room;
    return true;
}

static bool grow_list(tg_trails *trails)
{
    const uint32_t room = trails->room ? 2 * trails->room : 64;
    tg_trail *list = realloc(trails->list, room * sizeof *list);
    if (!list) return false;
    trails->list = list;
    trails->room = room;
    return true;
}

/* Makes room for one more entry and one more trail. */
static bool make_room(tg_trails *trails)
{
    if (2 * (trails->entry_count + 1) > trails->entry_room && !grow_entries(trails)) return false;
    return trails->count < trails->room || grow_list(trails);
}

static uint32_t append(tg_trails *trails, const tg_trail *trail)
{
    trails->list[trails->count] = *trail;
    return trails->count++;
}

/* Returns whether the trail already contains the op of `key`. */
static bool contains(const tg_trails *trails, uint32_t number, const tg_trail *key)
{
    for (; number; number = trails->list[number].before) {
        const tg_trail *t = &trails->list[number];
        if (!tg_trail_is_origin(t) && t->inst == key->inst && t->op_number == key->op_number)
            return true;
    }
    return false;
}

/* Returns the number of `key`; `instead` if there are already `most` trails, or memory runs out. */
static uint32_t find(tg_trails *trails, const tg_trail *key, uint32_t most, uint32_t instead)
{
    if (trails->entry_room) {
        const entry *known = entry_of(trails, key);
        if (known->number) return known->number;
    }
    if (trails->count >= most) return instead;
    if (!make_room(trails)) {
        trails->is_incomplete = true;
        return instead;
    }
    const bool is_known = key->kind == TG_TRAIL_OP && contains(trails, key->before, key);
    entry *e = entry_of(trails, key);
    *e = (entry){.key = *key, .number = is_known ? key->before : append(trails, key)};
    trails->entry_count++;
    return e->number;
}

static uint32_t ask(tg_trails *trails, const tg_trail *key, uint32_t most, uint32_t instead)
{
    pthread_mutex_lock(&trails->lock);
    const uint32_t number = find(trails, key, most, instead);
    pthread_mutex_unlock(&trails->lock);
    return number;
}

/* ---- finding and adding trails ---- */

uint32_t tg_trails_origin(tg_trails *trails, tg_trail_kind kind, uint32_t param,
                          const tg_inst *inst)
{
    const tg_trail key = {.kind = kind, .param = param, .inst = inst};
    return ask(trails, &key, TG_TRAIL_LIMIT, TG_LOST_TRAIL);
}

uint32_t tg_trails_op(tg_trails *trails, uint32_t before, const tg_inst *inst, uint32_t op_number)
{
    const tg_trail key = {
        .kind = TG_TRAIL_OP, .op_number = op_number, .before = before, .inst = inst};
    return ask(trails, &key, MOST_DETAILED, before);
}

uint32_t tg_trails_kept(tg_trails *trails, uint32_t before, const tg_inst *inst,
                        int64_t program_index)
{
    tg_trail key = {
        .kind = TG_TRAIL_KEPT, .before = before, .inst = inst, .program_index = program_index};
    const uint32_t number = ask(trails, &key, MOST_DETAILED, TG_NO_TRAIL);
    if (number) return number;
    key.program_index = -1;
    return ask(trails, &key, TG_TRAIL_LIMIT, TG_LOST_TRAIL);
}

tg_trail tg_trails_get(tg_trails *trails, uint32_t number)
{
    pthread_mutex_lock(&trails->lock);
    const tg_trail trail = trails->list[number];
    pthread_mutex_unlock(&trails->lock);
    return trail;
}

tg_opcode tg_trail_op(const tg_trail *trail, uint32_t *loc)
{
    const tg_inst *inst = trail->inst;
    if (!inst) return TG_OP_COUNT;
    const bool is_lane = trail->kind == TG_TRAIL_OP && inst->kind == TG_I_GROUP;
    *loc = is_lane ? inst->as.group->ops[trail->op_number].loc : inst->loc;
    return is_lane ? inst->as.group->ops[trail->op_number].op : inst->op;
}

/* ---- setup and cleanup ---- */

/* There is always room for these. */
static void add_fixed(tg_trails *trails)
{
    trails->count = 0;
    append(trails, &(tg_trail){.kind = TG_TRAIL_LOST}); /* TG_NO_TRAIL is none */
    append(trails, &(tg_trail){.kind = TG_TRAIL_LOST, .param = UINT32_MAX});
    append(trails, &(tg_trail){.kind = TG_TRAIL_VALUE, .param = UINT32_MAX});
}

bool tg_trails_init(tg_trails *trails)
{
    *trails = (tg_trails){0};
    if (!grow_list(trails)) return false;
    if (pthread_mutex_init(&trails->lock, NULL) != 0) {
        free(trails->list);
        *trails = (tg_trails){0};
        return false;
    }
    add_fixed(trails);
    return true;
}

void tg_trails_free(tg_trails *trails)
{
    if (!trails->list) return;
    pthread_mutex_destroy(&trails->lock);
    free(trails->list);
    free(trails->entries);
    *trails = (tg_trails){0};
}

void tg_trails_clear(tg_trails *trails)
{
    free(trails->entries);
    trails->entries = NULL;
    trails->entry_count = trails->entry_room = 0;
    trails->is_incomplete = false;
    add_fixed(trails);
}
