/* How messages name a program. */
#ifndef TG_PLAN_PROGRAM_TEXT_H
#define TG_PLAN_PROGRAM_TEXT_H

#include "ir/ir.h"

enum { TG_PROGRAM_TEXT = 200 };

/* Prints coordinates on `rank` axes, "(1, 2)"; returns `out`. */
char *tg_coordinates_print(int rank, const int64_t *at, char out[TG_PROGRAM_TEXT]);

/* Prints the coordinates of a program on the axes of the kernel's grid, whose sizes are `grid`.  An axis
 * that has a name is printed with it, and left out where its size is 1: "(x=3)" on the axes z, y and
 * x, of which only x is longer.  Returns `out`. */
char *tg_program_print(const tg_kernel *kernel, const int64_t *grid, const int64_t *program,
                       char out[TG_PROGRAM_TEXT]);

#endif
