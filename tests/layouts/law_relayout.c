/* Relayouts: which value moves how far, and the shuffles that move values within warps. */
#include <string.h>

#include "layout/relayout/shuffles.h"
#include "layouts/law.h"

static model m, n;

/* The thread of a place: its index in the block, of 32 threads a warp and 128 a warpgroup. */
static int64_t thread_of(const int64_t *at)
{
    return at[TG_AXIS_tx] + 128 * at[TG_AXIS_wgid] + 32 * at[TG_AXIS_warp] +
           32 * at[TG_AXIS_wid_in_wg] + at[TG_AXIS_tid_in_wg] + at[TG_AXIS_lane];
}

static int64_t floor_32(int64_t v) { return v >= 0 ? v / 32 : -((31 - v) / 32); }

static bool same_on(const int64_t *a, const int64_t *b, const char *axes)
{
    for (int i = 0; i < TG_AXIS_COUNT; i++)
        if (strstr(axes, tg_axes[i].name) && a[i] != b[i]) return false;
    return true;
}

static bool same_memory(const int64_t *a, const int64_t *b)
{
    for (int i = 0; i < TG_AXIS_COUNT; i++)
        if (tg_axes[i].kind == TG_AXIS_MEMORY && a[i] != b[i]) return false;
    return true;
}

static tg_reach reach_of(const int64_t *a, const int64_t *b)
{
    if (!same_on(a, b, "gpuid")) return TG_REACH_MESH;
    if (!same_on(a, b, "bx by bz cbx cby cbz block")) return TG_REACH_GRID;
    if (floor_32(thread_of(a)) != floor_32(thread_of(b))) return TG_REACH_BLOCK;
    if (thread_of(a) != thread_of(b)) return TG_REACH_WARP;
    return same_memory(a, b) ? TG_REACH_NONE : TG_REACH_THREAD;
}

/* The nearest that the model knows of. */
static tg_reach nearest(int64_t x, const int64_t *to)
{
    tg_reach best = TG_REACH_COUNT;
    for (int i = m.start[x]; i < m.start[x + 1]; i++) {
        const tg_reach reach = reach_of(m.list[i].at, to);
        if (reach < best) best = reach;
    }
    return best;
}

static bool moves_are_right(const tg_moves *moves)
{
    size_t by_reach[TG_REACH_COUNT] = {0};
    if (moves->count != (size_t)n.start[n.size]) return false;
    for (size_t i = 0; i < moves->count; i++) {
        const tg_move *move = &moves->list[i];
        place from;
        memcpy(from.at, move->from.at, sizeof from.at);
        if (memcmp(move->to.at, n.list[i].at, sizeof move->to.at) != 0) return false;
        if ((int)i < n.start[move->element] || (int)i >= n.start[move->element + 1]) return false;
        if (!model_has(&m, move->element, &from)) return false;
        if (move->reach != reach_of(move->from.at, move->to.at)) return false;
        if (move->reach != nearest(move->element, move->to.at)) return false;
        by_reach[move->reach]++;
        if (move->reach > moves->furthest) return false;
    }
    return memcmp(by_reach, moves->by_reach, sizeof by_reach) == 0 &&
           (!moves->count || by_reach[moves->furthest]);
}

/* In no round does a lane take two values, or offer two. */
static bool may_be_together(const tg_move *a, const tg_move *b)
{
    const int64_t *x = a->from.at, *y = b->from.at;
    if (reach_of(a->to.at, b->to.at) < TG_REACH_WARP) return false;
    return reach_of(x, y) >= TG_REACH_WARP || a->element == b->element;
}

static bool shuffles_are_right(const tg_moves *moves, const tg_shuffles *shuffles)
{
    for (size_t i = 0; i < moves->count; i++) {
        const int64_t k = shuffles->round[i];
        if ((moves->list[i].reach == TG_REACH_WARP) != (k >= 0) || k >= shuffles->count)
            return false;
        for (size_t j = 0; k >= 0 && j < i; j++)
            if (shuffles->round[j] == k && !may_be_together(&moves->list[i], &moves->list[j]))
                return false;
    }
    return shuffles->least <= shuffles->count && (shuffles->count > 0) == (shuffles->least > 0);
}

/* Gives iters of the same extent each other's strides: the same elements, elsewhere. */
static void exchange(chance *c, tg_axe *axe)
{
    for (int64_t times = pick(c, 0, 4); times > 0 && axe->d.count; times--) {
        tg_iter *a = &axe->d.list[pick(c, 0, axe->d.count - 1)];
        tg_iter *b = &axe->d.list[pick(c, 0, axe->d.count - 1)];
        if (a->extent != b->extent) continue;
        const tg_iter first = *a;
        *a = *b;
        *b = first;
    }
    if (one_in(c, 4)) axe->r.count = 0;
    if (one_in(c, 8)) axe->offset[TG_AXIS_lane]++;
}

outcome law_relayout(chance *c, tg_axe *shown)
{
    tg_axe to;
    tg_moves moves;
    tg_shuffles shuffles;
    wish w = any_layout;
    w.most_extent = 4;
    w.most_size = 64;
    w.most_copies = 1;
    random_layout(c, &w, shown);
    tg_axe_copy(shown, &to);
    exchange(c, &to);
    model_of(shown, &m);
    model_of(&to, &n);
    if (tg_moves_between(shown, &to, &moves, NULL) != TG_OK) return REFUSED;
    bool right = moves_are_right(&moves);
    if (right && tg_shuffles_of(&moves, &shuffles, NULL) == TG_OK) {
        right = shuffles_are_right(&moves, &shuffles);
        tg_shuffles_free(&shuffles);
    }
    tg_moves_free(&moves);
    return right ? KEPT : BROKEN;
}
