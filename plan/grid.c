#include "plan/grid.h"

#include <inttypes.h>

/* Returns the counter that the size of an axis multiplies. */
static int64_t *count_along(tg_grid *g, int axis)
{
    switch (g->semantics[axis]) {
    case TG_SEMANTICS_ARBITRARY: return &g->steps;
    case TG_SEMANTICS_THREAD: return &g->threads;
    default: return &g->chains;
    }
}

tg_status tg_grid_set(const tg_kernel *k, const int64_t *dynamic, const tg_setting *setting,
                      tg_grid *g, tg_diags *diags)
{
    *g = (tg_grid){.rank = k->axis_count, .chains = 1, .steps = 1, .threads = 1};
    for (int a = 0; a < g->rank; a++) {
        g->size[a] = k->axes[a].size >= 0 ? k->axes[a].size : *dynamic++;
        g->semantics[a] = tg_setting_axis(setting, &k->axes[a]);
        if (g->size[a] < 0 || g->size[a] > INT32_MAX)
            return tg_fail(diags, TG_ERR_USAGE, NULL,
                           "kernel %s: axis %d of the grid has size %" PRId64
                           "; legal is 0 to 2147483647",
                           k->name, a, g->size[a]);
        int64_t *count = count_along(g, a), product;
        if (__builtin_mul_overflow(*count, g->size[a], count) ||
            __builtin_mul_overflow(g->chains, g->steps, &product) ||
            __builtin_mul_overflow(product, g->threads, &product))
            return tg_fail(diags, TG_ERR_USAGE, NULL,
                           "kernel %s: the grid has more than 2^63 programs", k->name);
    }
    if (g->steps == 0) g->chains = 0;
    return TG_OK;
}

int64_t tg_grid_programs(const tg_grid *g) { return g->chains * g->steps * g->threads; }

int64_t tg_grid_locate(const tg_grid *g, int64_t chain, int64_t step, int64_t thread,
                       int64_t *program)
{
    int64_t program_index = 0, left[TG_SEMANTICS_COUNT] = {[TG_SEMANTICS_PARALLEL] = chain,
                                                           [TG_SEMANTICS_ARBITRARY] = step,
                                                           [TG_SEMANTICS_THREAD] = thread};
    for (int a = g->rank - 1; a >= 0; a--) {
        int64_t *rest = &left[g->semantics[a]];
        const int64_t size = g->size[a];
        const bool is_last = *rest < size; /* saves the division, which takes longest here */
        program[a] = is_last ? *rest : *rest % size;
        *rest = is_last ? 0 : *rest / size;
    }
    for (int a = 0; a < g->rank; a++) program_index = program_index * g->size[a] + program[a];
    return program_index;
}

int64_t tg_grid_turn(const tg_grid *g, int64_t program_index)
{
    int64_t at[TG_SEMANTICS_COUNT] = {0}, program[TG_MAX_AXES];
    tg_grid_coordinates(g, program_index, program);
    for (int a = 0; a < g->rank; a++) {
        int64_t *index = &at[g->semantics[a]];
        *index = *index * g->size[a] + program[a];
    }
    return (at[TG_SEMANTICS_PARALLEL] * g->steps + at[TG_SEMANTICS_ARBITRARY]) * g->threads +
           at[TG_SEMANTICS_THREAD];
}

void tg_grid_coordinates(const tg_grid *grid, int64_t program_index, int64_t *program)
{
    for (int a = grid->rank - 1; a >= 0; a--) {
        program[a] = program_index % grid->size[a];
        program_index /= grid->size[a];
    }
}

uint32_t tg_grid_differs(const tg_grid *grid, int64_t a, int64_t b)
{
    uint32_t axes = 0;
    for (int axis = grid->rank - 1; axis >= 0; axis--) {
        const int64_t size = grid->size[axis];
        if (grid->semantics[axis] == TG_SEMANTICS_PARALLEL && a % size != b % size)
            axes |= UINT32_C(1) << axis;
        a /= size;
        b /= size;
    }
    return axes;
}

uint32_t tg_grid_assumed(const tg_grid *grid, const tg_kernel *kernel)
{
    uint32_t axes = 0;
    for (int axis = 0; axis < grid->rank; axis++)
        if (kernel->axes[axis].is_assumed && grid->semantics[axis] == TG_SEMANTICS_PARALLEL &&
            grid->size[axis] > 1)
            axes |= UINT32_C(1) << axis;
    return axes;
}
