/* Gaussian elimination over GF(2): which columns are independent, and which of them make a vector. */
#ifndef TG_LAYOUT_LINEAR_SOLVE_H
#define TG_LAYOUT_LINEAR_SOLVE_H

#include "layout/linear/linear.h"

/* Columns are added one after the other; a column that those before it make is free. */
typedef struct tg_solver {
    int count, rank;
    uint64_t free;                        /* bit i: column i is free */
    uint64_t reduced[TG_LINEAR_MAX_BITS]; /* each with a leading bit that no other one has */
    uint64_t made_of[TG_LINEAR_MAX_BITS]; /* the columns that it is the xor of */
} tg_solver;

/* At most TG_LINEAR_MAX_BITS.  Returns whether the column is independent of those before it. */
bool tg_solver_add(tg_solver *solver, uint64_t column);

/* The columns whose xor is `vector`, none of them free: bit i for column i.  Of all sets that make it,
 * this is the least as a number.  False if there is none. */
bool tg_solver_solve(const tg_solver *solver, uint64_t vector, uint64_t *columns);

/* All columns of a layout. */
void tg_solver_of(const tg_linear *linear, tg_solver *solver);

/* ---- what follows from the rank ---- */

/* The image has 2^rank indices. */
int tg_linear_rank(const tg_linear *linear);

bool tg_linear_is_surjective(const tg_linear *linear);
bool tg_linear_is_injective(const tg_linear *linear);
bool tg_linear_is_invertible(const tg_linear *linear);

/* For each in dimension, the bits that change nothing beyond what lower bits of it and of the dimensions
 * before it can do: mask[i] of in dimension i. */
void tg_linear_free_masks(const tg_linear *linear, int64_t *mask);

#endif
