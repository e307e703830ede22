#include "layout/picture/elements.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/picture/make.h"
#include "layout/places.h"

typedef struct drawing {
    const tg_axe *axe;
    tg_axis axes[TG_AXIS_COUNT]; /* that labels name, outermost first */
    int count;
    int above; /* axes of threads and devices: the first ones */
    tg_axis by;
    tg_picture_join join;
    int64_t columns;       /* elements from a row to the next */
    tg_coordinate *places; /* of an element; behind them, room for those of another one */
    int64_t *values;       /* the coordinates of the places on an axis */
} drawing;

/* ---- which axes ---- */

static bool moves(const tg_axe *axe, tg_axis axis)
{
    return tg_axe_span(axe, axis) > 1 || (axe->swizzle.bits && axe->swizzle.axis == axis);
}

/* The axes on which elements of either layout move; `second` may be NULL. */
static void choose_axes(drawing *d, const tg_axe *second, tg_axis by)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (!moves(d->axe, (tg_axis)a) && !(second && moves(second, (tg_axis)a))) continue;
        d->axes[d->count++] = (tg_axis)a;
        if (tg_axes[a].kind != TG_AXIS_MEMORY) d->above = d->count;
    }
    if (!d->count) d->axes[d->count++] = TG_AXIS_m;
    d->by = by == TG_AXIS_NONE ? d->axes[0] : by;
}

/* ---- a cell ---- */

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The coordinates of places on an axis, each once, ascending: returns how many. */
static size_t list_coordinates(const drawing *d, size_t count, tg_axis axis)
{
    size_t kept = 0;
    int64_t *values = d->values;
    for (size_t i = 0; i < count; i++) values[i] = d->places[i].at[axis];
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++)
        if (!kept || values[kept - 1] != values[i]) values[kept++] = values[i];
    return kept;
}

/* "6", "6|10", "0..31", "0|8|..|56" for d->values. */
static void name_values(const int64_t *values, size_t count, char *label)
{
    enum { MOST = 4 };
    if (count > 2 && values[count - 1] - values[0] == (int64_t)count - 1) {
        tg_label_put_range(label, values[0], values[count - 1]);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (i) tg_label_put(label, "|");
        if (count > MOST && i == 2) tg_label_put(label, "..|");
        if (count > MOST && i == 2) i = count - 1;
        tg_label_put_range(label, values[i], values[i]);
    }
}

/* Names d->places; on axis `along`, a cell has `run` coordinates.  False where that has no name. */
static bool name_places(const drawing *d, size_t count, tg_axis along, int run,
                        tg_picture_cell *cell)
{
    for (int i = 0; i < d->count; i++) {
        if (i) tg_label_put(cell->label, ":");
        if (i && i == d->above) cell->below = (int)strlen(cell->label);
        const size_t kept = list_coordinates(d, count, d->axes[i]);
        if (d->axes[i] != along)
            name_values(d->values, kept, cell->label);
        else if (kept == 1)
            tg_label_put_range(cell->label, d->values[0], d->values[0] + run - 1);
        else
            return false;
    }
    return true;
}

/* Whether element x is at the places of d->places, `distance` further on axis *along, which is
 * found out where it is TG_AXIS_NONE; or at the same places. */
static bool follows(const drawing *d, size_t count, int64_t x, int64_t distance, tg_axis *along)
{
    tg_coordinate *next = d->places + tg_iters_size(&d->axe->r);
    if (tg_places_fill(d->axe, x, next) != count) return false;
    for (int a = 0; a < TG_AXIS_COUNT && distance == 1; a++)
        if (next->at[a] == d->places->at[a] + 1) *along = (tg_axis)a;
    for (size_t i = 0; i < count; i++) {
        tg_coordinate moved = d->places[i];
        if (*along != TG_AXIS_NONE) moved.at[*along] += distance;
        if (tg_coordinate_compare(&moved, &next[i]) != 0) return false;
    }
    return true;
}

/* Names a cell of elements from x on: joined ones must be one step apart. */
static tg_status draw_cell(const drawing *d, int64_t x, tg_picture_cell *cell, tg_diags *diags)
{
    const int run = d->join.rows * d->join.columns;
    const size_t count = tg_places_fill(d->axe, x, d->places);
    tg_axis along = TG_AXIS_NONE;
    bool is_row = true;
    for (int i = 1; is_row && i < run; i++)
        is_row = follows(d, count, x + i / d->join.columns * d->columns + i % d->join.columns, i,
                         &along);
    cell->colour = d->places[0].at[d->by];
    if (is_row && name_places(d, count, along, run, cell)) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "the %d elements from %lld on are no cell: they are not one step apart, in "
                   "order, on one axis",
                   run, (long long)x);
}

/* ---- sides and titles ---- */

static tg_status set_sides(const tg_shape *shape, tg_picture_join join, tg_picture *out,
                           tg_diags *diags)
{
    const int last = shape->rank - 1;
    char name[16];
    for (int i = 0; i < last; i++) {
        snprintf(name, sizeof name, "d%d", i);
        tg_picture_side_add(&out->row, name, 0, shape->extent[i]);
    }
    if (last < 1) tg_picture_side_add(&out->row, "", 0, 1);
    snprintf(name, sizeof name, "d%d", last < 0 ? 0 : last);
    tg_picture_side_add(&out->column, name, 0, last < 0 ? 1 : shape->extent[last]);
    if (tg_picture_side_join(&out->row, join.rows) &&
        tg_picture_side_join(&out->column, join.columns))
        return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "the shape has no whole number of cells of %d rows and %d columns", join.rows,
                   join.columns);
}

static void name_axes(const drawing *d, tg_picture_cell *key)
{
    for (int i = 0; i < d->count; i++) {
        if (i) tg_label_put(key->label, ":");
        if (i && i == d->above) key->below = (int)strlen(key->label);
        tg_label_put(key->label, tg_axes[d->axes[i]].name);
    }
}

static void set_titles(const drawing *d, tg_picture *out)
{
    name_axes(d, &out->key);
    tg_label_put(out->by, tg_axes[d->by].name);
    size_t used =
        (size_t)snprintf(out->title, sizeof out->title, "each element: %s", out->key.label);
    for (int a = 0; a < TG_AXIS_COUNT && used < sizeof out->title; a++)
        if (d->axe->offset[a] && !moves(d->axe, (tg_axis)a))
            used += (size_t)snprintf(out->title + used, sizeof out->title - used,
                                     "; %s is %" PRId64, tg_axes[a].name, d->axe->offset[a]);
}

/* ---- pictures ---- */

static tg_status draw_cells(const drawing *d, tg_picture *out, tg_diags *diags)
{
    for (int64_t i = 0; i < out->rows; i++)
        for (int64_t k = 0; k < out->columns; k++)
            TG_TRY(draw_cell(d, i * d->join.rows * d->columns + k * d->join.columns,
                             &out->cells[i * out->columns + k], diags));
    return TG_OK;
}

/* The picture of d->axe, once its axes are chosen. */
static tg_status draw(drawing *d, const tg_shape *shape, tg_picture *out, tg_diags *diags)
{
    const size_t copies = (size_t)tg_iters_size(&d->axe->r);
    d->columns = shape->rank ? shape->extent[shape->rank - 1] : 1;
    TG_TRY(set_sides(shape, d->join, out, diags));
    set_titles(d, out);
    TG_TRY(tg_picture_begin(out, diags));
    d->values = calloc(copies, sizeof *d->values);
    d->places = calloc(2 * copies, sizeof *d->places);
    const tg_status status =
        d->values && d->places ? draw_cells(d, out, diags) : tg_no_memory(diags);
    free(d->values);
    free(d->places);
    if (status != TG_OK) tg_picture_free(out);
    return status;
}

tg_status tg_picture_of_elements(const tg_axe *axe, const tg_shape *shape, tg_axis by,
                                 tg_picture_join join, tg_picture *out, tg_diags *diags)
{
    drawing d = {.axe = axe, .join = join};
    *out = (tg_picture){0};
    TG_TRY(tg_picture_check(axe, shape, diags));
    choose_axes(&d, NULL, by);
    return draw(&d, shape, out, diags);
}

/* ---- differences ---- */

static void put_second(tg_picture_cell *cell, const char *label)
{
    tg_label_put(cell->label, ">");
    cell->below = (int)strlen(cell->label);
    tg_label_put(cell->label, label);
}

static void show_difference(tg_picture *picture, const tg_picture *other)
{
    snprintf(picture->title, sizeof picture->title,
             "each element: %s in the first layout, then in the second; = in both",
             picture->key.label);
    snprintf(picture->key.label, sizeof picture->key.label, "first");
    put_second(&picture->key, "second");
    for (int64_t i = 0; i < picture->rows * picture->columns; i++) {
        tg_picture_cell *cell = &picture->cells[i];
        cell->below = 0;
        cell->is_quiet = strcmp(cell->label, other->cells[i].label) == 0;
        if (cell->is_quiet)
            snprintf(cell->label, sizeof cell->label, "=");
        else
            put_second(cell, other->cells[i].label);
    }
}

tg_status tg_picture_of_difference(const tg_axe *first, const tg_axe *second, const tg_shape *shape,
                                   tg_axis by, tg_picture *out, tg_diags *diags)
{
    const tg_picture_join one = {1, 1};
    drawing d = {.axe = first, .join = one}, e = {.axe = second, .join = one};
    tg_picture other = {0};
    *out = (tg_picture){0};
    TG_TRY(tg_picture_check(first, shape, diags));
    TG_TRY(tg_picture_check(second, shape, diags));
    choose_axes(&d, second, by);
    choose_axes(&e, first, by);
    TG_TRY(draw(&e, shape, &other, diags));
    const tg_status status = draw(&d, shape, out, diags);
    if (status == TG_OK) show_difference(out, &other);
    tg_picture_free(&other);
    return status;
}
