/* Runs of places in a plane: pages, chunks and groups, as checks/plane.h says.  What the plane knows of its last
 * box is not looked at here. */
#ifndef TG_CHECKS_PLANE_RUNS_H
#define TG_CHECKS_PLANE_RUNS_H

#include "checks/plane.h"

enum { TG_PLANE_GROUP_SHIFT = 6, TG_PLANE_GROUP_CHUNKS = 1 << TG_PLANE_GROUP_SHIFT };
#define TG_PLANE_NO_PAGE UINT32_MAX

/* Returns how many chunks the first `places` places occupy. */
static inline int64_t tg_plane_chunk_count(const tg_plane *plane, int64_t places)
{
    return (places + plane->chunk - 1) >> plane->shift;
}

/* Returns log2 of the places of a group. */
static inline int tg_plane_group_shift(const tg_plane *plane)
{
    return plane->shift + TG_PLANE_GROUP_SHIFT;
}

/* The function to call for each run, and whether all its results are one number. */
typedef struct tg_plane_asker {
    tg_plane_fn *next;
    void *context;
    bool is_by_number; /* the result depends on the old number only */
    uint32_t asked, answer;
    bool has_answer, is_mixed;
} tg_plane_asker;

static inline uint32_t tg_plane_ask(tg_plane_asker *a, uint32_t old, int64_t first, int64_t count)
{
    if (a->is_by_number && a->has_answer && a->asked == old) return a->answer;
    a->asked = old;
    const uint32_t number = a->next(a->context, old, first, count);
    if (a->has_answer && a->answer != number) a->is_mixed = true;
    a->answer = number;
    a->has_answer = true;
    return number;
}

/* Replaces the numbers of `count` places from `first` on, asking for each run of them. */
void tg_plane_runs_update(tg_plane *plane, int64_t first, int64_t count, tg_plane_asker *a);

/* Visits these. */
void tg_plane_runs_visit(const tg_plane *plane, int64_t first, int64_t count,
                         tg_plane_visitor *visit, void *context);

/* Returns how many places from `at` on, up to `end`, lie in groups that have one and the same number; 0 if
 * the group of `at` has none. */
int64_t tg_plane_run_of_groups(const tg_plane *plane, int64_t at, int64_t end);

/* A tg_plane_fn: the same number for all, that at `number`, a uint32_t. */
uint32_t tg_plane_same_number(void *number, uint32_t old, int64_t first, int64_t count);

#endif
