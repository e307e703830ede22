#include "plan/recast.h"

#include <stdlib.h>
#include <string.h>

#include "ir/type.h"
#include "layout/map.h"

/* ---- layouts ---- */

bool tg_recast_is_apart(const tg_axe *layout)
{
    bool is_done[TG_AXE_MAX_ITERS] = {false};
    int64_t reach = 0;
    for (int left = layout->d.count; left > 0; left--) {
        const tg_iter *least = NULL;
        for (int k = 0; k < layout->d.count; k++)
            if (!is_done[k] && (!least || llabs(layout->d.list[k].stride) < llabs(least->stride)))
                least = &layout->d.list[k];
        is_done[least - layout->d.list] = true;
        if (least->extent == 1) continue;
        if (llabs(least->stride) <= reach) return false;
        reach += (least->extent - 1) * llabs(least->stride);
    }
    return true;
}

/* Finds a step for each dimension of the result, where all its digits are in one iter of the layout,
 * whose neighbours are fused.  Refs have positive strides. */
static bool find_steps(const tg_axe *layout, const tg_type *type, int64_t *step)
{
    int k = layout->d.count;
    int64_t left = 1, stride = 0;
    if (layout->swizzle.bits) return false;
    for (int d = type->rank - 1; d >= 0; d--) {
        step[d] = 0;
        if (type->shape[d] == 1) continue;
        if (left == 1 && k > 0) {
            left = layout->d.list[--k].extent;
            stride = layout->d.list[k].stride;
        }
        if (left % type->shape[d] != 0 || stride <= 0) return false;
        step[d] = stride;
        left /= type->shape[d];
        stride *= type->shape[d];
    }
    return tg_recast_is_apart(layout);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The greatest length of runs of which `count` numbers consist, in each of which every number is the
 * one before it and 1. */
static int64_t run_of(const int32_t *numbers, int64_t count)
{
    int64_t run = count;
    for (int64_t i = 1; i < count; i++)
        if (numbers[i] != numbers[i - 1] + 1) run = common_divisor(i, run);
    return run;
}

static void list_numbers(const tg_axe *layout, int64_t count, int32_t *out)
{
    enum { CHUNK = 256 };
    int64_t wide[CHUNK];
    for (int64_t done = 0; done < count; done += CHUNK) {
        const int64_t n = count - done < CHUNK ? count - done : CHUNK;
        tg_axe_map_many(layout, TG_AXIS_m, done, n, wide);
        for (int64_t i = 0; i < n; i++) out[done + i] = (int32_t)wide[i];
    }
}

/* Whether the runs are the pieces of rows of `pieces`: piece c is at place c ^ k of its row. */
static bool are_rows(const int32_t *runs, int64_t count, int64_t run, int pieces)
{
    if (count % pieces) return false;
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = runs[i - i % pieces] / run, at = runs[i] / run;
        if (runs[i] % run || at != (first ^ i % pieces)) return false;
    }
    return true;
}

static int find_row_pieces(const struct tg_inst_recast *recast, int64_t count)
{
    enum { PIECE = 16, MOST = 8 };
    const int64_t run = PIECE / tg_dtypes[recast->type.dtype].bytes;
    if (recast->run != run) return 0;
    int pieces = MOST;
    while (pieces > 1 && !are_rows(recast->runs, count / run, run, pieces)) pieces /= 2;
    return pieces > 1 ? pieces : 0;
}

/* Whether the rows have so many permutations in turn, from the first one on, each of them `repeat` times. */
static bool take_turns(const struct tg_inst_recast *recast, int64_t rows, int64_t repeat, int kinds)
{
    const int64_t pieces = recast->row_pieces;
    for (int64_t r = 0; r < rows; r++)
        if (recast->runs[r * pieces] / recast->run % pieces != r / repeat % kinds) return false;
    return true;
}

static void find_turns(struct tg_inst_recast *recast, int64_t count)
{
    const int64_t pieces = recast->row_pieces, rows = pieces ? count / recast->run / pieces : 0;
    int64_t repeat = 0;
    while (repeat < rows && recast->runs[repeat * pieces] / recast->run % pieces == 0) repeat++;
    if (repeat == 0) return;
    for (int kinds = 2; kinds <= pieces && !recast->row_kinds; kinds *= 2)
        if (take_turns(recast, rows, repeat, kinds)) recast->row_kinds = kinds;
    if (recast->row_kinds) recast->row_repeat = repeat;
}

void tg_recast_lay_out(struct tg_inst_recast *recast, const tg_axe *layout, int32_t *runs)
{
    const int64_t count = tg_type_count(&recast->type);
    recast->layout = layout;
    recast->has_steps = find_steps(layout, &recast->type, recast->step);
    recast->runs = runs;
    if (!runs) return;
    list_numbers(layout, count, runs);
    recast->run = run_of(runs, count);
    for (int64_t i = 0; i * recast->run < count; i++) runs[i] = runs[i * recast->run];
    recast->row_pieces = find_row_pieces(recast, count);
    find_turns(recast, count);
}

int64_t tg_recast_number(const struct tg_inst_recast *recast, int64_t number)
{
    if (!recast->layout) return number;
    if (recast->runs) return recast->runs[number / recast->run] + number % recast->run;
    tg_coordinate at;
    tg_axe_map(recast->layout, number, 0, &at);
    return at.at[TG_AXIS_m];
}

/* ---- strides ---- */

static bool has_same_width(const struct tg_inst_recast *recast)
{
    return tg_dtypes[recast->type.dtype].bytes == tg_dtypes[recast->from_type.dtype].bytes;
}

static bool has_strides(const struct tg_inst_recast *recast, const int64_t *from, bool is_whole,
                        int64_t *stride)
{
    const tg_type *type = &recast->type, *from_type = &recast->from_type;
    if (!has_same_width(recast)) return false;
    if (tg_type_count(type) > 0)
        return is_whole && tg_reshape_strides(from_type->rank, from_type->shape, from, type->rank,
                                              type->shape, stride);
    memcpy(stride, from,
           (size_t)type->rank * sizeof *stride); /* no elements: any strides are right */
    return true;
}

/* The steps of the layout in a source whose elements follow each other evenly. */
static bool has_steps(const struct tg_inst_recast *recast, const int64_t *from, bool is_whole,
                      int64_t *stride, int64_t *shift)
{
    const tg_type *source = &recast->from_type;
    const int64_t count = tg_type_count(source);
    int64_t unit;
    if (!recast->has_steps || !is_whole || count == 0 ||
        !tg_reshape_strides(source->rank, source->shape, from, 1, &count, &unit))
        return false;
    for (int d = 0; d < recast->type.rank; d++) stride[d] = recast->step[d] * unit;
    *shift = recast->layout->offset[TG_AXIS_m] * unit;
    return true;
}

tg_recast_way tg_recast_strides(tg_opcode op, const struct tg_inst_recast *recast,
                                const int64_t *from, bool is_whole, int64_t *stride, int64_t *shift)
{
    const tg_type *type = &recast->type;
    *shift = 0;
    if (op == TG_OP_view_transpose) {
        for (int d = 0; d < type->rank; d++) stride[d] = from[recast->permutation[d]];
        return TG_RECAST_PERMUTED;
    }
    if (op == TG_OP_view_bitcast && has_same_width(recast)) {
        memcpy(stride, from, (size_t)type->rank * sizeof *stride);
        return TG_RECAST_SAME;
    }
    if (op == TG_OP_view_layout ? has_steps(recast, from, is_whole, stride, shift)
                                : has_strides(recast, from, is_whole, stride))
        return TG_RECAST_STRIDED;
    tg_dense_strides(type->rank, type->shape, stride);
    return TG_RECAST_NUMBERED;
}
