#include "layout/cute/product.h"

#include "layout/cute/complement.h"
#include "layout/cute/compose.h"
#include "layout/cute/regroup.h"

static bool goes_both_ways(const tg_cute *cute)
{
    bool ups = false, downs = false;
    for (int i = 0; i < cute->shape.count; i++)
        if (tg_tuple_is_integer(&cute->shape, i) && cute->shape.node[i].value > 1) {
            ups |= cute->stride.node[i].value > 0;
            downs |= cute->stride.node[i].value < 0;
        }
    return ups && downs;
}

/* Where B goes beyond the free places of A, or below them, their last mode goes on: the places are free if
 * it steps over the block. */
static tg_status check_places(const tg_cute *a, const tg_cute *places, const tg_cute *b,
                              tg_diags *diags)
{
    const bool steps_over =
        places->stride.node[places->stride.count - 1].value >= tg_cute_cosize(a);
    const int64_t wanted = tg_cute_cosize(b), size = tg_cute_size(places);
    if (wanted > size && !steps_over)
        return tg_fail(
            diags, TG_ERR_INVALID, NULL,
            "the first layout has %lld free places, and the second goes over %lld: gaps of "
            "the first are not filled evenly",
            (long long)size, (long long)wanted);
    if (goes_both_ways(b) && !(steps_over && tg_tuple_is_integer(&places->shape, 0)))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the second layout goes up and down in gaps of the first, where repetitions "
                       "would overlap");
    return TG_OK;
}

static tg_status multiply(const tg_cute *a, const tg_cute *b, tg_cute *out, tg_diags *diags)
{
    tg_cute free_places, repetitions;
    int64_t most;
    if (__builtin_mul_overflow(tg_cute_size(a), tg_cute_cosize(b), &most))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the size of the product does not fit in 63 bits");
    TG_TRY(tg_cute_complement(a, most, &free_places, diags));
    TG_TRY(check_places(a, &free_places, b, diags));
    TG_TRY(tg_cute_compose(&free_places, b, &repetitions, diags));
    tg_cute_begin(out);
    const int tuple = tg_cute_open(out);
    tg_cute_put_node(out, a, 0);
    tg_cute_put_node(out, &repetitions, 0);
    tg_cute_close(out, tuple);
    return tg_cute_check(out, diags);
}

tg_status tg_cute_product(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags)
{
    return tg_cute_pair(a, b, multiply, out, diags);
}

tg_status tg_cute_zipped_product(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags)
{
    return tg_cute_pair_zipped(a, b, multiply, out, diags);
}

tg_status tg_cute_tiled_product(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags)
{
    TG_TRY(tg_cute_zipped_product(a, b, out, diags));
    return tg_cute_unzip(out, false, diags);
}

tg_status tg_cute_flat_product(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags)
{
    TG_TRY(tg_cute_zipped_product(a, b, out, diags));
    return tg_cute_unzip(out, true, diags);
}

/* With modes 1:0 at the end, up to `rank`. */
static void put_padded(const tg_cute *cute, int rank, tg_cute *out)
{
    const int own = tg_cute_rank(cute);
    tg_cute_begin(out);
    if (own == rank) {
        tg_cute_put_node(out, cute, 0);
    } else {
        const int tuple = tg_cute_open(out);
        for (int i = 0; i < own; i++)
            tg_cute_put_node(out, cute, tg_tuple_element(&cute->shape, 0, i));
        for (int i = own; i < rank; i++) tg_cute_put(out, 1, 0);
        tg_cute_close(out, tuple);
    }
}

/* Mode i is (mode i of part `first` of the product, mode i of the other).  An integer, which may have become
 * a tuple in the product, is one mode. */
static void zip_product(const tg_cute *product, int rank, int first, tg_cute *out)
{
    const int part[2] = {tg_tuple_element(&product->shape, 0, first),
                         tg_tuple_element(&product->shape, 0, 1 - first)};
    const int all = tg_cute_open(out);
    for (int i = 0; i < rank; i++) {
        const int mode = tg_cute_open(out);
        for (int k = 0; k < 2; k++) {
            const int at = rank == 1 ? part[k] : tg_tuple_element(&product->shape, part[k], i);
            tg_cute_put_node(out, product, at);
        }
        tg_cute_close(out, mode);
    }
    tg_cute_close(out, all);
}

static tg_status rank_sensitive(const tg_cute *a, const tg_cute *b, int first, tg_cute *out,
                                tg_diags *diags)
{
    const int ra = tg_cute_rank(a), rb = tg_cute_rank(b), rank = ra > rb ? ra : rb;
    tg_cute block, grid, product, result;
    TG_TRY(tg_cute_check_plain(b, "the second factor of a product", diags));
    put_padded(a, rank, &block);
    put_padded(b, rank, &grid);
    TG_TRY(tg_cute_check(&block, diags));
    TG_TRY(tg_cute_check(&grid, diags));
    TG_TRY(multiply(&block, &grid, &product, diags));
    tg_cute_begin(&result);
    zip_product(&product, rank, first, &result);
    result.offset = a->offset;
    result.swizzle = a->swizzle;
    tg_cute_copy(&result, out);
    return tg_cute_check(out, diags);
}

tg_status tg_cute_blocked_product(const tg_cute *a, const tg_cute *b, tg_cute *out, tg_diags *diags)
{
    return rank_sensitive(a, b, 0, out, diags);
}

tg_status tg_cute_raked_product(const tg_cute *a, const tg_cute *b, tg_cute *out, tg_diags *diags)
{
    return rank_sensitive(a, b, 1, out, diags);
}
