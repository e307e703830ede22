/* The grid of one run, as chains of programs (interp/state/order.h says what a chain is). */
#ifndef TG_PLAN_GRID_H
#define TG_PLAN_GRID_H

#include "ir/setting.h"

typedef struct tg_grid {
    int rank;
    int64_t size[TG_MAX_AXES];
    tg_semantics semantics[TG_MAX_AXES];
    int64_t chains, steps, threads; /* tg_grid_programs; no chains where there are no programs */
} tg_grid;

/* `dynamic` holds the sizes of the dynamic axes, in order; the setting says what axes are that
 * nobody declares.  TG_ERR_USAGE for a size that is out of range. */
tg_status tg_grid_set(const tg_kernel *kernel, const int64_t *dynamic, const tg_setting *setting,
                      tg_grid *out, tg_diags *diags);

/* How many programs there are: those of each chain, in each of its steps one for each thread. */
int64_t tg_grid_programs(const tg_grid *grid);

/* The coordinates of a program; returns its place in the grid, row-major. */
int64_t tg_grid_locate(const tg_grid *grid, int64_t chain, int64_t step, int64_t thread,
                       int64_t *program);

/* The coordinates of the program at a place in the grid, row-major. */
void tg_grid_coordinates(const tg_grid *grid, int64_t order, int64_t *program);

/* The parallel axes on which two programs, by their places in the grid, differ: bit a for axis
 * a. */
uint32_t tg_grid_differs(const tg_grid *grid, int64_t a, int64_t b);

/* The parallel axes that are longer than 1 and that nobody has declared to be so. */
uint32_t tg_grid_assumed(const tg_grid *grid, const tg_kernel *kernel);

/* Prints coordinates on `rank` axes, "(1, 2)"; returns `out`. */
enum { TG_PROGRAM_TEXT = 200 };
char *tg_program_print(int rank, const int64_t *program, char out[TG_PROGRAM_TEXT]);

/* When order `sequential` comes to a program, from 0 on, by its place in the grid, row-major. */
int64_t tg_grid_turn(const tg_grid *grid, int64_t program_index);

#endif
