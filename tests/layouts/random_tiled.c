/* Random tiled layouts: digits of random kinds, which random tiles cut off one by one. */
#include <string.h>

#include "layouts/tiled_model.h"

enum { MOST_CUTS = 24 };

/* A digit of a dimension, which a tile cuts off. */
typedef struct digit_cut {
    int dim;
    int64_t extent;
    tg_counted *part; /* whose dimension it is, or NULL */
    int position;     /* in the tiled array */
} digit_cut;

typedef struct cuts {
    int rank, count;
    digit_cut list[MOST_CUTS], *vector;
    int64_t values; /* of a thread */
} cuts;

static digit_cut *add_cut(chance *c, cuts *k, int64_t extent, tg_counted *part)
{
    digit_cut *cut = &k->list[k->count++];
    *cut = (digit_cut){(int)pick(c, 0, k->rank - 1), extent, part, 0};
    return cut;
}

/* Factors a power of two into parts, in random order, of which some are copies. */
static void add_parts(chance *c, cuts *k, int64_t product, int copies_in, tg_partition *out)
{
    out->count = 0;
    while (product > 1 || one_in(c, 12)) {
        int64_t extent = INT64_C(1) << pick(c, product > 1, 3);
        if (extent > product) extent = product;
        product /= extent;
        tg_counted *part = &out->list[out->count++];
        if (one_in(c, copies_in))
            *part = (tg_counted){0, extent};
        else
            add_cut(c, k, extent, part);
        if (out->count == 8) break;
    }
    if (product > 1) out->list[out->count++] = (tg_counted){0, product};
}

static void shuffle(chance *c, cuts *k)
{
    for (int i = k->count - 1; i > 0; i--) {
        const int j = (int)pick(c, 0, i);
        const digit_cut cut = k->list[i];
        k->list[i] = k->list[j];
        k->list[j] = cut;
    }
}

static void random_cuts(chance *c, cuts *k, tg_tiled *out)
{
    const int copies_in = (int)pick(c, 1, 4);
    k->rank = (int)pick(c, 1, 3);
    k->count = 0;
    k->values = 1;
    add_parts(c, k, 4, copies_in, &out->warp);
    add_parts(c, k, 32, copies_in, &out->lane);
    const int registers = (int)pick(c, 0, 3);
    for (int i = 0; i < registers && k->values <= 8; i++)
        k->values *= add_cut(c, k, pick(c, 1, 3), NULL)->extent;
    const int64_t length = one_in(c, 2) || k->values > 8 ? 1 : pick(c, 1, 4);
    static tg_counted vector; /* marks the digit */
    add_cut(c, k, length, &vector);
    k->values *= length;
    shuffle(c, k);
    k->vector = NULL;
    for (int i = 0; i < k->count; i++)
        if (k->list[i].part == &vector) k->vector = &k->list[i];
}

/* The tiled array while it is made: the dimension of the array that each of its own comes from. */
typedef struct making {
    int rank, from[TG_INTEGERS_MAX];
    int first; /* dimension of the next tile */
    tg_shape left;
} making;

static void add_tile(making *m, tg_tiling *out)
{
    const int rank = m->left.rank - m->first;
    tg_shape *tile = &out->tiles[out->count++];
    tile->rank = rank;
    memcpy(tile->extent, m->left.extent + m->first, (size_t)rank * sizeof *tile->extent);
    memmove(m->from + m->rank, m->from + m->rank - rank, (size_t)rank * sizeof *m->from);
    m->rank += rank;
}

/* Where a digit is that the next tile cuts off, or that no tile does. */
static int position_of(const making *m, int dim)
{
    int at = m->rank - 1;
    while (m->from[at] != dim) at--;
    return at;
}

static bool has_more(const cuts *k, int from, int dim)
{
    for (int i = from; i < k->count; i++)
        if (k->list[i].dim == dim) return true;
    return false;
}

/* Cuts digits until one is of a dimension that is not after the one before. */
static int cut_some(chance *c, cuts *k, int i, making *m)
{
    int before = -1;
    for (; i < k->count && k->list[i].dim > before; i++) {
        digit_cut *cut = &k->list[i];
        cut->position = position_of(m, cut->dim);
        m->left.extent[cut->dim] /= cut->extent;
        before = cut->dim;
        if (one_in(c, 2)) return i + 1;
    }
    return i;
}

static void make_tiles(chance *c, cuts *k, making *m, tg_tiled *out)
{
    add_tile(m, &out->tiling);
    for (int i = 0; i < k->count;) {
        const int begun = i;
        making before = *m;
        i = cut_some(c, k, i, m);
        if (one_in(c, 4)) {
            while (m->first + 1 < m->left.rank && m->left.extent[m->first] == 1 &&
                   !has_more(k, begun, m->first))
                m->first++;
        }
        const bool is_rest = i == k->count && one_in(c, 2);
        if (is_rest) *m = before; /* the last digits are what is left */
        if (!is_rest) add_tile(m, &out->tiling);
        if (one_in(c, 8) && !is_rest) add_tile(m, &out->tiling); /* which cuts nothing */
    }
}

void random_tiled(chance *c, tg_tiled *out, tg_shape *shape)
{
    cuts k;
    making m = {0};
    random_cuts(c, &k, out);
    const int outer = one_in(c, 4) ? 1 : 0; /* dimensions of no tile */
    m.left.rank = m.rank = shape->rank = k.rank + outer;
    m.first = outer;
    for (int i = 0; i < m.rank; i++) {
        m.left.extent[i] = 1;
        m.from[i] = i;
    }
    for (int i = 0; i < k.count; i++) m.left.extent[k.list[i].dim += outer] *= k.list[i].extent;
    for (int i = 0; i < m.rank; i++) {
        const int64_t tiles = k.values <= 8 ? pick(c, 1, 2) : 1;
        k.values *= tiles;
        shape->extent[i] = m.left.extent[i] * tiles;
    }
    out->tiling.count = 0;
    make_tiles(c, &k, &m, out);
    for (int i = 0; i < k.count; i++)
        if (k.list[i].part && &k.list[i] != k.vector)
            *k.list[i].part = (tg_counted){k.list[i].position - m.rank, 0};
    out->vector_dim = k.vector->position - m.rank;
}
