#include "layout/linear/solve.h"

#include <string.h>

static uint64_t leading_bit(uint64_t v) { return UINT64_C(1) << (63 - __builtin_clzll(v)); }

/* Takes away what the reduced columns make; adds to `made_of` what they are made of. */
static uint64_t reduce(const tg_solver *solver, uint64_t vector, uint64_t *made_of)
{
    for (int i = 0; i < solver->rank; i++)
        if (vector & leading_bit(solver->reduced[i])) {
            vector ^= solver->reduced[i];
            *made_of ^= solver->made_of[i];
        }
    return vector;
}

bool tg_solver_add(tg_solver *solver, uint64_t column)
{
    uint64_t made_of = UINT64_C(1) << solver->count;
    const uint64_t rest = reduce(solver, column, &made_of);
    if (!rest) {
        solver->free |= UINT64_C(1) << solver->count++;
        return false;
    }
    /* So that no leading bit is in another one, and the order of reduction does not matter. */
    for (int i = 0; i < solver->rank; i++)
        if (solver->reduced[i] & leading_bit(rest)) {
            solver->reduced[i] ^= rest;
            solver->made_of[i] ^= made_of;
        }
    solver->reduced[solver->rank] = rest;
    solver->made_of[solver->rank++] = made_of;
    solver->count++;
    return true;
}

bool tg_solver_solve(const tg_solver *solver, uint64_t vector, uint64_t *columns)
{
    *columns = 0;
    return reduce(solver, vector, columns) == 0;
}

void tg_solver_of(const tg_linear *linear, tg_solver *solver)
{
    memset(solver, 0, sizeof *solver);
    const int count = tg_linear_bit_count(&linear->in);
    for (int i = 0; i < count; i++) tg_solver_add(solver, linear->columns[i]);
}

int tg_linear_rank(const tg_linear *linear)
{
    tg_solver solver;
    tg_solver_of(linear, &solver);
    return solver.rank;
}

bool tg_linear_is_surjective(const tg_linear *linear)
{
    return tg_linear_rank(linear) == tg_linear_bit_count(&linear->out);
}

bool tg_linear_is_injective(const tg_linear *linear)
{
    return tg_linear_rank(linear) == tg_linear_bit_count(&linear->in);
}

bool tg_linear_is_invertible(const tg_linear *linear)
{
    return tg_linear_is_surjective(linear) && tg_linear_is_injective(linear);
}

void tg_linear_free_masks(const tg_linear *linear, int64_t *mask)
{
    tg_solver solver;
    tg_solver_of(linear, &solver);
    for (int d = 0; d < linear->in.count; d++)
        mask[d] = tg_linear_part(&linear->in, solver.free, d);
}
