/* Which thread a coordinate means, whatever axes of threads it is given on. */
#ifndef TG_LAYOUT_THREAD_H
#define TG_LAYOUT_THREAD_H

#include <stdbool.h>

#include "layout/map.h"

enum { TG_WARP_THREADS = 32, TG_WARPGROUP_THREADS = 128 };

/* The index of the thread in its block: tx = 32 warp + lane = 128 wgid + tid_in_wg, and tid_in_wg =
 * 32 wid_in_wg + lane.  Axes of one layout do not count the same twice (layout/scope.h). */
int64_t tg_thread_in_block(const tg_coordinate *at);

/* The warp of a thread in its block, and its lane, also of negative indices. */
int64_t tg_warp_of(int64_t thread);
int tg_lane_of(int64_t thread);

/* Whether two coordinates mean the same block of threads, on the same device; and which comes
 * first, as memcmp says it. */
bool tg_same_block(const tg_coordinate *a, const tg_coordinate *b);
int tg_block_compare(const tg_coordinate *a, const tg_coordinate *b);

/* Whether all axes of memory have the same coordinates. */
bool tg_same_memory(const tg_coordinate *a, const tg_coordinate *b);

#endif
