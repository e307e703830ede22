/* The grid of one run, as chains of programs (interp/state/order.h says what a chain is). */
#ifndef TG_PLAN_GRID_H
#define TG_PLAN_GRID_H

#include "ir/setting.h"

typedef struct tg_grid {
    int rank;
    int64_t size[TG_MAX_AXES];
    tg_semantics semantics[TG_MAX_AXES];
    int64_t chains, steps, threads; /* their product is tg_grid_programs; 0 chains if no programs */
} tg_grid;

/* Sets the grid of a kernel.  `dynamic` has the sizes of the dynamic axes, in order; the setting
 * gives the semantics of axes for which the source declares none.  Returns TG_ERR_USAGE for a size
 * out of range. */
tg_status tg_grid_set(const tg_kernel *kernel, const int64_t *dynamic, const tg_setting *setting,
                      tg_grid *out, tg_diags *diags);

/* The number of programs: in each step of each chain, one for each thread. */
int64_t tg_grid_programs(const tg_grid *grid);

/* Writes the coordinates of a program; returns its program index. */
int64_t tg_grid_locate(const tg_grid *grid, int64_t chain, int64_t step, int64_t thread,
                       int64_t *program);

/* Writes the coordinates of the program with the program index `order`. */
void tg_grid_coordinates(const tg_grid *grid, int64_t order, int64_t *program);

/* Returns the parallel axes on which the programs with the program indices `a` and `b` have
 * different coordinates: bit n for axis n. */
uint32_t tg_grid_differs(const tg_grid *grid, int64_t a, int64_t b);

/* Returns the parallel axes that are longer than 1 and only assumed to be parallel, as the source
 * declares no semantics. */
uint32_t tg_grid_assumed(const tg_grid *grid, const tg_kernel *kernel);

/* Returns the position, from 0 on, at which order `sequential` runs the program. */
int64_t tg_grid_turn(const tg_grid *grid, int64_t program_index);

#endif
