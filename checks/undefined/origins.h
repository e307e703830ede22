/* Trails as text and as places of findings. */
#ifndef TG_CHECKS_UNDEFINED_ORIGINS_H
#define TG_CHECKS_UNDEFINED_ORIGINS_H

#include "checks/undefined/shadow.h"

/* The origin of a trail; the first op after it, where there is one, else the origin. */
uint32_t tg_trail_origin_of(tg_undefined *all, uint32_t trail);
uint32_t tg_trail_first_op(tg_undefined *all, uint32_t trail);

/* A number that is the same in every run for one place of origin. */
uint64_t tg_origin_number(tg_undefined *all, uint32_t trail);

/* "outside of x", "scratch acc, which nobody had written"; returns `out`. */
enum { TG_ORIGIN_TEXT = 200 };
char *tg_origin_print(tg_undefined *all, uint32_t trail, char out[TG_ORIGIN_TEXT]);

/* The name of the param; of scoped memory where that is UINT32_MAX. */
const char *tg_memory_name(const tg_undefined *all, uint32_t param);

/* Adds the places of the trail, from what came last to the origin. */
void tg_trail_relate(tg_undefined *all, uint32_t trail, tg_found *found);

#endif
