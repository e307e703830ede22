#include "layout/mesh/named_sharding.h"

static tg_status read_axis(tg_scanner *scan, const tg_mesh *mesh, tg_parts *out)
{
    const char *name;
    size_t length;
    tg_scan_peek(scan);
    const int64_t offset = (int64_t)scan->at;
    TG_TRY(tg_scan_quoted(scan, "the name of a mesh axis", &name, &length));
    const int axis = tg_mesh_find(mesh, name, length);
    if (axis < 0)
        return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, offset,
                          "the mesh has no axis \"%.*s\"", (int)(length < 100 ? length : 100),
                          name);
    if (out->count == TG_PARTS_MOST)
        return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, offset,
                          "a list has more than %d mesh axes", TG_PARTS_MOST);
    tg_parts_put(out, tg_part_whole(mesh, axis));
    return TG_OK;
}

/* Axes up to a byte, which may follow a comma. */
static tg_status read_axes(tg_scanner *scan, const tg_mesh *mesh, char end, tg_parts *out)
{
    while (!tg_scan_accept(scan, end)) {
        TG_TRY(read_axis(scan, mesh, out));
        if (!tg_scan_accept(scan, ','))
            return tg_scan_expect(scan, end, "after the axes of a dimension");
    }
    return TG_OK;
}

static tg_status read_entry(tg_scanner *scan, const tg_mesh *mesh, tg_parts *out)
{
    out->count = 0;
    const char next = tg_scan_peek(scan);
    const int64_t offset = (int64_t)scan->at;
    if (tg_scan_accept_word(scan, "None")) return TG_OK;
    if (tg_scan_accept_word(scan, "UNCONSTRAINED") ||
        tg_scan_accept_word(scan, "P.UNCONSTRAINED") ||
        tg_scan_accept_word(scan, "PartitionSpec.UNCONSTRAINED"))
        return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, offset,
                          "UNCONSTRAINED does not say where an array is");
    if (next == '\'' || next == '"') return read_axis(scan, mesh, out);
    if (tg_scan_accept(scan, '(')) return read_axes(scan, mesh, ')', out);
    return tg_scan_wrong(scan, "None, an axis in quotes, or a tuple of axes");
}

static tg_status read_set(tg_scanner *scan, const tg_mesh *mesh, tg_parts *out)
{
    out->count = 0;
    TG_TRY(tg_scan_expect(scan, '=', "before a set of axes"));
    TG_TRY(tg_scan_expect(scan, '{', "before a set of axes"));
    return read_axes(scan, mesh, '}', out);
}

/* "unreduced={'x'}", "unreduced_kind=sum" or "reduced={'x'}", if that comes next: says so in
 * `is_one`. */
static tg_status read_keyword(tg_scanner *scan, const tg_mesh *mesh, tg_sharding *out, bool *is_one)
{
    tg_parts ignored;
    *is_one = true;
    if (tg_scan_accept_word(scan, "unreduced_kind")) {
        TG_TRY(tg_scan_expect(scan, '=', "after unreduced_kind"));
        return tg_reduction_scan(scan, &out->reduction) ? TG_OK
                                                        : tg_scan_wrong(scan, "sum, max or min");
    }
    if (tg_scan_accept_word(scan, "unreduced")) return read_set(scan, mesh, &out->unreduced);
    if (tg_scan_accept_word(scan, "reduced")) return read_set(scan, mesh, &ignored);
    *is_one = false;
    return TG_OK;
}

static tg_status read_spec(tg_scanner *scan, const tg_mesh *mesh, tg_sharding *out)
{
    if (!tg_scan_accept_word(scan, "PartitionSpec")) TG_TRY(tg_scan_expect_word(scan, "P"));
    TG_TRY(tg_scan_expect(scan, '(', "before the entries of a PartitionSpec"));
    while (!tg_scan_accept(scan, ')')) {
        bool is_keyword;
        TG_TRY(read_keyword(scan, mesh, out, &is_keyword));
        if (!is_keyword && out->rank == TG_SHAPE_MAX_RANK)
            return tg_scan_wrong(scan, "at most 16 entries of a PartitionSpec");
        if (!is_keyword) {
            TG_TRY(tg_sharding_extend(out, out->rank + 1, scan->diags));
            TG_TRY(read_entry(scan, mesh, &out->dims[out->rank - 1]));
        }
        if (!tg_scan_accept(scan, ','))
            return tg_scan_expect(scan, ')', "after the entries of a PartitionSpec");
    }
    return TG_OK;
}

tg_status tg_named_sharding_read(const char *text, size_t length, tg_mesh *mesh, tg_sharding *out,
                                 tg_diags *diags)
{
    tg_scanner scan = {text, length, 0, diags};
    TG_TRY(tg_mesh_scan(&scan, mesh));
    tg_sharding_begin(out, 0);
    TG_TRY(read_spec(&scan, mesh, out));
    TG_TRY(tg_scan_expect_end(&scan));
    tg_parts_sort(&out->unreduced); /* a set has no order */
    return tg_sharding_check(mesh, out, diags);
}

static tg_status check_whole(const tg_mesh *mesh, const tg_parts *parts, tg_diags *diags)
{
    for (int i = 0; i < parts->count; i++) {
        const tg_part *part = &parts->list[i];
        if (!tg_part_is_whole(mesh, part))
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "a PartitionSpec has no sub-axis, such as \"%s\":(%d)%d",
                           mesh->axes[part->axis].name, part->pre, part->size);
    }
    return TG_OK;
}

static tg_status check(const tg_mesh *mesh, const tg_sharding *sharding, tg_diags *diags)
{
    for (int d = 0; d < sharding->rank; d++) {
        TG_TRY(check_whole(mesh, &sharding->dims[d], diags));
        if (sharding->open[d] || sharding->priority[d] >= 0)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "a PartitionSpec has no open dimension, as dimension %d is", d);
    }
    TG_TRY(check_whole(mesh, &sharding->unreduced, diags));
    if (sharding->replicated.count)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a PartitionSpec does not say which axes must be replicated");
    if (tg_mesh_is_one_device(mesh))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "a PartitionSpec is not of device %d alone",
                       mesh->ids[0]);
    return TG_OK;
}

static void print_names(const tg_mesh *mesh, const tg_parts *parts, tg_text *out)
{
    for (int i = 0; i < parts->count; i++)
        tg_text_add(out, "%s'%s'", i ? ", " : "", mesh->axes[parts->list[i].axis].name);
}

tg_status tg_named_sharding_print(const tg_mesh *mesh, const tg_sharding *sharding, tg_text *out,
                                  tg_diags *diags)
{
    TG_TRY(check(mesh, sharding, diags));
    tg_text_put(out, "P(");
    for (int d = 0; d < sharding->rank; d++) {
        const tg_parts *parts = &sharding->dims[d];
        if (d) tg_text_put(out, ", ");
        tg_text_put(out, parts->count == 0 ? "None" : parts->count > 1 ? "(" : "");
        print_names(mesh, parts, out);
        tg_text_put(out, parts->count > 1 ? ")" : "");
    }
    if (sharding->unreduced.count) {
        tg_text_put(out, sharding->rank ? ", unreduced={" : "unreduced={");
        print_names(mesh, &sharding->unreduced, out);
        tg_text_add(out, "}, unreduced_kind=%s", tg_reduction_names[sharding->reduction]);
    }
    tg_text_put(out, ")");
    return TG_OK;
}
