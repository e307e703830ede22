/* A hash table from numbers to numbers. */
#ifndef TG_CHECKS_NUMBER_MAP_H
#define TG_CHECKS_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
typedef struct tg_number_map {
    struct tg_number_pair {
        uint64_t key;
        uint32_t value; /* the value that was put, plus 1; 0: empty */
    } * pairs;
    size_t count, room; /* room: a power of two */
} tg_number_map;

void tg_number_map_free(tg_number_map *map);

/* Returns UINT32_MAX if the map does not have the key. */
uint32_t tg_number_map_get(const tg_number_map *map, uint64_t key);

/* Sets the value of a key; `value` is less than UINT32_MAX.  Returns false if memory runs out. */
bool tg_number_map_put(tg_number_map *map, uint64_t key, uint32_t value);

/* Mixes a number into a hash. */
static inline uint64_t tg_hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

#endif
