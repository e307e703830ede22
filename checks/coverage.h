/* Which elements of the outputs no program writes, which one does, and which several do. */
#ifndef TG_CHECKS_COVERAGE_H
#define TG_CHECKS_COVERAGE_H

#include "interp/observer.h"
#include "plan/grid.h"

/* Elements of an output that have been written by so many programs. */
typedef struct tg_written_by {
    int64_t count;
    int64_t first;                    /* the least of them, row-major; count > 0 */
    int64_t programs[2][TG_MAX_AXES]; /* the first ones in the grid of those that wrote that one */
} tg_written_by;

typedef struct tg_covered {
    uint32_t param;
    tg_written_by by[3]; /* none, one, several */
} tg_covered;

typedef struct tg_coverage tg_coverage;

/* NULL without memory. */
tg_coverage *tg_coverage_new(const tg_plan *plan);
void tg_coverage_free(tg_coverage *coverage); /* NULL is fine */

/* A run over the grid begins; `is_shared`: programs run on several threads.  False without memory. */
bool tg_coverage_begin(tg_coverage *coverage, const tg_grid *grid, bool is_shared);

tg_observer tg_coverage_observer(tg_coverage *coverage);

/* What the run has written, an entry per output in a list that is the caller's to free; none for grids of 2^30 programs and
 * more.  It is the same in every order.  False without memory. */
bool tg_coverage_list(const tg_coverage *coverage, tg_covered **list, size_t *count);

#endif
