#include "layout/scope.h"

#include <stdbool.h>

static bool count_the_same(const tg_axis_info *a, const tg_axis_info *b)
{
    if (a->from == b->from && a->to == b->to && a->along && b->along) return false;
    return a->from < b->to && b->from < a->to;
}

static tg_status check_pair(int a, int b, int64_t offset, tg_diags *diags)
{
    if (!count_the_same(&tg_axes[a], &tg_axes[b])) return TG_OK;
    return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset,
                      "axes %s (%s) and %s (%s) count the same twice", tg_axes[a].name,
                      tg_axes[a].means, tg_axes[b].name, tg_axes[b].means);
}

static bool is_thread(tg_axis_set axes, int axis)
{
    return axes & TG_AXIS_BIT(axis) && tg_axes[axis].kind == TG_AXIS_THREAD;
}

/* The axis that counts `from` in `to`, as a whole. */
static tg_axis_set link_between(tg_scope from, tg_scope to)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (tg_axes[a].kind == TG_AXIS_THREAD && tg_axes[a].from == from && tg_axes[a].to == to &&
            !tg_axes[a].along)
            return TG_AXIS_BIT(a);
    return 0;
}

tg_axis_set tg_scope_missing(tg_axis_set axes)
{
    tg_axis_set missing = 0;
    tg_scope reached = TG_SCOPE_NONE; /* by the axes seen so far, from small to large */
    for (int from = 0; from < TG_SCOPE_COUNT; from++)
        for (int a = 0; a < TG_AXIS_COUNT; a++) {
            if (!is_thread(axes, a) || tg_axes[a].from != (tg_scope)from) continue;
            if (reached < (tg_scope)from) missing |= link_between(reached, (tg_scope)from);
            reached = tg_axes[a].to;
        }
    return missing;
}

tg_status tg_scope_check(tg_axis_set axes, int64_t offset, tg_diags *diags)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        for (int b = a + 1; b < TG_AXIS_COUNT; b++)
            if (is_thread(axes, a) && is_thread(axes, b)) TG_TRY(check_pair(a, b, offset, diags));
    const tg_axis_set missing = tg_scope_missing(axes);
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (missing & TG_AXIS_BIT(a))
            return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset,
                              "the axes are not connected: %s is missing (%s); if it is 0, add "
                              "\"+ 0@%s\"",
                              tg_axes[a].name, tg_axes[a].means, tg_axes[a].name);
    return TG_OK;
}
