#include <stdlib.h>

#include "layout/mesh/sharding.h"

/* What the check has met so far. */
typedef struct checker {
    const tg_mesh *mesh;
    tg_parts seen;
    tg_diags *diags;
} checker;

/* TG_ERR_INVALID: the reason, with the parts in it. */
static tg_status refuse(const checker *c, tg_status status, const char *reason, const tg_part *a,
                        const tg_part *b)
{
    tg_text text = {0};
    tg_part_print(c->mesh, a, &text);
    if (b) {
        tg_text_put(&text, " and ");
        tg_part_print(c->mesh, b, &text);
    }
    char *parts = tg_text_finish(&text);
    if (!parts) return tg_no_memory(c->diags);
    tg_fail(c->diags, status, NULL, "%s %s", parts, reason);
    free(parts);
    return status;
}

static bool is_part(const tg_mesh *mesh, const tg_part *part)
{
    if (part->axis < 0 || part->axis >= mesh->axis_count) return false;
    const int whole = mesh->axes[part->axis].size;
    if (part->pre == 1 && part->size == whole) return true;
    return part->pre >= 1 && part->size >= 2 && whole % tg_part_end(part) == 0;
}

static tg_status check_with_seen(const checker *c, const tg_part *part)
{
    for (int i = 0; i < c->seen.count; i++) {
        const tg_part *other = &c->seen.list[i];
        if (tg_part_same(part, other))
            return refuse(c, TG_ERR_INVALID, "is in a sharding twice", part, NULL);
        if (other->axis != part->axis) continue;
        if (tg_part_is_whole(c->mesh, part) || tg_part_is_whole(c->mesh, other))
            return refuse(c, TG_ERR_INVALID, "are a whole axis and a sub-axis of it", other, part);
        if (tg_part_overlaps(part, other)) return refuse(c, TG_ERR_INVALID, "overlap", other, part);
        if (!tg_part_coexists(part, other))
            return refuse(c, TG_ERR_UNSUPPORTED, "are in no cut of their axis together", other,
                          part);
    }
    return TG_OK;
}

static tg_status check_list(checker *c, const tg_parts *parts)
{
    for (int i = 0; i < parts->count; i++) {
        const tg_part *part = &parts->list[i], *before = i ? part - 1 : NULL;
        if (!is_part(c->mesh, part))
            return tg_fail(c->diags, TG_ERR_INVALID, NULL,
                           "axis %d, (%d)%d is no part of an axis of the mesh", part->axis,
                           part->pre, part->size);
        if (before && before->axis == part->axis && tg_part_end(before) == part->pre &&
            !tg_part_is_whole(c->mesh, before) && !tg_part_is_whole(c->mesh, part))
            return refuse(c, TG_ERR_INVALID, "are neighbours, which are written as one", before,
                          part);
        TG_TRY(check_with_seen(c, part));
        tg_parts_put(&c->seen, *part);
    }
    return TG_OK;
}

static tg_status check_sorted(checker *c, const tg_parts *parts, const char *what)
{
    for (int i = 1; i < parts->count; i++)
        if (tg_part_compare(&parts->list[i - 1], &parts->list[i]) > 0)
            return tg_fail(c->diags, TG_ERR_INVALID, NULL,
                           "the %s axes are not in the order of the mesh", what);
    return check_list(c, parts);
}

tg_status tg_sharding_check(const tg_mesh *mesh, const tg_sharding *sharding, tg_diags *diags)
{
    checker c = {.mesh = mesh, .diags = diags};
    if (sharding->rank < 0 || sharding->rank > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a sharding has 0 to %d dimensions",
                       TG_SHAPE_MAX_RANK);
    if (tg_mesh_is_one_device(mesh) && sharding->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a sharding on device %d alone has no dimensions, not %d", mesh->ids[0],
                       sharding->rank);
    for (int d = 0; d < sharding->rank; d++) {
        const int priority = sharding->priority[d];
        if (priority < -1)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "dimension %d has priority %d, below 0", d,
                           priority);
        if (priority >= 0 && !sharding->open[d] && !sharding->dims[d].count)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "dimension %d is empty and closed, but has priority %d", d, priority);
        TG_TRY(check_list(&c, &sharding->dims[d]));
    }
    TG_TRY(check_sorted(&c, &sharding->replicated, "replicated"));
    return check_sorted(&c, &sharding->unreduced, "unreduced");
}
