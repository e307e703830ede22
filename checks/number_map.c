#include "checks/number_map.h"

#include <stdlib.h>

void tg_number_map_free(tg_number_map *map)
{
    free(map->pairs);
    *map = (tg_number_map){0};
}

/* Returns the pair with that key, or the empty pair where it belongs. */
static struct tg_number_pair *pair_of(const tg_number_map *map, uint64_t key)
{
    for (uint64_t at = tg_hash_mix(0, key);; at++) {
        struct tg_number_pair *pair = &map->pairs[at & (map->room - 1)];
        if (!pair->value || pair->key == key) return pair;
    }
}

uint32_t tg_number_map_get(const tg_number_map *map, uint64_t key)
{
    return map->count ? pair_of(map, key)->value - 1 : UINT32_MAX;
}

static bool grow(tg_number_map *map)
{
    tg_number_map larger = {.room = map->room ? 2 * map->room : 64};
    larger.pairs = calloc(larger.room, sizeof *larger.pairs);
    if (!larger.pairs) return false;
    for (size_t i = 0; i < map->room; i++)
        if (map->pairs[i].value) *pair_of(&larger, map->pairs[i].key) = map->pairs[i];
    larger.count = map->count;
    free(map->pairs);
    *map = larger;
    return true;
}

bool tg_number_map_put(tg_number_map *map, uint64_t key, uint32_t value)
{
    if (2 * map->count >= map->room && !grow(map)) return false;
    struct tg_number_pair *pair = pair_of(map, key);
    map->count += !pair->value;
    *pair = (struct tg_number_pair){key, value + 1};
    return true;
}
