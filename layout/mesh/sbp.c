#include "layout/mesh/sbp.h"

static tg_status read_split(tg_scanner *scan, int axis, int rank, const tg_mesh *mesh,
                            tg_sharding *out)
{
    int d;
    TG_TRY(tg_scan_expect(scan, '(', "before the dimension that is split"));
    tg_scan_peek(scan);
    const int64_t offset = (int64_t)scan->at;
    TG_TRY(tg_scan_small(scan, "a dimension", &d));
    TG_TRY(tg_scan_expect(scan, ')', "after the dimension that is split"));
    if (d < 0 || d >= (rank < 0 ? TG_SHAPE_MAX_RANK : rank))
        return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, offset,
                          "%d is no dimension of an array of rank %d", d,
                          rank < 0 ? TG_SHAPE_MAX_RANK : rank);
    if (d >= out->rank) TG_TRY(tg_sharding_extend(out, d + 1, scan->diags));
    tg_parts_put(&out->dims[d], tg_part_whole(mesh, axis));
    return TG_OK;
}

static tg_status read_partial(tg_scanner *scan, int axis, const tg_mesh *mesh, tg_sharding *out)
{
    tg_reduction reduction = TG_REDUCTION_SUM;
    const int64_t offset = (int64_t)scan->at - 1;
    if (tg_scan_accept(scan, '(')) {
        if (!tg_reduction_scan(scan, &reduction)) return tg_scan_wrong(scan, "sum, max or min");
        TG_TRY(tg_scan_expect(scan, ')', "after a reduction"));
    }
    if (out->unreduced.count && out->reduction != reduction)
        return tg_fail_at(scan->diags, TG_ERR_UNSUPPORTED, NULL, offset,
                          "a signature with P(%s) and P(%s) does not say which is first",
                          tg_reduction_names[out->reduction], tg_reduction_names[reduction]);
    out->reduction = reduction;
    tg_parts_put(&out->unreduced, tg_part_whole(mesh, axis));
    return TG_OK;
}

static tg_status read_signature(tg_scanner *scan, int rank, const tg_mesh *mesh, tg_sharding *out)
{
    int axis = 0;
    TG_TRY(tg_scan_expect(scan, '(', "before a signature"));
    for (; tg_scan_peek(scan) != ')'; axis++) {
        const int64_t offset = (int64_t)scan->at;
        if (axis && !tg_scan_accept(scan, ',')) return tg_scan_wrong(scan, "',' or ')'");
        if (tg_scan_peek(scan) == ')') break;
        if (axis == mesh->axis_count)
            return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, offset,
                              "a signature has more entries than the %d axes of the mesh", axis);
        if (tg_scan_accept(scan, 'S'))
            TG_TRY(read_split(scan, axis, rank, mesh, out));
        else if (tg_scan_accept(scan, 'P'))
            TG_TRY(read_partial(scan, axis, mesh, out));
        else if (!tg_scan_accept(scan, 'B'))
            return tg_scan_wrong(scan, "S(dimension), B or P");
    }
    if (axis < mesh->axis_count)
        return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, (int64_t)scan->at,
                          "a signature of %d entries is none of a mesh of %d axes", axis,
                          mesh->axis_count);
    return tg_scan_expect(scan, ')', "after a signature");
}

tg_status tg_sbp_read(const char *text, size_t length, int rank, tg_mesh *mesh, tg_sharding *out,
                      tg_diags *diags)
{
    tg_scanner scan = {text, length, 0, diags};
    TG_TRY(tg_mesh_scan(&scan, mesh));
    tg_sharding_begin(out, rank < 0 ? 0 : rank);
    TG_TRY(read_signature(&scan, rank, mesh, out));
    TG_TRY(tg_scan_expect_end(&scan));
    return tg_sharding_check(mesh, out, diags);
}

/* The dimension of an axis, `rank` for unreduced, -1 for none. */
static int use_of(const tg_sharding *sharding, const tg_part *whole)
{
    for (int d = 0; d < sharding->rank; d++)
        if (tg_parts_find(&sharding->dims[d], whole) >= 0) return d;
    return tg_parts_find(&sharding->unreduced, whole) >= 0 ? sharding->rank : -1;
}

static tg_status check(const tg_mesh *mesh, const tg_parts *parts, tg_diags *diags)
{
    for (int i = 0; i < parts->count; i++) {
        const tg_part *part = &parts->list[i];
        if (!tg_part_is_whole(mesh, part))
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "a signature has no sub-axis, such as \"%s\":(%d)%d",
                           mesh->axes[part->axis].name, part->pre, part->size);
        if (i && part[-1].axis > part->axis)
            return tg_fail(
                diags, TG_ERR_UNSUPPORTED, NULL,
                "a dimension is split by \"%s\" before \"%s\"; in a signature axes split "
                "in the order of the mesh",
                mesh->axes[part[-1].axis].name, mesh->axes[part->axis].name);
    }
    return TG_OK;
}

tg_status tg_sbp_print(const tg_mesh *mesh, const tg_sharding *sharding, tg_text *out,
                       tg_diags *diags)
{
    for (int d = 0; d < sharding->rank; d++) TG_TRY(check(mesh, &sharding->dims[d], diags));
    TG_TRY(check(mesh, &sharding->unreduced, diags));
    tg_text_put(out, "(");
    for (int a = 0; a < mesh->axis_count; a++) {
        const tg_part whole = tg_part_whole(mesh, a);
        const int use = use_of(sharding, &whole);
        if (a) tg_text_put(out, ", ");
        if (use == sharding->rank)
            tg_text_add(out, "P(%s)", tg_reduction_names[sharding->reduction]);
        else if (use >= 0)
            tg_text_add(out, "S(%d)", use);
        else
            tg_text_put(out, "B");
    }
    tg_text_put(out, ")");
    return TG_OK;
}
