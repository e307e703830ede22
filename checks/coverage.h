/* The result of tg_detector_coverage: for each output, which elements no program writes, which
 * elements one program writes, and which elements several programs write.  There is no result for
 * grids of 2^30 programs or more.  The result is the same in every order. */
#ifndef TG_CHECKS_COVERAGE_H
#define TG_CHECKS_COVERAGE_H

#include "ir/ir.h"

/* The elements of an output that a certain number of programs wrote. */
typedef struct tg_written_by {
    int64_t count;
    /* The first such element, row-major, if count > 0. */
    int64_t first;
    /* The first programs in the grid that wrote element `first`. */
    int64_t programs[2][TG_MAX_AXES];
} tg_written_by;

typedef struct tg_covered {
    uint32_t param;
    tg_written_by by[3]; /* by none, by one, by several */
} tg_covered;

#endif
