#include "layout/threads_axes.h"

#include <stdlib.h>
#include <string.h>

#include "layout/canonical.h"
#include "layout/thread.h"

/* A thread axis of a block, in threads: coordinate c means c * unit, and there are `room` threads in what it
 * counts in; 0: no bound. */
typedef struct counter {
    tg_axis axis;
    int64_t unit, room;
} counter;

static int64_t threads_in(tg_scope scope)
{
    switch (scope) {
    case TG_SCOPE_THREAD: return 1;
    case TG_SCOPE_WARP: return TG_WARP_THREADS;
    case TG_SCOPE_WARPGROUP: return TG_WARPGROUP_THREADS;
    default: return 0;
    }
}

static bool is_of_block(int axis)
{
    return tg_axes[axis].kind == TG_AXIS_THREAD && tg_axes[axis].from < TG_SCOPE_BLOCK;
}

static counter counter_of(tg_axis axis)
{
    return (counter){axis, threads_in(tg_axes[axis].from), threads_in(tg_axes[axis].to)};
}

/* ---- which axes ---- */

/* Those of `to` from the innermost on. */
typedef struct counters {
    int count;
    counter list[3];
} counters;

static tg_status read_target(tg_axis_set to, counters *out, tg_diags *diags)
{
    tg_scope reached = TG_SCOPE_NONE;
    out->count = 0;
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (to & TG_AXIS_BIT(a) && !is_of_block(a))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "axis %s (%s) does not count threads or warps of a block",
                           tg_axes[a].name, tg_axes[a].means);
    TG_TRY(tg_scope_check(to, -1, diags));
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (to & TG_AXIS_BIT(a) && tg_axes[a].from < reached) reached = tg_axes[a].from;
    for (bool found = true; found;) {
        found = false;
        for (int a = 0; a < TG_AXIS_COUNT && !found; a++)
            if (to & TG_AXIS_BIT(a) && tg_axes[a].from == reached) {
                out->list[out->count++] = counter_of((tg_axis)a);
                reached = tg_axes[a].to;
                found = true;
            }
    }
    if (out->count) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL, "no axis is given that threads could be on");
}

/* Whether each coordinate on an axis is one that there is. */
static tg_status check_source(const tg_axe *axe, tg_diags *diags)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const tg_range range = tg_axe_range(axe, (tg_axis)a);
        if (!is_of_block(a) || (range.least == 0 && range.most == 0)) continue;
        const counter c = counter_of((tg_axis)a);
        const int64_t count = (c.room ? c.room : INT64_MAX / 8) / c.unit;
        if (range.least < 0 || range.most >= count)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "the layout reaches from %lld to %lld on axis %s, which has only 0 to "
                           "%lld",
                           (long long)range.least, (long long)range.most, tg_axes[a].name,
                           (long long)(count - 1));
    }
    return TG_OK;
}

/* ---- iters ---- */

static tg_status no_split(const tg_iter *it, int64_t room, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "%lld:%lld@tx neither stays among %lld threads, nor goes on by whole multiples "
                   "of them",
                   (long long)it->extent, (long long)it->stride, (long long)room);
}

/* Of the innermost axis that may be used. */
static tg_status within(const counter *c, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "axis %s is not enough: it counts %lld threads at once, and the layout tells "
                   "them apart",
                   tg_axes[c->axis].name, (long long)c->unit);
}

static tg_status put(const counter *c, int64_t extent, int64_t stride, tg_iters *out,
                     tg_diags *diags)
{
    if (out->count == TG_AXE_MAX_ITERS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "a layout has at most %d iters",
                       TG_AXE_MAX_ITERS);
    if (stride % c->unit != 0) return within(c, diags);
    tg_iters_put(out, extent, stride / c->unit, c->axis);
    return TG_OK;
}

/* Splits an iter on tx where the room of an axis ends, from the outermost axis that it moves along on. */
static tg_status put_split(const tg_iter *it, const counters *to, tg_iters *out, tg_diags *diags)
{
    const int64_t stride = it->stride, step = llabs(stride);
    int64_t extent = it->extent; /* of what is left, the inner digits */
    for (int i = to->count - 1; i > 0; i--) {
        const int64_t unit = to->list[i].unit;
        if (step % unit == 0) return put(&to->list[i], extent, stride, out, diags);
        if ((extent - 1) * step < unit) continue;
        const int64_t inner = unit / step; /* digits that stay below */
        if (unit % step != 0 || extent % inner != 0) return no_split(it, unit, diags);
        TG_TRY(put(&to->list[i], extent / inner, stride * inner, out, diags));
        extent = inner;
    }
    return put(&to->list[0], extent, stride, out, diags);
}

static tg_status move_iters(const tg_iters *iters, const counters *to, tg_iters *out,
                            tg_diags *diags)
{
    for (int i = 0; i < iters->count; i++) {
        const tg_iter it = iters->list[i];
        if (it.axis == TG_AXIS_tx)
            TG_TRY(put_split(&it, to, out, diags));
        else if (out->count < TG_AXE_MAX_ITERS)
            out->list[out->count++] = it;
        else
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "a layout has at most %d iters",
                           TG_AXE_MAX_ITERS);
    }
    return TG_OK;
}

static void to_tx(tg_iters *iters)
{
    for (int i = 0; i < iters->count; i++) {
        tg_iter *it = &iters->list[i];
        if (it->axis == TG_AXIS_NONE || !is_of_block((int)it->axis)) continue;
        it->stride *= counter_of(it->axis).unit;
        it->axis = TG_AXIS_tx;
    }
}

/* All threads on tx: iters that were on two axes may be one there. */
static void fuse_threads(const tg_axe *axe, tg_axe *out)
{
    int64_t first = 0;
    tg_axe_copy(axe, out);
    to_tx(&out->d);
    to_tx(&out->r);
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (!is_of_block(a)) continue;
        first += axe->offset[a] * counter_of((tg_axis)a).unit;
        out->offset[a] = 0;
    }
    out->offset[TG_AXIS_tx] = first;
    tg_axe_canonize(out);
}

/* ---- offsets ---- */

static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/* Gives the first thread to the axes, so that coordinates on each, with all digits, are ones that there are. */
static tg_status put_offset(int64_t thread, const counters *to, tg_axe *out, tg_diags *diags)
{
    const int64_t unit = to->list[0].unit;
    if (thread % unit != 0) return within(&to->list[0], diags);
    thread /= unit;
    for (int i = 0; i < to->count; i++) {
        const counter c = to->list[i];
        const tg_range moved = tg_axe_range(out, c.axis); /* the offset is 0 yet */
        const int64_t count = c.room ? c.room / c.unit : INT64_MAX / 2;
        const int64_t over = floor_of(thread + moved.least, count);
        const int64_t first = thread - over * count;
        const int64_t least = first + moved.least, most = first + moved.most;
        if (most >= count)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "axis %s would have to go from %lld to %lld, across its %lld: what is "
                           "beyond has no form",
                           tg_axes[c.axis].name, (long long)least, (long long)most,
                           (long long)count);
        out->offset[c.axis] = first;
        thread = over;
    }
    if (thread == 0) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "axis %s is not enough: the layout is in another %s too",
                   tg_axes[to->list[to->count - 1].axis].name,
                   to->list[to->count - 1].room == TG_WARP_THREADS ? "warp" : "warpgroup");
}

tg_status tg_axe_move_threads(const tg_axe *axe, tg_axis_set to, tg_axe *out, tg_diags *diags)
{
    counters target;
    tg_axe fused, moved;
    TG_TRY(read_target(to, &target, diags));
    TG_TRY(check_source(axe, diags));
    fuse_threads(axe, &fused);
    TG_TRY(tg_axe_check(&fused, diags));
    tg_axe_begin(&moved);
    memcpy(moved.offset, fused.offset, sizeof moved.offset);
    moved.offset[TG_AXIS_tx] = 0;
    TG_TRY(move_iters(&fused.d, &target, &moved.d, diags));
    TG_TRY(move_iters(&fused.r, &target, &moved.r, diags));
    TG_TRY(put_offset(fused.offset[TG_AXIS_tx], &target, &moved, diags));
    moved.swizzle = axe->swizzle;
    tg_axe_copy(&moved, out);
    return tg_axe_check(out, diags);
}
