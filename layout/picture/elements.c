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
    tg_axis by;
} drawing;

static bool moves(const tg_axe *axe, tg_axis axis)
{
    return tg_axe_span(axe, axis) > 1 || (axe->swizzle.bits && axe->swizzle.axis == axis);
}

static void choose_axes(drawing *d, tg_axis by)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (moves(d->axe, (tg_axis)a)) d->axes[d->count++] = (tg_axis)a;
    if (!d->count) d->axes[d->count++] = TG_AXIS_m;
    d->by = by == TG_AXIS_NONE ? d->axes[0] : by;
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The coordinates of an element's places on one axis: "6", "6|10", "0..31". */
static void name_coordinates(const tg_places *places, tg_axis axis, int64_t *values, tg_text *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < places->count; i++) values[i] = places->list[i].at[axis];
    qsort(values, places->count, sizeof *values, by_value);
    for (size_t i = 0; i < places->count; i++)
        if (!kept || values[kept - 1] != values[i]) values[kept++] = values[i];
    if (kept > 2 && values[kept - 1] - values[0] == (int64_t)kept - 1) {
        tg_text_add(out, "%" PRId64 "..%" PRId64, values[0], values[kept - 1]);
        return;
    }
    for (size_t i = 0; i < kept; i++) tg_text_add(out, "%s%" PRId64, i ? "|" : "", values[i]);
}

static tg_status draw_cell(const drawing *d, int64_t x, int64_t *values, tg_picture_cell *cell,
                           tg_diags *diags)
{
    tg_places places;
    tg_text label = {0};
    TG_TRY(tg_places_of(d->axe, x, &places, diags));
    for (int i = 0; i < d->count; i++) {
        if (i) tg_text_put(&label, ":");
        name_coordinates(&places, d->axes[i], values, &label);
    }
    cell->colour = places.list[0].at[d->by];
    free(places.list);
    char *text = tg_text_finish(&label);
    if (!text) return tg_no_memory(diags);
    snprintf(cell->label, sizeof cell->label, "%s", text);
    free(text);
    return TG_OK;
}

static void set_sides(const tg_shape *shape, tg_picture *out)
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
}

static void set_title(const drawing *d, tg_picture *out)
{
    size_t used = (size_t)snprintf(out->title, sizeof out->title, "each element: ");
    for (int i = 0; i < d->count && used < sizeof out->title; i++)
        used += (size_t)snprintf(out->title + used, sizeof out->title - used, "%s%s", i ? ":" : "",
                                 tg_axes[d->axes[i]].name);
    for (int a = 0; a < TG_AXIS_COUNT && used < sizeof out->title; a++)
        if (d->axe->offset[a] && !moves(d->axe, (tg_axis)a))
            used += (size_t)snprintf(out->title + used, sizeof out->title - used,
                                     "; %s is %" PRId64, tg_axes[a].name, d->axe->offset[a]);
}

tg_status tg_picture_of_elements(const tg_axe *axe, const tg_shape *shape, tg_axis by,
                                 tg_picture *out, tg_diags *diags)
{
    drawing d = {.axe = axe};
    *out = (tg_picture){0};
    TG_TRY(tg_picture_check(axe, shape, diags));
    choose_axes(&d, by);
    set_sides(shape, out);
    set_title(&d, out);
    TG_TRY(tg_picture_begin(out, diags));
    int64_t *values = calloc((size_t)tg_iters_size(&axe->r), sizeof *values);
    tg_status status = values ? TG_OK : tg_no_memory(diags);
    for (int64_t x = 0; status == TG_OK && x < out->rows * out->columns; x++)
        status = draw_cell(&d, x, values, &out->cells[x], diags);
    free(values);
    if (status != TG_OK) tg_picture_free(out);
    return status;
}
