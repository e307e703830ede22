/* How messages name a program. */
#ifndef TG_PLAN_PROGRAM_TEXT_H
#define TG_PLAN_PROGRAM_TEXT_H

#include "ir/ir.h"

enum { TG_PROGRAM_TEXT = 200 };

/* Prints coordinates on `rank` axes, "(1, 2)"; returns `out`. */
char *tg_coordinates_print(int rank, const int64_t *at, char out[TG_PROGRAM_TEXT]);

/* A coordinate on an axis that has a name, or NULL. */
typedef struct tg_grid_coordinate {
    const char *name;
    int64_t size; /* of the axis */
    int64_t at;
} tg_grid_coordinate;

/* Prints coordinates with the names of their axes.  An axis that has a name is left out where its size
 * is 1: "(x=3)" on the axes z, y and x, of which only x is longer.  Returns `out`. */
char *tg_named_coordinates_print(int count, const tg_grid_coordinate *coordinates,
                                 char out[TG_PROGRAM_TEXT]);

/* Prints the coordinates of a program on the axes of the kernel's grid, whose sizes are `grid`, as
 * tg_named_coordinates_print does.  Returns `out`. */
char *tg_program_print(const tg_kernel *kernel, const int64_t *grid, const int64_t *program,
                       char out[TG_PROGRAM_TEXT]);

#endif
