/* The words of the places of a memory, and of elements that span several places. */
#ifndef TG_CHECKS_UNDEFINED_PLACES_H
#define TG_CHECKS_UNDEFINED_PLACES_H

#include "checks/undefined/shadow.h"

/* Return the memory that is accessed. */
tg_memory_shadow tg_memory_of(const tg_machine *m, const tg_access_plan *a);
tg_memory_shadow tg_memory_of_ref(const tg_machine *m, tg_ref_id ref, uint32_t root);

/* Get and set the word of the element whose bytes begin at place `at`. */
uint32_t tg_memory_get(const tg_memory_shadow *memory, int64_t at, tg_dtype dtype);
void tg_memory_set(const tg_memory_shadow *memory, int64_t at, tg_dtype dtype, uint32_t word);

/* Get, set and clear the words of `count` elements, `stride` apart.  The first one is element
 * `first` of the memory as an array of `dtype`. */
void tg_memory_get_row(const tg_memory_shadow *memory, tg_dtype dtype, int64_t first,
                       int64_t stride, int64_t count, uint32_t *words);
void tg_memory_set_row(const tg_memory_shadow *memory, tg_dtype dtype, int64_t first,
                       int64_t stride, int64_t count, const uint32_t *words);
void tg_memory_define(const tg_memory_shadow *memory, tg_dtype dtype, int64_t first, int64_t stride,
                      int64_t count);

/* The same for all places of a box. */
bool tg_memory_box_is_defined(const tg_memory_shadow *memory, const tg_plane_box *places);
void tg_memory_define_box(const tg_memory_shadow *memory, const tg_plane_box *places);

void tg_planes_lock(const tg_machine *m, const tg_memory_shadow *memory);
void tg_planes_unlock(const tg_machine *m, const tg_memory_shadow *memory);

#endif
