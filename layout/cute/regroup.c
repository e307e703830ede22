#include "layout/cute/regroup.h"

/* Node `at` of `a`, and node `tt` of the tiler, for the operation on their layouts. */
static tg_status pair_node(const tg_cute *a, int at, const tg_tiler *b, int bt, tg_pairing *pair,
                           tg_cute *out, tg_diags *diags)
{
    tg_cute layout, tile;
    tg_cute_begin(&layout);
    tg_cute_put_node(&layout, a, at);
    tg_cute_begin(&tile);
    tg_cute_put_node(&tile, &b->layout, bt);
    return pair(&layout, &tile, out, diags);
}

static tg_status put_pairs(const tg_cute *a, int at, const tg_tiler *b, int bt, tg_pairing *pair,
                           tg_cute *out, tg_diags *diags)
{
    tg_cute result;
    if (b->kind[bt] == TG_TILER_NONE) {
        tg_cute_put_node(out, a, at);
        return TG_OK;
    }
    if (b->kind[bt] == TG_TILER_LAYOUT) {
        TG_TRY(pair_node(a, at, b, bt, pair, &result, diags));
        tg_cute_put_node(out, &result, 0);
        return TG_OK;
    }
    const int rank = tg_tuple_rank(&a->shape, at), tuple = tg_cute_open(out);
    const int tiled = tg_tuple_rank(&b->layout.shape, bt);
    TG_TRY(tg_tiler_check_rank(b, bt, rank, diags));
    for (int i = 0; i < rank; i++) {
        const int mode = tg_tuple_element(&a->shape, at, i);
        if (i < tiled)
            TG_TRY(
                put_pairs(a, mode, b, tg_tuple_element(&b->layout.shape, bt, i), pair, out, diags));
        else
            tg_cute_put_node(out, a, mode);
    }
    tg_cute_close(out, tuple);
    return TG_OK;
}

static tg_status finish(const tg_cute *a, const tg_tiler *b, tg_cute *result, tg_cute *out,
                        tg_diags *diags)
{
    TG_TRY(tg_cute_check_plain(&b->layout, "a tiler of a division or a product", diags));
    result->offset = a->offset;
    result->swizzle = a->swizzle;
    tg_cute_copy(result, out);
    return tg_cute_check(out, diags);
}

tg_status tg_cute_pair(const tg_cute *a, const tg_tiler *b, tg_pairing *pair, tg_cute *out,
                       tg_diags *diags)
{
    tg_cute result;
    tg_cute_begin(&result);
    TG_TRY(put_pairs(a, 0, b, 0, pair, &result, diags));
    return finish(a, b, &result, out, diags);
}

/* `part` 0: what becomes mode 0; 1: what becomes mode 1. */
static tg_status put_part(const tg_cute *a, int at, const tg_tiler *b, int bt, tg_pairing *pair,
                          int part, tg_cute *out, tg_diags *diags)
{
    tg_cute result;
    if (b->kind[bt] == TG_TILER_NONE) {
        if (part)
            tg_cute_put_node(out, a, at);
        else
            tg_cute_put(out, 1, 0);
        return TG_OK;
    }
    if (b->kind[bt] == TG_TILER_LAYOUT) {
        TG_TRY(pair_node(a, at, b, bt, pair, &result, diags));
        tg_cute_put_node(out, &result, tg_tuple_element(&result.shape, 0, part));
        return TG_OK;
    }
    const int rank = tg_tuple_rank(&a->shape, at), tuple = tg_cute_open(out);
    const int tiled = tg_tuple_rank(&b->layout.shape, bt);
    TG_TRY(tg_tiler_check_rank(b, bt, rank, diags));
    for (int i = 0; i < (part ? rank : tiled); i++) {
        const int mode = tg_tuple_element(&a->shape, at, i);
        if (i < tiled)
            TG_TRY(put_part(a, mode, b, tg_tuple_element(&b->layout.shape, bt, i), pair, part, out,
                            diags));
        else
            tg_cute_put_node(out, a, mode);
    }
    tg_cute_close(out, tuple);
    return TG_OK;
}

tg_status tg_cute_pair_zipped(const tg_cute *a, const tg_tiler *b, tg_pairing *pair, tg_cute *out,
                              tg_diags *diags)
{
    tg_cute result;
    tg_cute_begin(&result);
    const int tuple = tg_cute_open(&result);
    TG_TRY(put_part(a, 0, b, 0, pair, 0, &result, diags));
    TG_TRY(put_part(a, 0, b, 0, pair, 1, &result, diags));
    tg_cute_close(&result, tuple);
    return finish(a, b, &result, out, diags);
}

tg_status tg_cute_unzip(tg_cute *zipped, bool both, tg_diags *diags)
{
    tg_cute result;
    tg_cute_begin(&result);
    result.offset = zipped->offset;
    result.swizzle = zipped->swizzle;
    const int tuple = tg_cute_open(&result);
    for (int part = 0; part < 2; part++) {
        const int mode = tg_tuple_element(&zipped->shape, 0, part);
        const int rank = tg_tuple_rank(&zipped->shape, mode);
        if (part == 0 && !both) {
            tg_cute_put_node(&result, zipped, mode);
            continue;
        }
        for (int i = 0; i < rank; i++)
            tg_cute_put_node(&result, zipped, tg_tuple_element(&zipped->shape, mode, i));
    }
    tg_cute_close(&result, tuple);
    tg_cute_copy(&result, zipped);
    return tg_cute_check(zipped, diags);
}
