#include "layout/picture/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/map.h"
#include "layout/picture/make.h"

enum { LINE_BYTES = 128, LINE_ELEMENTS = 32 };

typedef struct drawing {
    const tg_axe *axe;
    const tg_shape *shape;
    tg_axis axes[TG_AXIS_COUNT]; /* that have more than one coordinate, outermost first */
    int count, row_count;        /* the first row_count are rows */
    tg_range range[TG_AXIS_COUNT];
    int64_t line; /* elements of a row, where the only axis is rows and columns; else 0 */
} drawing;

static void find_ranges(drawing *d)
{
    const int64_t size = tg_iters_size(&d->axe->d), copies = tg_iters_size(&d->axe->r);
    tg_coordinate at;
    for (int64_t i = 0; i < size * copies; i++) {
        tg_axe_map(d->axe, i / copies, i % copies, &at);
        for (int a = 0; a < TG_AXIS_COUNT; a++) {
            tg_range *range = &d->range[a];
            if (!i || at.at[a] < range->least) range->least = at.at[a];
            if (!i || at.at[a] > range->most) range->most = at.at[a];
        }
    }
}

static void choose_axes(drawing *d, int element_bytes)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (d->range[a].least == d->range[a].most) continue;
        d->axes[d->count++] = (tg_axis)a;
        if (tg_axes[a].kind != TG_AXIS_MEMORY) d->row_count = d->count;
    }
    if (!d->row_count && d->count > 1) d->row_count = 1;
    if (d->row_count || !d->count) return;
    d->line = element_bytes ? LINE_BYTES / element_bytes : LINE_ELEMENTS;
    if (d->line < 1) d->line = 1;
}

static int64_t floor_to(int64_t v, int64_t step)
{
    const int64_t rest = v % step;
    return v - rest - (rest < 0 ? step : 0);
}

static void set_lines(drawing *d, tg_picture *out)
{
    tg_range *range = &d->range[d->axes[0]];
    range->least = floor_to(range->least, d->line);
    const int64_t lines = (range->most - range->least) / d->line + 1;
    char name[TG_PICTURE_LABEL];
    snprintf(name, sizeof name, "%s/%" PRId64, tg_axes[d->axes[0]].name, d->line);
    tg_picture_side_add(&out->row, name, range->least / d->line, lines);
    tg_picture_side_add(&out->column, "+", 0, d->line);
}

static void set_sides(drawing *d, tg_picture *out)
{
    if (d->line) {
        set_lines(d, out);
        return;
    }
    for (int i = 0; i < d->count; i++) {
        const tg_range range = d->range[d->axes[i]];
        tg_picture_side_add(i < d->row_count ? &out->row : &out->column, tg_axes[d->axes[i]].name,
                            range.least, range.most - range.least + 1);
    }
    if (!out->row.count) tg_picture_side_add(&out->row, "", 0, 1);
    if (!out->column.count) tg_picture_side_add(&out->column, "", 0, 1);
}

static int64_t cell_of(const drawing *d, const tg_coordinate *at)
{
    int64_t cell = 0;
    for (int i = 0; i < d->count; i++) {
        const tg_range range = d->range[d->axes[i]];
        const int64_t v = at->at[d->axes[i]] - range.least;
        cell = d->line ? v : cell * (range.most - range.least + 1) + v;
    }
    return cell;
}

/* The logical coordinate of an element, with the elements that are there already. */
static void put_element(const drawing *d, int64_t x, int *more, tg_picture_cell *cell)
{
    tg_shape at;
    tg_shape_coordinate(d->shape, x, &at);
    if (cell->colour >= 0) {
        char *plus = strrchr(cell->label, '+');
        const size_t used = plus ? (size_t)(plus - cell->label) : strlen(cell->label);
        snprintf(cell->label + used, sizeof cell->label - used, "+%d", ++*more);
        return;
    }
    size_t used = 0;
    for (int i = 0; i < at.rank && used < sizeof cell->label; i++)
        used += (size_t)snprintf(cell->label + used, sizeof cell->label - used, "%s%" PRId64,
                                 i ? "," : "", at.extent[i]);
    cell->colour = at.rank ? at.extent[0] : 0;
}

static tg_status put_elements(const drawing *d, tg_picture *out, tg_diags *diags)
{
    const int64_t size = tg_iters_size(&d->axe->d), copies = tg_iters_size(&d->axe->r);
    int *more = calloc((size_t)(out->rows * out->columns), sizeof *more);
    int64_t *last = calloc((size_t)(out->rows * out->columns), sizeof *last);
    tg_coordinate at;
    for (int64_t i = 0; more && last && i < size * copies; i++) {
        tg_axe_map(d->axe, i / copies, i % copies, &at);
        const int64_t cell = cell_of(d, &at);
        if (last[cell] == i / copies + 1) continue; /* another copy at the same place */
        last[cell] = i / copies + 1;
        put_element(d, i / copies, &more[cell], &out->cells[cell]);
    }
    const tg_status status = more && last ? TG_OK : tg_no_memory(diags);
    free(more);
    free(last);
    return status;
}

tg_status tg_picture_of_places(const tg_axe *axe, const tg_shape *shape, int element_bytes,
                               tg_picture *out, tg_diags *diags)
{
    drawing d = {.axe = axe, .shape = shape};
    *out = (tg_picture){0};
    TG_TRY(tg_picture_check(axe, shape, diags));
    find_ranges(&d);
    choose_axes(&d, element_bytes);
    set_sides(&d, out);
    snprintf(out->title, sizeof out->title, "each place: the element that is there, +n: n more");
    TG_TRY(tg_picture_begin(out, diags));
    const tg_status status = put_elements(&d, out, diags);
    if (status != TG_OK) tg_picture_free(out);
    return status;
}
