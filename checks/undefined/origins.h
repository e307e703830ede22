/* Trails as text and as source locations of findings. */
#ifndef TG_CHECKS_UNDEFINED_ORIGINS_H
#define TG_CHECKS_UNDEFINED_ORIGINS_H

#include "checks/undefined/shadow.h"

/* Return the origin of a trail, and the first op after it; if there is no op, the latter returns
 * the start of the trail as well. */
uint32_t tg_trail_origin_of(tg_undefined *all, uint32_t trail);
uint32_t tg_trail_first_op(tg_undefined *all, uint32_t trail);

/* Returns a number for the source location of the origin.  It is the same in every run. */
uint64_t tg_origin_number(tg_undefined *all, uint32_t trail);

/* Prints the origin: "what lies outside of x", "scratch acc, which no program had written".  Returns
 * `out`. */
enum { TG_ORIGIN_TEXT = 200 };
char *tg_origin_print(tg_undefined *all, uint32_t trail, char out[TG_ORIGIN_TEXT]);

/* Returns the name of the param, or "scoped memory" for UINT32_MAX. */
const char *tg_memory_name(const tg_undefined *all, uint32_t param);

/* Adds the source locations of the trail to the finding, from the latest to the origin. */
void tg_trail_relate(tg_undefined *all, uint32_t trail, tg_found *found);

#endif
