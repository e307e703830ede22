#include <string.h>

#include "layout/mesh/mesh.h"

static tg_status read_axis(tg_scanner *scan, bool quoted, tg_mesh *out)
{
    const char *name;
    size_t length;
    int size;
    tg_scan_peek(scan);
    const int64_t offset = (int64_t)scan->at;
    if (quoted)
        TG_TRY(tg_scan_quoted(scan, "the name of an axis", &name, &length));
    else if (!(length = tg_scan_word(scan, &name)))
        return tg_scan_wrong(scan, "the name of an axis");
    TG_TRY(tg_scan_expect(scan, '=', "after the name of an axis"));
    TG_TRY(tg_scan_small(scan, "the size of an axis", &size));
    return tg_mesh_add(out, name, length, size, offset, scan->diags);
}

static tg_status read_ids(tg_scanner *scan, tg_mesh *out, int *count)
{
    for (*count = 0; *count == 0 || tg_scan_accept(scan, ','); ++*count) {
        int id;
        tg_scan_peek(scan);
        const int64_t offset = (int64_t)scan->at;
        TG_TRY(tg_scan_small(scan, "the id of a device", &id));
        if (id < 0)
            return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, offset,
                              "the id of a device is %d; it is at least 0", id);
        if (*count < TG_MESH_MAX_DEVICES) out->ids[*count] = id;
    }
    return TG_OK;
}

static tg_status check_ids(const tg_mesh *mesh, int count, int64_t offset, tg_diags *diags)
{
    bool seen[TG_MESH_MAX_DEVICES] = {false}, identity = true;
    if (count != mesh->device_count)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset,
                          "there are %d ids of devices, but the sizes of the axes make %d devices",
                          count, mesh->device_count);
    if (!mesh->axis_count) return TG_OK; /* one device of any id */
    for (int p = 0; p < count; p++) {
        const int id = mesh->ids[p];
        if (id >= count)
            return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset,
                              "a device has id %d; ids of %d devices are 0 to %d", id, count,
                              count - 1);
        if (seen[id])
            return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset, "two devices have id %d", id);
        seen[id] = true;
        identity &= id == p;
    }
    if (identity)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset,
                          "ids of devices in ascending order are not written");
    return TG_OK;
}

/* After '<'. */
static tg_status read_shardy(tg_scanner *scan, tg_mesh *out)
{
    TG_TRY(tg_scan_expect(scan, '[', "before the axes of a mesh"));
    if (tg_scan_peek(scan) != ']') do {
            TG_TRY(read_axis(scan, true, out));
        } while (tg_scan_accept(scan, ','));
    TG_TRY(tg_scan_expect(scan, ']', "after the axes of a mesh"));
    if (tg_scan_accept(scan, ',')) {
        int count;
        TG_TRY(tg_scan_expect_word(scan, "device_ids"));
        TG_TRY(tg_scan_expect(scan, '=', "after device_ids"));
        TG_TRY(tg_scan_expect(scan, '[', "before the ids of devices"));
        const int64_t offset = (int64_t)scan->at;
        TG_TRY(read_ids(scan, out, &count));
        TG_TRY(tg_scan_expect(scan, ']', "after the ids of devices"));
        TG_TRY(check_ids(out, count, offset, scan->diags));
        out->has_ids = true;
    }
    return tg_scan_expect(scan, '>', "after a mesh");
}

/* Whether a word and '=' come next. */
static bool is_at_axis(const tg_scanner *scan)
{
    tg_scanner ahead = *scan;
    const char *name;
    return tg_scan_word(&ahead, &name) && tg_scan_peek(&ahead) == '=';
}

tg_status tg_mesh_scan(tg_scanner *scan, tg_mesh *out)
{
    tg_mesh_begin(out);
    if (tg_scan_accept(scan, '<')) return read_shardy(scan, out);
    if (!is_at_axis(scan)) return tg_scan_wrong(scan, "a mesh, such as x=4,y=2");
    do {
        TG_TRY(read_axis(scan, false, out));
    } while (tg_scan_accept(scan, ','));
    return TG_OK;
}

tg_status tg_mesh_read(const char *text, size_t length, tg_mesh *out, tg_diags *diags)
{
    tg_scanner scan = {text, length, 0, diags};
    TG_TRY(tg_mesh_scan(&scan, out));
    return tg_scan_expect_end(&scan);
}
