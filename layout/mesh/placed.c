#include "layout/mesh/placed.h"

#include <stdlib.h>
#include <string.h>

#include "layout/mesh/named_sharding.h"
#include "layout/mesh/sbp.h"
#include "layout/mesh/shardy.h"

static bool begins(const tg_scanner *scan, const char *word)
{
    const size_t length = strlen(word);
    return scan->length - scan->at >= length && memcmp(scan->text + scan->at, word, length) == 0;
}

/* Whether a signature of SBP comes next: extents of an Axe layout are digits. */
static bool is_signature(tg_scanner scan)
{
    if (!tg_scan_accept(&scan, '(')) return false;
    const char next = tg_scan_peek(&scan);
    return next == 'S' || next == 'B' || next == 'P';
}

static tg_placed_form form_of(tg_scanner *scan)
{
    tg_scan_peek(scan);
    if (begins(scan, "P(") || begins(scan, "PartitionSpec(")) return TG_PLACED_JAX;
    if (begins(scan, "#") || begins(scan, "sdy.") || begins(scan, "[")) return TG_PLACED_SHARDY;
    return is_signature(*scan) ? TG_PLACED_SBP : TG_PLACED_AXE;
}

/* Reads a text that begins with a mesh, unless it is an Axe layout. */
static tg_status read_form(const char *text, size_t length, int rank, tg_placed *out,
                           tg_diags *diags)
{
    switch (out->form) {
    case TG_PLACED_JAX:
        return tg_named_sharding_read(text, length, &out->mesh, &out->sharding, diags);
    case TG_PLACED_SHARDY: return tg_shardy_read(text, length, &out->mesh, &out->sharding, diags);
    case TG_PLACED_SBP: return tg_sbp_read(text, length, rank, &out->mesh, &out->sharding, diags);
    default: return tg_spread_read(text, length, &out->spread, diags);
    }
}

/* The problems of a text that `before` bytes stand in front of, and `skipped` behind these are left
 * out. */
static void hand_on(const tg_diags *found, int64_t shift, int64_t length, tg_diags *diags)
{
    for (size_t i = 0; i < found->count; i++) {
        const tg_diag *one = &found->list[i];
        int64_t offset = one->offset;
        if (offset >= 0) offset += shift;
        if (offset > length) offset = length;
        tg_fail_at(diags, one->status, NULL, offset < 0 ? -1 : offset, "%s", one->message);
    }
}

/* Reads a text without a mesh, with one in front of it. */
static tg_status read_behind(const char *text, size_t length, const tg_mesh *mesh, int rank,
                             tg_placed *out, tg_diags *diags)
{
    tg_text whole = {0};
    tg_diags found = {0};
    tg_text_put(&whole, out->form == TG_PLACED_SHARDY ? "#sdy.sharding<mesh" : "");
    tg_mesh_print_shardy(mesh, &whole);
    tg_text_put(&whole, out->form == TG_PLACED_SHARDY ? ", " : " ");
    const int64_t shift = -(int64_t)whole.length;
    tg_text_put_bytes(&whole, text, length);
    if (out->form == TG_PLACED_SHARDY) tg_text_put(&whole, ">");
    const size_t size = whole.length;
    char *combined = tg_text_finish(&whole);
    if (!combined) return tg_no_memory(diags);
    const tg_status status = read_form(combined, size, rank, out, &found);
    hand_on(&found, shift, (int64_t)length, diags);
    tg_diags_free(&found);
    free(combined);
    return status;
}

static tg_status check_mesh(const tg_placed *placed, const tg_mesh *mesh, tg_diags *diags)
{
    if (!mesh ||
        (tg_mesh_same_axes(&placed->mesh, mesh) && tg_mesh_same_devices(&placed->mesh, mesh)))
        return TG_OK;
    tg_text text = {0};
    tg_text_put(&text, "its mesh is ");
    tg_mesh_print(&placed->mesh, &text);
    tg_text_put(&text, ", but that of the devices ");
    tg_mesh_print(mesh, &text);
    char *reason = tg_text_finish(&text);
    if (!reason) return tg_no_memory(diags);
    tg_fail(diags, TG_ERR_INVALID, NULL, "%s", reason);
    free(reason);
    return TG_ERR_INVALID;
}

/* An Axe layout, from byte `at` on. */
static tg_status read_axe(const char *text, size_t length, size_t at, tg_placed *out,
                          tg_diags *diags)
{
    tg_diags found = {0};
    const tg_status status = tg_spread_read(text + at, length - at, &out->spread, &found);
    hand_on(&found, (int64_t)at, (int64_t)length, diags);
    tg_diags_free(&found);
    return status;
}

tg_status tg_placed_read(const char *text, size_t length, const tg_mesh *mesh, int rank,
                         tg_placed *out, tg_diags *diags)
{
    tg_scanner scan = {text, length, 0, NULL};
    bool has_own = tg_mesh_scan(&scan, &out->mesh) == TG_OK;
    if (!has_own) scan.at = 0;
    out->form = form_of(&scan);
    if (out->form == TG_PLACED_SHARDY && !begins(&scan, "[")) has_own = true;
    out->has_mesh = has_own || mesh;
    if (out->form == TG_PLACED_AXE)
        TG_TRY(read_axe(text, length, has_own ? scan.at : 0, out, diags));
    else if (has_own)
        TG_TRY(read_form(text, length, rank, out, diags));
    else if (mesh)
        TG_TRY(read_behind(text, length, mesh, rank, out, diags));
    else
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "the mesh is needed: names and numbers of devices, such as x=4,y=2");
    if (has_own) return check_mesh(out, mesh, diags);
    if (mesh) out->mesh = *mesh;
    return TG_OK;
}

/* ---- shapes ---- */

/* The sharding with as many dimensions as the array. */
static tg_status extended(const tg_placed *placed, int rank, tg_sharding *out, tg_diags *diags)
{
    tg_sharding_copy(&placed->sharding, out);
    return tg_sharding_extend(out, rank, diags);
}

tg_status tg_placed_whole(const tg_placed *placed, const tg_shape *local, tg_shape *out,
                          tg_diags *diags)
{
    tg_sharding sharding;
    int64_t size;
    if (placed->form == TG_PLACED_AXE)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "an Axe layout does not say the shape of the whole array: give it");
    TG_TRY(extended(placed, local->rank, &sharding, diags));
    out->rank = local->rank;
    for (int d = 0; d < local->rank; d++)
        if (__builtin_mul_overflow(local->extent[d], tg_parts_size(&sharding.dims[d]),
                                   &out->extent[d]))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "dimension %d of the whole array does not fit in 63 bits", d);
    return tg_shape_size(out, &size, diags);
}

tg_status tg_placed_part(const tg_placed *placed, const tg_shape *shape, tg_shape *out,
                         tg_diags *diags)
{
    tg_sharding sharding;
    TG_TRY(extended(placed, shape->rank, &sharding, diags));
    return tg_sharding_shard_shape(&sharding, shape, out, diags);
}

tg_status tg_placed_spread(const tg_placed *placed, const tg_shape *shape, tg_spread *out,
                           tg_diags *diags)
{
    tg_sharding sharding;
    int64_t size;
    if (placed->form != TG_PLACED_AXE) {
        TG_TRY(extended(placed, shape->rank, &sharding, diags));
        return tg_spread_from_sharding(&placed->mesh, &sharding, shape, out, diags);
    }
    TG_TRY(tg_shape_size(shape, &size, diags));
    *out = placed->spread;
    if (tg_iters_size(&out->layout.d) == size) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL, "the layout has %lld elements, but the array %lld",
                   (long long)tg_iters_size(&out->layout.d), (long long)size);
}
