/* What an access to shared memory costs, by its definition. */
#ifndef TG_TESTS_LAYOUTS_ACCESS_MODEL_H
#define TG_TESTS_LAYOUTS_ACCESS_MODEL_H

#include <stdbool.h>

#include "layout/conflicts.h"

/* Of the words that lanes first, .., first + lanes - 1 touch, the most that are in one bank.
 * Addresses are below 2^17. */
int count_phase(const tg_warp_access *a, int first, int lanes, bool *is_used);

#endif
