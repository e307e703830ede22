#include "layout/mosaic/fragment_text.h"

#include <inttypes.h>

#include "layout/mosaic/python.h"

static tg_status read_tiles(tg_scanner *s, tg_tiling *out)
{
    out->count = 0;
    TG_TRY(tg_python_expect_name(s, "Tiling"));
    TG_TRY(tg_python_expect(s, '('));
    TG_TRY(tg_python_keyword(s, "tiles"));
    TG_TRY(tg_python_expect(s, '('));
    while (tg_scan_peek(s) != ')') {
        if (out->count == TG_TILING_MAX_TILES)
            return tg_fail_at(s->diags, TG_ERR_UNSUPPORTED, NULL, (int64_t)s->at,
                              "a tiling has more than %d tiles", TG_TILING_MAX_TILES);
        TG_TRY(tg_python_tuple(s, &out->tiles[out->count++]));
        if (!tg_scan_accept(s, ',')) break;
    }
    TG_TRY(tg_python_expect(s, ')'));
    return tg_python_expect(s, ')');
}

/* An invalid index is left to tg_tiled_check. */
static tg_status read_dim(tg_scanner *s, int *out)
{
    int64_t dim;
    TG_TRY(tg_scan_integer(s, NULL, &dim));
    if (dim < -TG_INTEGERS_MAX || dim > TG_INTEGERS_MAX)
        return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)s->at,
                          "dimension %" PRId64 " is none of a tile", dim);
    *out = (int)dim;
    return TG_OK;
}

static tg_status read_part(tg_scanner *s, tg_counted *out)
{
    *out = (tg_counted){0, 0};
    if (!tg_scan_accept_name(s, "Replicated")) return read_dim(s, &out->dim);
    TG_TRY(tg_python_expect(s, '('));
    TG_TRY(tg_python_keyword(s, "times"));
    const size_t first = s->at;
    TG_TRY(tg_scan_integer(s, NULL, &out->times));
    if (out->times < 1)
        return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "there are %" PRId64 " copies; at least 1", out->times);
    return tg_python_expect(s, ')');
}

static tg_status read_partition(tg_scanner *s, tg_partition *out)
{
    out->count = 0;
    TG_TRY(tg_python_expect(s, '('));
    while (tg_scan_peek(s) != ')') {
        if (out->count == TG_PARTITION_MAX)
            return tg_fail_at(s->diags, TG_ERR_UNSUPPORTED, NULL, (int64_t)s->at,
                              "more than %d dimensions count warps or lanes", TG_PARTITION_MAX);
        TG_TRY(read_part(s, &out->list[out->count++]));
        if (!tg_scan_accept(s, ',')) break;
    }
    return tg_python_expect(s, ')');
}

static tg_status read_tiled(tg_scanner *s, tg_tiled *out)
{
    TG_TRY(tg_python_keyword(s, "tiling"));
    TG_TRY(read_tiles(s, &out->tiling));
    TG_TRY(tg_python_expect(s, ','));
    TG_TRY(tg_python_keyword(s, "warp_dims"));
    TG_TRY(read_partition(s, &out->warp));
    TG_TRY(tg_python_expect(s, ','));
    TG_TRY(tg_python_keyword(s, "lane_dims"));
    TG_TRY(read_partition(s, &out->lane));
    TG_TRY(tg_python_expect(s, ','));
    TG_TRY(tg_python_keyword(s, "vector_dim"));
    return read_dim(s, &out->vector_dim);
}

static tg_status read_shaped(tg_scanner *s, tg_fragment *out)
{
    TG_TRY(tg_python_keyword(s, "shape"));
    TG_TRY(tg_python_tuple(s, &out->shape));
    out->vector_length = 1;
    if (out->kind == TG_FRAGMENT_SPLAT) return TG_OK;
    TG_TRY(tg_python_expect(s, ','));
    TG_TRY(tg_python_keyword(s, "vec_size"));
    return tg_scan_integer(s, NULL, &out->vector_length);
}

static const char *const names[] = {[TG_FRAGMENT_TILED] = "TiledLayout",
                                    [TG_FRAGMENT_TMEM] = "TMEMLayout",
                                    [TG_FRAGMENT_STRIDED] = "WGStridedFragLayout",
                                    [TG_FRAGMENT_SPLAT] = "WGSplatFragLayout"};

static tg_status read_kind(tg_scanner *s, tg_fragment_kind *out)
{
    for (int kind = TG_FRAGMENT_TILED; kind <= TG_FRAGMENT_SPLAT; kind++)
        if (tg_scan_accept_name(s, names[kind])) {
            *out = (tg_fragment_kind)kind;
            return TG_OK;
        }
    return tg_scan_wrong(s, "TiledLayout, TMEMLayout, WGStridedFragLayout or WGSplatFragLayout");
}

tg_status tg_fragment_read(const char *text, size_t length, tg_fragment *out, tg_diags *diags)
{
    tg_scanner s = {text, length, 0, diags};
    TG_TRY(read_kind(&s, &out->kind));
    TG_TRY(tg_python_expect(&s, '('));
    if (out->kind == TG_FRAGMENT_TILED || out->kind == TG_FRAGMENT_TMEM)
        TG_TRY(read_tiled(&s, &out->tiled));
    else
        TG_TRY(read_shaped(&s, out));
    TG_TRY(tg_python_expect(&s, ')'));
    TG_TRY(tg_scan_expect_end(&s));
    return tg_fragment_check(out, diags);
}

tg_status tg_tiling_read(const char *text, size_t length, tg_tiling *out, tg_diags *diags)
{
    tg_scanner s = {text, length, 0, diags};
    TG_TRY(read_tiles(&s, out));
    TG_TRY(tg_scan_expect_end(&s));
    return tg_tiling_check(out, diags);
}

static void print_partition(const tg_partition *partition, tg_text *out)
{
    tg_text_put(out, "(");
    for (int i = 0; i < partition->count; i++) {
        const tg_counted *part = &partition->list[i];
        if (i) tg_text_put(out, ", ");
        if (part->dim)
            tg_text_add(out, "%d", part->dim);
        else
            tg_text_add(out, "Replicated(times=%" PRId64 ")", part->times);
    }
    tg_text_put(out, partition->count == 1 ? ",)" : ")");
}

void tg_fragment_print(const tg_fragment *fragment, tg_text *out)
{
    const tg_tiled *tiled = &fragment->tiled;
    tg_text_add(out, "%s(", names[fragment->kind]);
    if (fragment->kind == TG_FRAGMENT_TILED || fragment->kind == TG_FRAGMENT_TMEM) {
        tg_text_put(out, "tiling=Tiling(tiles=");
        tg_tiling_print(&tiled->tiling, out);
        tg_text_put(out, "), warp_dims=");
        print_partition(&tiled->warp, out);
        tg_text_put(out, ", lane_dims=");
        print_partition(&tiled->lane, out);
        tg_text_add(out, ", vector_dim=%d)", tiled->vector_dim);
        return;
    }
    tg_text_put(out, "shape=");
    tg_integers_print(fragment->shape.extent, fragment->shape.rank, out);
    if (fragment->kind == TG_FRAGMENT_STRIDED)
        tg_text_add(out, ", vec_size=%" PRId64, fragment->vector_length);
    tg_text_put(out, ")");
}
