/* Axe layouts as tiled layouts of Mosaic GPU.
 *
 * Each tile may cut off one digit of each dimension, so tiles can put all digits in any order that keeps
 * those of each dimension from major to minor.  Digits that count warps and lanes may be anywhere, since
 * the layout lists them in the order of their strides; so may the vector.  The rest, digits of the
 * register, must descend in stride, as they do row-major.  Such an order exists exactly if they descend
 * within each dimension. */
#include <inttypes.h>
#include <string.h>

#include "layout/mosaic/convert.h"
#include "layout/mosaic/factors.h"

/* What is cut off first, of the digits that can be. */
typedef enum turn { OF_WARP, OF_REGISTER, OF_LANE, OF_VECTOR, OF_NONE } turn;

typedef struct builder {
    tg_factors f;
    int vector; /* index in f of the factor of vectors; -1: they have length 1 */
    int order[TG_TILING_MOST_DIMS + 4], registers,
        next;                    /* factors of registers, strides descending */
    int head[TG_SHAPE_MAX_RANK]; /* the factor of each dimension that is cut off next */
    int first;                   /* dimension of the tiles */
    int position[2 *
                 TG_AXE_MAX_ITERS]; /* of each factor in the tiled array, after the first tile */
    tg_shape left;                  /* of the dimensions, to be cut */
    tg_tiled *out;
} builder;

static bool is_register(const builder *b, int i)
{
    return b->f.list[i].iter.axis == TG_AXIS_reg && i != b->vector;
}

/* Whether the strides of registers descend within each dimension; else the factor that is wrong. */
static bool descends(const builder *b, int *wrong)
{
    int before = -1;
    for (int i = 0; i < b->f.count; i++) {
        if (!is_register(b, i)) continue;
        if (before >= 0 && b->f.list[before].dim == b->f.list[i].dim &&
            b->f.list[before].iter.stride < b->f.list[i].iter.stride) {
            *wrong = i;
            return false;
        }
        before = i;
    }
    return true;
}

/* The digit of stride 1 is the vector if it is the last of its dimension, so that vectors are contiguous
 * there, or if its place allows nothing else. */
static tg_status choose_vector(builder *b, tg_diags *diags)
{
    int wrong = 0, unit = -1;
    for (int i = 0; i < b->f.count; i++)
        if (b->f.list[i].iter.axis == TG_AXIS_reg && b->f.list[i].iter.stride == 1) unit = i;
    b->vector = -1;
    const bool is_last =
        unit >= 0 && (unit + 1 == b->f.count || b->f.list[unit + 1].dim != b->f.list[unit].dim);
    if (!is_last && descends(b, &wrong)) return TG_OK;
    b->vector = unit;
    if (descends(b, &wrong)) return TG_OK;
    const tg_factor *f = &b->f.list[wrong];
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "in dimension %d, the values of a thread do not ascend: digit %" PRId64
                   ":%" PRId64 "@reg follows one of a smaller stride",
                   f->dim, f->iter.extent, f->iter.stride);
}

static void order_registers(builder *b)
{
    b->registers = b->next = 0;
    for (int i = 0; i < b->f.count; i++) {
        if (!is_register(b, i)) continue;
        int k = b->registers++;
        for (; k > 0 && b->f.list[b->order[k - 1]].iter.stride < b->f.list[i].iter.stride; k--)
            b->order[k] = b->order[k - 1];
        b->order[k] = i;
    }
}

/* The factor of a dimension that is cut off next, or -1. */
static int head_of(const builder *b, int dim)
{
    const int i = b->head[dim];
    return i < b->f.count && b->f.list[i].dim == dim ? i : -1;
}

static bool is_next_register(const builder *b, int i)
{
    return b->next < b->registers && b->order[b->next] == i;
}

static void cut(builder *b, int dim)
{
    const int i = b->head[dim]++;
    b->left.extent[dim] /= b->f.list[i].iter.extent;
    if (is_next_register(b, i)) b->next++;
}

/* The major digits that no tile needs to cut: registers, row-major, at most one of each dimension. */
static void cut_outside(builder *b)
{
    int dim = -1;
    while (b->next < b->registers) {
        const int i = b->order[b->next];
        if (b->f.list[i].dim <= dim || head_of(b, b->f.list[i].dim) != i) return;
        dim = b->f.list[i].dim;
        cut(b, dim);
    }
}

static tg_status add_tile(builder *b, tg_diags *diags)
{
    tg_tiling *tiling = &b->out->tiling;
    const int rank = b->left.rank - b->first;
    if ((tiling->count + 1) * rank > TG_TILING_MOST_DIMS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "tiles of rank %d would have more than %d dimensions together", rank,
                       TG_TILING_MOST_DIMS);
    tg_shape *tile = &tiling->tiles[tiling->count++];
    tile->rank = rank;
    memcpy(tile->extent, b->left.extent + b->first, (size_t)rank * sizeof *tile->extent);
    return TG_OK;
}

static turn turn_of(const builder *b, int i)
{
    if (i < 0) return OF_NONE;
    if (i == b->vector) return OF_VECTOR;
    switch (b->f.list[i].iter.axis) {
    case TG_AXIS_wid_in_wg: return OF_WARP;
    case TG_AXIS_lane: return OF_LANE;
    default: return is_next_register(b, i) ? OF_REGISTER : OF_NONE;
    }
}

static turn best_turn(const builder *b)
{
    turn best = OF_NONE;
    for (int dim = b->first; dim < b->left.rank; dim++) {
        const turn t = turn_of(b, head_of(b, dim));
        if (t < best) best = t;
    }
    return best;
}

/* Cuts digits of one kind off, at most one of each dimension; the quotients of tile `level`. */
static void cut_level(builder *b, turn wanted, int level)
{
    const int rank = b->left.rank - b->first;
    for (int dim = b->first; dim < b->left.rank; dim++) {
        const int i = head_of(b, dim);
        if (i < 0 || turn_of(b, i) != wanted) continue;
        b->position[i] = level * rank + dim - b->first;
        cut(b, dim);
    }
}

/* Cuts everything, tile by tile.  If the vector comes last, it is what the last tile leaves. */
static tg_status cut_inside(builder *b, tg_diags *diags)
{
    const int rank = b->left.rank - b->first;
    for (int level = 0;; level++) {
        TG_TRY(add_tile(b, diags));
        const int last = b->f.count ? b->vector : -1;
        int64_t size = 1;
        for (int i = b->first; i < b->left.rank; i++) size *= b->left.extent[i];
        if (last >= 0 && size == b->f.list[last].iter.extent &&
            head_of(b, b->f.list[last].dim) == last) {
            b->position[last] = level * rank + b->f.list[last].dim - b->first;
            return TG_OK;
        }
        if (size == 1) return TG_OK;
        cut_level(b, best_turn(b), level);
    }
}

/* The digits of a number of warps or lanes, major to minor: those of factors, and copies. */
static void list_parts(const builder *b, tg_axis axis, int dims, tg_partition *out)
{
    int64_t strides[TG_PARTITION_MAX];
    out->count = 0;
    for (int i = 0; i < b->f.count + b->f.copies.count; i++) {
        const bool is_copy = i >= b->f.count;
        const tg_iter it = is_copy ? b->f.copies.list[i - b->f.count] : b->f.list[i].iter;
        if (it.axis != axis) continue;
        int k = out->count++;
        for (; k > 0 && strides[k - 1] < it.stride; k--) {
            strides[k] = strides[k - 1];
            out->list[k] = out->list[k - 1];
        }
        strides[k] = it.stride;
        out->list[k] =
            is_copy ? (tg_counted){0, it.extent} : (tg_counted){b->position[i] - dims, 0};
    }
}

static void begin(builder *b)
{
    b->left = b->f.shape;
    for (int dim = 0, i = 0; dim < b->left.rank; dim++) {
        b->head[dim] = i;
        while (i < b->f.count && b->f.list[i].dim == dim) i++;
    }
    order_registers(b);
}

/* Leading extents of 1 need no tile. */
static void skip_units(builder *b)
{
    b->first = 0;
    while (b->first + 1 < b->left.rank && b->left.extent[b->first] == 1) b->first++;
}

tg_status tg_tiled_from_axe(const tg_axe *axe, const tg_shape *shape, tg_tiled *out,
                            tg_diags *diags)
{
    builder b = {.out = out};
    TG_TRY(tg_factors_of(axe, shape, &b.f, diags));
    if (shape->rank == 0)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "a tile has a dimension, the array none");
    TG_TRY(choose_vector(&b, diags));
    begin(&b);
    cut_outside(&b);
    skip_units(&b);
    out->tiling.count = 0;
    TG_TRY(cut_inside(&b, diags));
    const int rank = b.left.rank - b.first, dims = out->tiling.count * rank;
    list_parts(&b, TG_AXIS_wid_in_wg, dims, &out->warp);
    list_parts(&b, TG_AXIS_lane, dims, &out->lane);
    out->vector_dim = b.vector < 0 ? -1 : b.position[b.vector] - dims;
    tg_tiled_canonize(out);
    return tg_tiled_check(out, diags);
}

static bool same_iter(const tg_iter *a, const tg_iter *b)
{
    return a->extent == b->extent && a->stride == b->stride && a->axis == b->axis;
}

tg_status tg_strided_from_axe(const tg_axe *axe, const tg_shape *shape, int64_t *vector_length,
                              tg_diags *diags)
{
    tg_axe whole, strided;
    TG_TRY(tg_warpgroup_axe(axe, &whole, diags));
    const tg_iter *last = whole.d.count ? &whole.d.list[whole.d.count - 1] : NULL;
    tg_fragment fragment = {.kind = TG_FRAGMENT_STRIDED, .shape = *shape};
    fragment.vector_length = last && last->axis == TG_AXIS_reg ? last->extent : 1;
    TG_TRY(tg_fragment_check(&fragment, diags));
    TG_TRY(tg_fragment_to_axe(&fragment, shape, 0, &strided, diags));
    bool same = whole.d.count == strided.d.count && whole.r.count == 0;
    for (int i = 0; same && i < whole.d.count; i++)
        same = same_iter(&whole.d.list[i], &strided.d.list[i]);
    if (!same)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "vectors of %" PRId64 " elements are not dealt to threads in turn",
                       fragment.vector_length);
    *vector_length = fragment.vector_length;
    return TG_OK;
}

tg_status tg_splat_from_axe(const tg_axe *axe, const tg_shape *shape, tg_diags *diags)
{
    tg_axe whole, splat;
    TG_TRY(tg_warpgroup_axe(axe, &whole, diags));
    tg_fragment fragment = {.kind = TG_FRAGMENT_SPLAT, .shape = *shape};
    TG_TRY(tg_fragment_to_axe(&fragment, shape, 0, &splat, diags));
    if (tg_iters_size(&whole.d) != tg_iters_size(&splat.d))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the layout has %" PRId64 " elements, the shape %" PRId64,
                       tg_iters_size(&whole.d), tg_iters_size(&splat.d));
    bool same = whole.d.count == splat.d.count && whole.r.count == splat.r.count;
    for (int i = 0; same && i < whole.d.count; i++) same = whole.d.list[i].stride == 0;
    for (int i = 0; same && i < whole.r.count; i++)
        same = same_iter(&whole.r.list[i], &splat.r.list[i]);
    if (same) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "the elements are not one value that each thread holds once");
}

static bool shares_values(const tg_axe *axe)
{
    for (int i = 0; i < axe->d.count; i++)
        if (axe->d.list[i].stride == 0 && axe->d.list[i].extent > 1) return true;
    return false;
}

tg_status tg_fragment_from_axe(const tg_axe *axe, const tg_shape *shape, tg_fragment *out,
                               tg_diags *diags)
{
    out->shape = *shape;
    out->vector_length = 1;
    out->kind = TG_FRAGMENT_SPLAT;
    if (shares_values(axe)) return tg_splat_from_axe(axe, shape, diags);
    out->kind = TG_FRAGMENT_STRIDED;
    tg_fragment tiled = {.kind = TG_FRAGMENT_TILED};
    if (tg_tiled_from_axe(axe, shape, &tiled.tiled, NULL) != TG_OK)
        if (tg_strided_from_axe(axe, shape, &out->vector_length, NULL) == TG_OK) return TG_OK;
    out->kind = TG_FRAGMENT_TILED;
    return tg_tiled_from_axe(axe, shape, &out->tiled, diags);
}
