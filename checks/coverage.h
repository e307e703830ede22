/* Which elements of the outputs no program writes, which one does, and which several do: what
 * tg_detector_coverage gives, an entry per output; none for grids of 2^30 programs and more.  It is
 * the same in every order. */
#ifndef TG_CHECKS_COVERAGE_H
#define TG_CHECKS_COVERAGE_H

#include "ir/ir.h"

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

#endif
