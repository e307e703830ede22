#include "layout/mosaic/transforms_text.h"

#include <inttypes.h>

#include "layout/mosaic/python.h"

static const char *const names[] = {[TG_TRANSFORM_TILE] = "TilingTransform",
                                    [TG_TRANSFORM_TRANSPOSE] = "TransposeTransform",
                                    [TG_TRANSFORM_SWIZZLE] = "SwizzleTransform"};
static const char *const keywords[] = {[TG_TRANSFORM_TILE] = "tiling",
                                       [TG_TRANSFORM_TRANSPOSE] = "permutation",
                                       [TG_TRANSFORM_SWIZZLE] = "swizzle"};

static tg_status read_kind(tg_scanner *s, tg_transform_kind *out)
{
    *out = TG_TRANSFORM_TILE;
    if (tg_scan_accept_name(s, "TileTransform")) return TG_OK;
    for (int kind = TG_TRANSFORM_TILE; kind <= TG_TRANSFORM_SWIZZLE; kind++)
        if (tg_scan_accept_name(s, names[kind])) {
            *out = (tg_transform_kind)kind;
            return TG_OK;
        }
    return tg_scan_wrong(s, "TilingTransform, TransposeTransform or SwizzleTransform");
}

static tg_status read_bytes(tg_scanner *s, int *out)
{
    int64_t bytes;
    const size_t first = s->at;
    TG_TRY(tg_scan_integer(s, NULL, &bytes));
    if (bytes != 16 && bytes != 32 && bytes != 64 && bytes != 128)
        return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "a swizzle is of 16, 32, 64 or 128 bytes, not of %" PRId64, bytes);
    *out = (int)bytes;
    return TG_OK;
}

static tg_status read_transform(tg_scanner *s, tg_transforms *out)
{
    if (out->count == TG_TRANSFORMS_MAX)
        return tg_fail_at(s->diags, TG_ERR_UNSUPPORTED, NULL, (int64_t)s->at,
                          "there are more than %d transforms", TG_TRANSFORMS_MAX);
    tg_transform *t = &out->list[out->count++];
    *t = (tg_transform){0};
    TG_TRY(read_kind(s, &t->kind));
    TG_TRY(tg_python_expect(s, '('));
    TG_TRY(tg_python_keyword(s, keywords[t->kind]));
    if (t->kind == TG_TRANSFORM_SWIZZLE)
        TG_TRY(read_bytes(s, &t->bytes));
    else
        TG_TRY(tg_python_tuple(s, &t->list));
    return tg_python_expect(s, ')');
}

tg_status tg_transforms_read(const char *text, size_t length, tg_transforms *out, tg_diags *diags)
{
    tg_scanner s = {text, length, 0, diags};
    out->count = 0;
    if (tg_scan_accept(&s, '(')) {
        while (tg_scan_peek(&s) != ')') {
            TG_TRY(read_transform(&s, out));
            if (!tg_scan_accept(&s, ',')) break;
        }
        TG_TRY(tg_python_expect(&s, ')'));
    } else {
        TG_TRY(read_transform(&s, out));
    }
    return tg_scan_expect_end(&s);
}

void tg_transforms_print(const tg_transforms *transforms, tg_text *out)
{
    tg_text_put(out, "(");
    for (int k = 0; k < transforms->count; k++) {
        const tg_transform *t = &transforms->list[k];
        tg_text_add(out, "%s%s(%s=", k ? ", " : "", names[t->kind], keywords[t->kind]);
        if (t->kind == TG_TRANSFORM_SWIZZLE)
            tg_text_add(out, "%d", t->bytes);
        else
            tg_integers_print(t->list.extent, t->list.rank, out);
        tg_text_put(out, ")");
    }
    tg_text_put(out, transforms->count == 1 ? ",)" : ")");
}
