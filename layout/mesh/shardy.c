#include "layout/mesh/shardy.h"

#include <string.h>

/* Reads "sdy.mesh @name = MESH", if that comes next: returns whether in `is_one`. */
static tg_status read_definition(tg_scanner *scan, bool *is_one, const char **name, size_t *length,
                                 tg_mesh *mesh)
{
    *is_one = tg_scan_accept_word(scan, "sdy.mesh");
    if (!*is_one) return TG_OK;
    TG_TRY(tg_scan_expect(scan, '@', "before the name of a mesh"));
    *length = tg_scan_word(scan, name);
    if (!*length) return tg_scan_wrong(scan, "the name of a mesh");
    TG_TRY(tg_scan_expect(scan, '=', "after the name of a mesh"));
    return tg_mesh_scan(scan, mesh);
}

/* Reads definitions again, from the beginning, up to the one with the name. */
static tg_status find_mesh(const tg_scanner *scan, const char *name, size_t length, int64_t offset,
                           tg_mesh *mesh)
{
    tg_scanner again = {scan->text, scan->length, 0, scan->diags};
    for (;;) {
        bool is_one;
        const char *other;
        size_t other_length;
        TG_TRY(read_definition(&again, &is_one, &other, &other_length, mesh));
        if (!is_one)
            return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, offset, "there is no mesh @%.*s",
                              (int)(length < 100 ? length : 100), name);
        if (length == other_length && memcmp(name, other, length) == 0) return TG_OK;
    }
}

static tg_status read_mesh(tg_scanner *scan, tg_mesh *mesh)
{
    const char *name;
    tg_scan_peek(scan);
    const int64_t offset = (int64_t)scan->at;
    if (tg_scan_accept_word(scan, "mesh")) return tg_mesh_scan(scan, mesh);
    TG_TRY(tg_scan_expect(scan, '@', "or \"mesh<\" at the begin of a sharding"));
    const size_t length = tg_scan_word(scan, &name);
    if (!length) return tg_scan_wrong(scan, "the name of a mesh");
    return find_mesh(scan, name, length, offset, mesh);
}

static tg_status read_dim(tg_scanner *scan, const tg_mesh *mesh, tg_sharding *out)
{
    const int d = out->rank;
    if (d == TG_SHAPE_MAX_RANK) return tg_scan_wrong(scan, "at most 16 dimensions");
    TG_TRY(tg_sharding_extend(out, d + 1, scan->diags));
    TG_TRY(tg_parts_scan(scan, mesh, &out->dims[d], &out->open[d]));
    tg_scan_peek(scan);
    const int64_t offset = (int64_t)scan->at;
    if (!tg_scan_accept(scan, 'p')) return TG_OK;
    TG_TRY(tg_scan_small(scan, "a priority", &out->priority[d]));
    if (out->priority[d] < 0)
        return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, offset,
                          "dimension %d has priority %d, below 0", d, out->priority[d]);
    return TG_OK;
}

/* "replicated={..}" and "unreduced=max{..}", after the dimensions. */
static tg_status read_rest(tg_scanner *scan, const tg_mesh *mesh, tg_sharding *out)
{
    while (tg_scan_accept(scan, ',')) {
        const bool unreduced = tg_scan_accept_word(scan, "unreduced");
        if (!unreduced) TG_TRY(tg_scan_expect_word(scan, "replicated"));
        TG_TRY(tg_scan_expect(scan, '=', "before a list of axes"));
        if (unreduced) tg_reduction_scan(scan, &out->reduction);
        TG_TRY(tg_parts_scan(scan, mesh, unreduced ? &out->unreduced : &out->replicated, NULL));
    }
    return tg_scan_expect(scan, '>', "after a sharding");
}

tg_status tg_shardy_read(const char *text, size_t length, tg_mesh *mesh, tg_sharding *out,
                         tg_diags *diags)
{
    tg_scanner scan = {text, length, 0, diags};
    const char *name;
    size_t name_length;
    for (bool more = true; more;) TG_TRY(read_definition(&scan, &more, &name, &name_length, mesh));
    tg_scan_accept_word(&scan, "#sdy.sharding");
    TG_TRY(tg_scan_expect(&scan, '<', "before a sharding"));
    TG_TRY(read_mesh(&scan, mesh));
    TG_TRY(tg_scan_expect(&scan, ',', "after the mesh"));
    TG_TRY(tg_scan_expect(&scan, '[', "before the dimensions"));
    tg_sharding_begin(out, 0);
    if (tg_scan_peek(&scan) != ']') do {
            TG_TRY(read_dim(&scan, mesh, out));
        } while (tg_scan_accept(&scan, ','));
    TG_TRY(tg_scan_expect(&scan, ']', "after the dimensions"));
    TG_TRY(read_rest(&scan, mesh, out));
    TG_TRY(tg_scan_expect_end(&scan));
    return tg_sharding_check(mesh, out, diags);
}

static void print_dim(const tg_mesh *mesh, const tg_sharding *sharding, int d, tg_text *out)
{
    const tg_parts *parts = &sharding->dims[d];
    tg_text_put(out, "{");
    for (int i = 0; i < parts->count; i++) {
        if (i) tg_text_put(out, ", ");
        tg_part_print(mesh, &parts->list[i], out);
    }
    if (sharding->open[d]) tg_text_put(out, parts->count ? ", ?" : "?");
    tg_text_put(out, "}");
    if (sharding->priority[d] >= 0) tg_text_add(out, "p%d", sharding->priority[d]);
}

void tg_shardy_print_axes(const tg_mesh *mesh, const tg_sharding *sharding, tg_text *out)
{
    tg_text_put(out, "[");
    for (int d = 0; d < sharding->rank; d++) {
        if (d) tg_text_put(out, ", ");
        print_dim(mesh, sharding, d, out);
    }
    tg_text_put(out, "]");
    if (sharding->replicated.count) {
        tg_text_put(out, ", replicated=");
        tg_parts_print(mesh, &sharding->replicated, out);
    }
    if (sharding->unreduced.count) {
        tg_text_put(out, ", unreduced=");
        if (sharding->reduction != TG_REDUCTION_SUM)
            tg_text_put(out, tg_reduction_names[sharding->reduction]);
        tg_parts_print(mesh, &sharding->unreduced, out);
    }
}

void tg_shardy_print(const tg_mesh *mesh, const tg_sharding *sharding, tg_text *out)
{
    tg_text_put(out, "#sdy.sharding<mesh");
    tg_mesh_print_shardy(mesh, out);
    tg_text_put(out, ", ");
    tg_shardy_print_axes(mesh, sharding, out);
    tg_text_put(out, ">");
}

tg_status tg_shardy_pad(const tg_sharding *sharding, const tg_shape *shape, tg_shape *out,
                        tg_diags *diags)
{
    int64_t size;
    TG_TRY(tg_sharding_check_shape(sharding, shape, diags));
    *out = *shape;
    for (int d = 0; d < shape->rank; d++) {
        const int64_t blocks = tg_parts_size(&sharding->dims[d]), over = shape->extent[d] % blocks;
        if (over && __builtin_add_overflow(shape->extent[d], blocks - over, &out->extent[d]))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "dimension %d, padded to a multiple of %lld, does not fit in 63 bits", d,
                           (long long)blocks);
    }
    return tg_shape_size(out, &size, diags);
}

tg_status tg_shardy_check_padding(const tg_sharding *sharding, const tg_shape *shape,
                                  tg_diags *diags)
{
    tg_shape padded;
    TG_TRY(tg_shardy_pad(sharding, shape, &padded, diags));
    for (int d = 0; d < shape->rank; d++)
        if (padded.extent[d] != shape->extent[d])
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "dimension %d of %lld elements in %lld blocks is padded to %lld, and a "
                           "layout has no padding",
                           d, (long long)shape->extent[d],
                           (long long)tg_parts_size(&sharding->dims[d]),
                           (long long)padded.extent[d]);
    return TG_OK;
}
