#include "layout/mesh/part.h"

/* The text of a sub-axis, for a diagnosis. */
typedef struct place {
    int64_t offset;
    const char *axis;
    int pre, size;
} place;

static tg_status check_sub_axis(tg_diags *diags, const place *at, int whole)
{
    const int64_t end = (int64_t)at->pre * at->size;
    if (at->pre < 1)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, at->offset,
                          "sub-axis \"%s\":(%d)%d has %d above it; that is at least 1", at->axis,
                          at->pre, at->size, at->pre);
    if (at->size < 2)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, at->offset,
                          "sub-axis \"%s\":(%d)%d has size %d; it is at least 2", at->axis, at->pre,
                          at->size, at->size);
    if (whole % end != 0)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, at->offset,
                          "sub-axis \"%s\":(%d)%d does not divide its axis: %d is no multiple of "
                          "%d * %d = %lld",
                          at->axis, at->pre, at->size, whole, at->pre, at->size, (long long)end);
    if (at->size == whole)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, at->offset,
                          "sub-axis \"%s\":(%d)%d is the whole axis, which is written \"%s\"",
                          at->axis, at->pre, at->size, at->axis);
    return TG_OK;
}

static tg_status read_part(tg_scanner *scan, const tg_mesh *mesh, tg_part *out)
{
    const char *name;
    size_t length;
    tg_scan_peek(scan);
    place at = {.offset = (int64_t)scan->at};
    TG_TRY(tg_scan_quoted(scan, "the name of a mesh axis", &name, &length));
    const int axis = tg_mesh_find(mesh, name, length);
    if (axis < 0)
        return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, at.offset,
                          "the mesh has no axis \"%.*s\"", (int)(length < 100 ? length : 100),
                          name);
    *out = tg_part_whole(mesh, axis);
    if (!tg_scan_accept(scan, ':')) return TG_OK;
    TG_TRY(tg_scan_expect(scan, '(', "before what is above a sub-axis"));
    TG_TRY(tg_scan_small(scan, "what is above a sub-axis", &at.pre));
    TG_TRY(tg_scan_expect(scan, ')', "after what is above a sub-axis"));
    TG_TRY(tg_scan_small(scan, "the size of a sub-axis", &at.size));
    at.axis = mesh->axes[axis].name;
    TG_TRY(check_sub_axis(scan->diags, &at, mesh->axes[axis].size));
    *out = (tg_part){axis, at.pre, at.size};
    return TG_OK;
}

tg_status tg_parts_scan(tg_scanner *scan, const tg_mesh *mesh, tg_parts *out, bool *open)
{
    out->count = 0;
    if (open) *open = false;
    TG_TRY(tg_scan_expect(scan, '{', "before mesh axes"));
    if (tg_scan_accept(scan, '}')) return TG_OK;
    do {
        tg_part part;
        if (open && tg_scan_accept(scan, '?')) {
            *open = true;
            break;
        }
        TG_TRY(read_part(scan, mesh, &part));
        if (out->count == TG_PARTS_MOST)
            return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, (int64_t)scan->at,
                              "a list has more than %d mesh axes", TG_PARTS_MOST);
        tg_parts_put(out, part);
    } while (tg_scan_accept(scan, ','));
    return tg_scan_expect(scan, '}', "after mesh axes");
}
