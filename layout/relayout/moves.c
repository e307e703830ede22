#include "layout/relayout/moves.h"

#include <stdlib.h>

#include "layout/scope.h"
#include "layout/thread.h"

enum { MOST_PLACES = 1 << 20 };

static tg_axis_set memory_axes(const tg_axe *axe)
{
    tg_axis_set axes = 0;
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (tg_axes[a].kind == TG_AXIS_MEMORY && tg_axe_span(axe, (tg_axis)a) > 1)
            axes |= TG_AXIS_BIT(a);
    return axes;
}

static tg_status check_places(const tg_axe *axe, tg_diags *diags)
{
    const int64_t size = tg_iters_size(&axe->d), copies = tg_iters_size(&axe->r);
    if (size <= MOST_PLACES / copies) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "%lld elements of %lld copies are more than %d places", (long long)size,
                   (long long)copies, MOST_PLACES);
}

/* Layouts with all their memory on one axis may have it on different ones only by mistake. */
static tg_status check_memory(const tg_axe *from, const tg_axe *to, tg_diags *diags)
{
    const tg_axis_set a = memory_axes(from), b = memory_axes(to);
    if (!a || !b || a & b) return TG_OK;
    return tg_fail(
        diags, TG_ERR_INVALID, NULL,
        "one layout is on memory axis %s, the other on %s: that is a load or a store, not a "
        "change of layout",
        tg_axes[__builtin_ctz(a)].name, tg_axes[__builtin_ctz(b)].name);
}

static tg_status check(const tg_axe *from, const tg_axe *to, tg_diags *diags)
{
    if (tg_iters_size(&from->d) != tg_iters_size(&to->d))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the layouts have %lld and %lld elements; they are of one array",
                       (long long)tg_iters_size(&from->d), (long long)tg_iters_size(&to->d));
    TG_TRY(check_places(from, diags));
    TG_TRY(check_places(to, diags));
    return check_memory(from, to, diags);
}

static tg_reach reach_of(const tg_coordinate *from, const tg_coordinate *to)
{
    if (from->at[TG_AXIS_gpuid] != to->at[TG_AXIS_gpuid]) return TG_REACH_MESH;
    if (!tg_same_block(from, to)) return TG_REACH_GRID;
    const int64_t a = tg_thread_in_block(from), b = tg_thread_in_block(to);
    if (tg_warp_of(a) != tg_warp_of(b)) return TG_REACH_BLOCK;
    if (a != b) return TG_REACH_WARP;
    return tg_same_memory(from, to) ? TG_REACH_NONE : TG_REACH_THREAD;
}

static void put(const tg_coordinate *sources, size_t count, tg_move *move, tg_moves *out)
{
    move->reach = TG_REACH_COUNT;
    for (size_t i = 0; i < count; i++) {
        const tg_reach reach = reach_of(&sources[i], &move->to);
        if (reach >= move->reach) continue;
        move->reach = reach;
        move->from = sources[i];
    }
    out->by_reach[move->reach]++;
    if (move->reach > out->furthest) out->furthest = move->reach;
    out->list[out->count++] = *move;
}

static void fill(const tg_axe *from, const tg_axe *to, tg_coordinate *sources,
                 tg_coordinate *targets, tg_moves *out)
{
    const int64_t size = tg_iters_size(&to->d);
    for (int64_t x = 0; x < size; x++) {
        const size_t has = tg_places_fill(from, x, sources), wants = tg_places_fill(to, x, targets);
        out->has_choice |= has > 1;
        for (size_t i = 0; i < wants; i++) {
            tg_move move = {.element = x, .to = targets[i]};
            put(sources, has, &move, out);
        }
    }
}

tg_status tg_moves_between(const tg_axe *from, const tg_axe *to, tg_moves *out, tg_diags *diags)
{
    *out = (tg_moves){0};
    TG_TRY(check(from, to, diags));
    const int64_t places = tg_iters_size(&to->d) * tg_iters_size(&to->r);
    tg_coordinate *sources = calloc((size_t)tg_iters_size(&from->r), sizeof *sources);
    tg_coordinate *targets = calloc((size_t)tg_iters_size(&to->r), sizeof *targets);
    out->list = malloc((size_t)places * sizeof *out->list);
    const bool has_memory = sources && targets && out->list;
    if (has_memory) fill(from, to, sources, targets, out);
    free(sources);
    free(targets);
    if (has_memory) return TG_OK;
    tg_moves_free(out);
    return tg_no_memory(diags);
}

void tg_moves_free(tg_moves *moves)
{
    free(moves->list);
    *moves = (tg_moves){0};
}
