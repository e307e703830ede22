/* Tilings and tiled layouts of Mosaic GPU. */
#include <stdlib.h>
#include <string.h>

#include "layout/mosaic/fragment_text.h"
#include "layouts/law.h"
#include "layouts/tiled_model.h"

static unfolded a, b;
static holdings h, g;

/* Of all positions of the tiled array a. */
static bool indices_are_right(const tg_tiling *tiling, const tg_shape *shape)
{
    tg_shape strides, at = {.rank = shape->rank}, back;
    tg_integers steps, tiled;
    strides.rank = shape->rank;
    int64_t step = 1;
    for (int i = shape->rank - 1; i >= 0; step *= shape->extent[i--]) strides.extent[i] = step;
    if (tg_tiling_tile_strides(tiling, &strides, &steps, NULL) != TG_OK) return false;
    for (int p = 0; p < a.size; p++) {
        int64_t digits[TG_INTEGERS_MAX], sum = 0;
        digits_of(a.extent, a.rank, p, digits);
        digits_of(shape->extent, shape->rank, a.element[p], at.extent);
        if (tg_tiling_tile_indices(tiling, &at, &tiled, NULL) != TG_OK) return false;
        if (tg_tiling_untile_indices(tiling, &tiled, &back, NULL) != TG_OK) return false;
        if (back.rank != at.rank || tiled.rank != a.rank || steps.rank != a.rank) return false;
        for (int i = 0; i < at.rank; i++)
            if (back.extent[i] != at.extent[i]) return false;
        for (int i = 0; i < a.rank; i++) {
            if (tiled.at[i] != digits[i]) return false;
            sum += steps.at[i] * digits[i];
        }
        if (sum != a.element[p]) return false;
    }
    return true;
}

static bool shapes_are_right(const tg_tiling *tiling, const tg_shape *shape)
{
    tg_integers tiled;
    tg_shape back;
    if (tg_tiling_tile_shape(tiling, shape, &tiled, NULL) != TG_OK || tiled.rank != a.rank)
        return false;
    for (int i = 0; i < a.rank; i++)
        if (tiled.at[i] != a.extent[i]) return false;
    if (tg_tiling_untile_shape(tiling, &tiled, &back, NULL) != TG_OK) return false;
    if (back.rank != shape->rank) return false;
    for (int i = 0; i < back.rank; i++)
        if (back.extent[i] != shape->extent[i]) return false;
    return true;
}

outcome law_tiling(chance *c, tg_axe *shown)
{
    tg_tiled tiled;
    tg_shape shape;
    tg_integers dims;
    tg_axe_begin(shown);
    random_tiled(c, &tiled, &shape);
    if (tg_tiling_check(&tiled.tiling, NULL) != TG_OK) return BROKEN;
    if (one_in(c, 8)) shape.extent[pick(c, 0, shape.rank - 1)] = pick(c, 1, 40);
    if (one_in(c, 32)) shape.rank--;
    int64_t size = 1;
    for (int i = 0; i < shape.rank; i++) size *= shape.extent[i];
    if (size > UNFOLDED_MOST) return KEPT;
    if (!unfold_all(&tiled.tiling, &shape, &a))
        return tg_tiling_tile_shape(&tiled.tiling, &shape, &dims, NULL) == TG_OK ? BROKEN : REFUSED;
    if (!shapes_are_right(&tiled.tiling, &shape)) return BROKEN;
    if (!indices_are_right(&tiled.tiling, &shape)) return BROKEN;
    tg_tiling_canonize(&tiled.tiling);
    if (!unfold_all(&tiled.tiling, &shape, &b)) return BROKEN;
    return memcmp(a.element, b.element, (size_t)a.size * sizeof *a.element) == 0 ? KEPT : BROKEN;
}

/* The functions of layout/ against the holdings h. */
static bool holds_what_it_says(const tg_tiled *tiled, const tg_shape *shape)
{
    tg_integers registers;
    tg_shape back, at;
    if (tg_tiled_registers(tiled, shape, &registers, NULL) != TG_OK) return false;
    int64_t values = tg_tiled_vector_length(tiled);
    for (int i = 0; i < registers.rank; i++) values *= registers.at[i];
    if (values != h.values || h.length != tg_tiled_vector_length(tiled)) return false;
    if (tg_tiled_shape_of(tiled, &registers, &back, NULL) != TG_OK) return false;
    if (back.rank != shape->rank) return false;
    for (int i = 0; i < back.rank; i++)
        if (back.extent[i] != shape->extent[i]) return false;
    for (int t = 0; t < THREADS; t += 13)
        for (int64_t v = 0; v < values; v++) {
            int64_t index = 0;
            if (tg_tiled_element(tiled, shape, t, v, &at, NULL) != TG_OK) return false;
            for (int i = 0; i < at.rank; i++) index = index * shape->extent[i] + at.extent[i];
            if (index != h.element[t * values + v]) return false;
        }
    return true;
}

outcome law_tiled(chance *c, tg_axe *shown)
{
    tg_tiled tiled;
    tg_shape shape, at;
    tg_axe_begin(shown);
    random_tiled(c, &tiled, &shape);
    if (tg_tiled_check(&tiled, NULL) != TG_OK || !holdings_of(&tiled, &shape, &h)) return BROKEN;
    if (tg_tiled_element(&tiled, &shape, 0, h.values, &at, NULL) == TG_OK) return BROKEN;
    return holds_what_it_says(&tiled, &shape) ? KEPT : BROKEN;
}

outcome law_tiled_canonical(chance *c, tg_axe *shown)
{
    tg_tiled tiled, again;
    tg_shape shape;
    tg_axe_begin(shown);
    random_tiled(c, &tiled, &shape);
    if (!holdings_of(&tiled, &shape, &h)) return BROKEN;
    tg_tiled_canonize(&tiled);
    if (tg_tiled_check(&tiled, NULL) != TG_OK) return BROKEN;
    if (!holdings_of(&tiled, &shape, &g) || !holdings_same(&h, &g)) return BROKEN;
    again = tiled;
    tg_tiled_canonize(&again);
    return tg_tiled_same(&tiled, &again) ? KEPT : BROKEN;
}

/* The element of the reduced array that an element of the array goes to. */
static int reduced(const tg_shape *shape, const bool *gone, int element)
{
    int64_t at[TG_SHAPE_MAX_RANK];
    int index = 0;
    digits_of(shape->extent, shape->rank, element, at);
    for (int i = 0; i < shape->rank; i++)
        if (!gone[i]) index = (int)(index * shape->extent[i] + at[i]);
    return index;
}

/* A thread holds what it held, each element once, in the order in which they come first. */
static bool reduces(const tg_shape *shape, const bool *gone)
{
    for (int t = 0; t < THREADS; t++) {
        int64_t count = 0;
        const int *now = &g.element[t * g.values];
        for (int64_t v = 0; v < h.values; v++) {
            const int x = reduced(shape, gone, h.element[t * h.values + v]);
            int64_t seen = 0;
            while (seen < count && now[seen] != x) seen++;
            if (seen == count && (count == g.values || now[count++] != x)) return false;
        }
        if (count != g.values) return false;
    }
    return true;
}

outcome law_tiled_reduce(chance *c, tg_axe *shown)
{
    tg_fragment f = {.kind = TG_FRAGMENT_TILED}, out;
    tg_shape shape, rest = {0};
    int axes[TG_SHAPE_MAX_RANK], count = 0;
    bool gone[TG_SHAPE_MAX_RANK];
    tg_axe_begin(shown);
    random_tiled(c, &f.tiled, &shape);
    for (int i = 0; i < shape.rank; i++) {
        gone[i] = one_in(c, 2);
        if (gone[i])
            axes[count++] = i;
        else
            rest.extent[rest.rank++] = shape.extent[i];
    }
    if (!holdings_of(&f.tiled, &shape, &h)) return BROKEN;
    if (tg_fragment_reduce(&f, shape.rank, axes, count, false, &out, NULL) != TG_OK) return BROKEN;
    if (tg_tiled_check(&out.tiled, NULL) != TG_OK) return BROKEN;
    if (rest.rank < out.tiled.tiling.tiles[0].rank) { /* a tile of (1) is left of no dimension */
        for (int i = rest.rank++; i > 0; i--) rest.extent[i] = rest.extent[i - 1];
        rest.extent[0] = 1;
    }
    if (!holdings_of(&out.tiled, &rest, &g)) return BROKEN;
    return reduces(&shape, gone) ? KEPT : BROKEN;
}

static void random_shape(chance *c, tg_shape *out)
{
    out->rank = (int)pick(c, 0, 3);
    for (int i = 0; i < out->rank; i++) out->extent[i] = pick(c, 1, 300);
}

outcome law_fragment_text(chance *c, tg_axe *shown)
{
    tg_fragment f, back;
    tg_text text = {0};
    tg_axe_begin(shown);
    f.kind = (tg_fragment_kind)pick(c, TG_FRAGMENT_TILED, TG_FRAGMENT_SPLAT);
    random_tiled(c, &f.tiled, &f.shape);
    random_shape(c, &f.shape);
    f.vector_length = pick(c, 1, 4);
    if (f.kind == TG_FRAGMENT_STRIDED) {
        f.shape.rank = 2;
        f.shape.extent[0] = pick(c, 1, 5) * 32;
        f.shape.extent[1] = pick(c, 1, 5) * 4 * f.vector_length;
    }
    tg_fragment_print(&f, &text);
    char *printed = tg_text_finish(&text);
    if (!printed) return BROKEN;
    size_t length = strlen(printed);
    const bool is_damaged = one_in(c, 4);
    if (is_damaged) printed[pick(c, 0, (int64_t)length - 1)] = "(),=-x0 9"[pick(c, 0, 8)];
    const tg_status status = tg_fragment_read(printed, length, &back, NULL);
    free(printed);
    if (is_damaged) return status == TG_OK ? KEPT : REFUSED;
    return status == TG_OK && tg_fragment_same(&f, &back) ? KEPT : BROKEN;
}
