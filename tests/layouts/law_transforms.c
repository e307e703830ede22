/* Transforms of references to shared memory: the address of each element. */
#include <stdlib.h>
#include <string.h>

#include "layout/mosaic/transforms_text.h"
#include "layouts/law.h"
#include "layouts/tiled_model.h"

static model m, n;
static unfolded array;

/* An array with elements of `bits`, and transforms; in some trials these are none. */
typedef struct trial {
    tg_shape shape;
    int bits;
    tg_transforms list;
} trial;

static void random_permutation(chance *c, int rank, tg_shape *out)
{
    out->rank = rank;
    for (int i = 0; i < rank; i++) {
        const int k = (int)pick(c, 0, i);
        out->extent[i] = out->extent[k];
        out->extent[k] = i;
    }
    if (one_in(c, 24)) out->extent[pick(c, 0, rank - 1)] = pick(c, -1, rank);
}

static tg_transform random_tile(chance *c, const trial *t)
{
    tg_transform tile = {.kind = TG_TRANSFORM_TILE};
    const int rank = (int)pick(c, 1, t->shape.rank);
    tile.list.rank = rank;
    for (int i = 0; i < rank; i++) {
        const int64_t extent = t->shape.extent[t->shape.rank - rank + i];
        int64_t divisor = pick(c, 1, extent);
        while (extent % divisor != 0 && !one_in(c, 40)) divisor--;
        tile.list.extent[i] = divisor;
    }
    return tile;
}

/* The last dimension, or that of the tile, mostly is what the swizzle needs. */
static void random_trial(chance *c, trial *t)
{
    static const int sizes[] = {16, 32, 64, 128};
    *t = (trial){.bits = 1 << pick(c, 2, 7)};
    const int bytes = sizes[pick(c, 0, 3)];
    const int64_t row = bytes * 8 / t->bits;
    t->shape.rank = (int)pick(c, 1, 3);
    for (int i = 0; i < t->shape.rank; i++) t->shape.extent[i] = pick(c, 1, row > 64 ? 2 : 4);
    int64_t *last = &t->shape.extent[t->shape.rank - 1];
    const bool fits = row > 0 && !one_in(c, 4);
    if (fits) *last = row * pick(c, 1, 2);
    if (one_in(c, 3)) {
        t->list.list[t->list.count++] = (tg_transform){.kind = TG_TRANSFORM_TRANSPOSE};
        random_permutation(c, t->shape.rank, &t->list.list[0].list);
    } else if (!one_in(c, 3)) {
        tg_transform tile = random_tile(c, t);
        if (fits) tile.list.extent[tile.list.rank - 1] = row;
        t->list.list[t->list.count++] = tile;
        if (one_in(c, 3)) {
            tg_transform *next = &t->list.list[t->list.count++];
            next->kind = TG_TRANSFORM_TRANSPOSE;
            random_permutation(c, t->shape.rank + tile.list.rank, &next->list);
        }
    }
    if (!one_in(c, 3))
        t->list.list[t->list.count++] = (tg_transform){TG_TRANSFORM_SWIZZLE, {0}, bytes};
    if (one_in(c, 12)) {
        tg_transform *next = &t->list.list[t->list.count++];
        *next = one_in(c, 2) ? random_tile(c, t)
                             : (tg_transform){TG_TRANSFORM_SWIZZLE, {0}, sizes[pick(c, 0, 3)]};
    }
}

static bool is_permutation(const tg_shape *p, int rank)
{
    unsigned seen = 0;
    for (int i = 0; i < p->rank; i++)
        if (p->extent[i] >= 0 && p->extent[i] < rank) seen |= 1U << p->extent[i];
    return p->rank == rank && seen == (1U << rank) - 1;
}

/* Rearranges the array; false if the transforms are not possible.  Returns the swizzle in `bytes`. */
static bool rearranged(const trial *t, int *bytes)
{
    *bytes = 16;
    unfold_begin(&t->shape, &array);
    for (int k = 0; k < t->list.count; k++) {
        const tg_transform *f = &t->list.list[k];
        int p[TG_SHAPE_MAX_RANK];
        switch (f->kind) {
        case TG_TRANSFORM_TILE:
            if (*bytes > 16 || !unfold_by(&f->list, &array)) return false;
            break;
        case TG_TRANSFORM_TRANSPOSE:
            if (!is_permutation(&f->list, array.rank)) return false;
            for (int i = 0; i < array.rank; i++) p[i] = (int)f->list.extent[i];
            if (*bytes > 16 && p[array.rank - 1] != array.rank - 1) return false;
            unfold_transpose(p, &array);
            break;
        case TG_TRANSFORM_SWIZZLE:
            if (*bytes > 16) return false;
            *bytes = f->bytes;
            if (*bytes > 16 && array.extent[array.rank - 1] * t->bits != *bytes * 8) return false;
            break;
        }
    }
    return true;
}

/* Address bits [7, 7 + b) are added, without carry, to bits [4, 4 + b): rows of 128 bytes. */
static int64_t swizzled(int64_t element, int bits, int bytes)
{
    const int64_t at = element * bits, byte = at / 8;
    const int64_t row = byte / 128 % (bytes / 16);
    return ((byte ^ (row * 16)) * 8 + at % 8) / bits;
}

static bool addresses_are_right(const trial *t, int bytes)
{
    if (m.size != array.size) return false;
    for (int p = 0; p < array.size; p++) {
        place at = {{0}};
        at.at[TG_AXIS_m] = swizzled(p, t->bits, bytes);
        if (!model_has(&m, array.element[p], &at)) return false;
    }
    return true;
}

outcome law_transforms(chance *c, tg_axe *shown)
{
    trial t;
    int bytes;
    tg_axe_begin(shown);
    random_trial(c, &t);
    const bool is_one = rearranged(&t, &bytes);
    const tg_status status = tg_transforms_to_axe(&t.list, &t.shape, t.bits, shown, NULL);
    tg_shape physical;
    if (tg_transforms_shape(&t.list, &t.shape, t.bits, &physical, NULL) != status) return BROKEN;
    if (status != TG_OK) return is_one ? BROKEN : REFUSED;
    if (!is_one || physical.rank != array.rank) return BROKEN;
    for (int i = 0; i < array.rank; i++)
        if (physical.extent[i] != array.extent[i]) return BROKEN;
    model_of(shown, &m);
    return addresses_are_right(&t, bytes) ? KEPT : BROKEN;
}

/* Whether the element at[p[i]] of the one array is at[i] of the other, at the same address. */
static bool same_transposed(const tg_shape *shape, const tg_shape *p, const tg_shape *other)
{
    for (int64_t x = 0; x < m.size; x++) {
        int64_t at[TG_SHAPE_MAX_RANK], y = 0;
        digits_of(shape->extent, shape->rank, x, at);
        for (int i = 0; i < p->rank; i++) y = y * other->extent[i] + at[p->extent[i]];
        if (!place_same(&m.list[m.start[x]], &n.list[n.start[y]])) return false;
    }
    return true;
}

static bool crosses_tiles(const tg_transforms *list, const tg_shape *p)
{
    const int tiled =
        list->count && list->list[0].kind == TG_TRANSFORM_TILE ? list->list[0].list.rank : 0;
    for (int i = p->rank - tiled; i < p->rank; i++)
        if (p->extent[i] < p->rank - tiled) return true;
    return false;
}

outcome law_transforms_transpose(chance *c, tg_axe *shown)
{
    trial t;
    int bytes;
    tg_shape p, other;
    tg_transforms list;
    tg_axe moved;
    tg_axe_begin(shown);
    random_trial(c, &t);
    random_permutation(c, t.shape.rank, &p);
    if (!rearranged(&t, &bytes)) return KEPT;
    const bool is_one = is_permutation(&p, t.shape.rank) && !crosses_tiles(&t.list, &p);
    if (tg_transforms_transpose(&t.list, &p, &list, NULL) != TG_OK)
        return is_one ? BROKEN : REFUSED;
    if (!is_one) return BROKEN;
    other.rank = p.rank;
    for (int i = 0; i < p.rank; i++) other.extent[i] = t.shape.extent[p.extent[i]];
    if (tg_transforms_to_axe(&t.list, &t.shape, t.bits, shown, NULL) != TG_OK) return BROKEN;
    if (tg_transforms_to_axe(&list, &other, t.bits, &moved, NULL) != TG_OK) return BROKEN;
    model_of(shown, &m);
    model_of(&moved, &n);
    return same_transposed(&t.shape, &p, &other) ? KEPT : BROKEN;
}

outcome law_transforms_collapse(chance *c, tg_axe *shown)
{
    trial t;
    int bytes;
    tg_shape groups = {0}, other = {0};
    tg_transforms list;
    tg_axe joined;
    tg_axe_begin(shown);
    random_trial(c, &t);
    if (!rearranged(&t, &bytes)) return KEPT;
    for (int i = 0; i < t.shape.rank;) {
        const int64_t count = pick(c, 1, t.shape.rank - i);
        int64_t *extent = &other.extent[other.rank++];
        *extent = 1;
        groups.extent[groups.rank++] = count;
        for (int64_t k = 0; k < count; k++) *extent *= t.shape.extent[i++];
    }
    const tg_status status = tg_transforms_collapse(&t.list, &t.shape, &groups, &list, NULL);
    if (status != TG_OK) /* of a refusal, only that there was something to do can be judged */
        return groups.rank == t.shape.rank && t.list.count < 2 &&
                       !(t.list.count && t.list.list[0].kind == TG_TRANSFORM_TRANSPOSE)
                   ? BROKEN
                   : REFUSED;
    if (tg_transforms_to_axe(&t.list, &t.shape, t.bits, shown, NULL) != TG_OK) return BROKEN;
    if (tg_transforms_to_axe(&list, &other, t.bits, &joined, NULL) != TG_OK) return BROKEN;
    model_of(shown, &m);
    model_of(&joined, &n);
    return model_same(&m, &n) ? KEPT : BROKEN;
}

static bool same_transforms(const tg_transforms *a, const tg_transforms *b)
{
    if (a->count != b->count) return false;
    for (int k = 0; k < a->count; k++) {
        const tg_transform *x = &a->list[k], *y = &b->list[k];
        if (x->kind != y->kind || x->bytes != y->bytes || x->list.rank != y->list.rank)
            return false;
        for (int i = 0; i < x->list.rank; i++)
            if (x->list.extent[i] != y->list.extent[i]) return false;
    }
    return true;
}

outcome law_transforms_text(chance *c, tg_axe *shown)
{
    trial t;
    tg_transforms back;
    tg_text text = {0};
    tg_axe_begin(shown);
    random_trial(c, &t);
    tg_transforms_print(&t.list, &text);
    char *printed = tg_text_finish(&text);
    if (!printed) return BROKEN;
    const size_t length = strlen(printed);
    const bool is_damaged = one_in(c, 4);
    if (is_damaged) printed[pick(c, 0, (int64_t)length - 1)] = "(),=-x0 9"[pick(c, 0, 8)];
    const tg_status status = tg_transforms_read(printed, length, &back, NULL);
    free(printed);
    if (is_damaged) return status == TG_OK ? KEPT : REFUSED;
    return status == TG_OK && same_transforms(&t.list, &back) ? KEPT : BROKEN;
}
