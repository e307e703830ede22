#include "layout/picture/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/map.h"
#include "layout/picture/make.h"

enum { LINE_BYTES = 128, LINE_ELEMENTS = 32, BANK_BYTES = 4, MOST_PLACES = 1 << 20 };
enum { WARP_TLANES = 32 }; /* lanes of tensor memory that a warp can reach: all are shown */

/* What is at a place. */
typedef struct place {
    int64_t element; /* the least one; -1: a hole */
    int64_t latest;  /* of those that are noted */
    int more;        /* how many others are there */
} place;

typedef struct drawing {
    const tg_axe *axe;
    const tg_shape *shape;
    int by, element_bytes;
    tg_picture_join join;
    tg_axis axes[TG_AXIS_COUNT]; /* that have more than one coordinate, outermost first */
    int count, row_count;        /* the first row_count are rows */
    tg_range range[TG_AXIS_COUNT];
    int64_t line;          /* elements of a row, where the only axis is rows and columns; else 0 */
    int64_t rows, columns; /* of places */
    place *places;
} drawing;

/* ---- sides ---- */

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

/* Memory that is counted by rows, which other axes have columns of. */
static bool counts_rows(tg_axis axis)
{
    return axis == TG_AXIS_line || axis == TG_AXIS_TLane || axis == TG_AXIS_Lane ||
           axis == TG_AXIS_P;
}

static void choose_axes(drawing *d)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (d->range[a].least == d->range[a].most) continue;
        d->axes[d->count++] = (tg_axis)a;
        if (tg_axes[a].kind != TG_AXIS_MEMORY) d->row_count = d->count;
    }
    if (!d->row_count && d->count && (d->count > 1 || counts_rows(d->axes[0]))) d->row_count = 1;
    if (d->row_count || !d->count) return;
    d->line = d->element_bytes ? LINE_BYTES / d->element_bytes : LINE_ELEMENTS;
    if (d->line < 1) d->line = 1;
}

static int64_t floor_to(int64_t v, int64_t step)
{
    const int64_t rest = v % step;
    return v - rest - (rest < 0 ? step : 0);
}

static void widen(tg_range *range, int64_t step)
{
    range->least = floor_to(range->least, step);
    range->most = floor_to(range->most, step) + step - 1;
}

/* Rows are lines.  Columns are banks, where a cell is whole banks. */
static void set_lines(drawing *d, tg_picture *out)
{
    tg_range *range = &d->range[d->axes[0]];
    const int bytes = d->join.columns * d->element_bytes;
    char name[TG_PICTURE_LABEL];
    widen(range, d->line);
    snprintf(name, sizeof name, "%s/%" PRId64, tg_axes[d->axes[0]].name, d->line);
    tg_picture_side_add(&out->row, name, range->least / d->line,
                        (range->most - range->least + 1) / d->line);
    if (bytes && bytes % BANK_BYTES == 0 && LINE_BYTES % bytes == 0) {
        tg_picture_side_add(&out->column, "bank", 0, LINE_BYTES / BANK_BYTES);
        tg_picture_side_join(&out->column, bytes / BANK_BYTES);
    } else {
        tg_picture_side_add(&out->column, "+", 0, d->line);
    }
}

/* The innermost axes of rows and columns become as wide as joined cells need it. */
static void set_axes(drawing *d, tg_picture *out)
{
    for (int i = 0; i < d->count; i++) {
        tg_range *range = &d->range[d->axes[i]];
        if (d->axes[i] == TG_AXIS_TLane) widen(range, WARP_TLANES);
        if (i == d->row_count - 1) widen(range, d->join.rows);
        if (i == d->count - 1 && i >= d->row_count) widen(range, d->join.columns);
        tg_picture_side_add(i < d->row_count ? &out->row : &out->column, tg_axes[d->axes[i]].name,
                            range->least, range->most - range->least + 1);
    }
    if (!out->row.count) tg_picture_side_add(&out->row, "", 0, 1);
    if (!out->column.count) tg_picture_side_add(&out->column, "", 0, 1);
}

static tg_status set_sides(drawing *d, tg_picture *out, tg_diags *diags)
{
    if (d->line)
        set_lines(d, out);
    else
        set_axes(d, out);
    d->rows = tg_picture_side_size(&out->row);
    d->columns = d->line ? d->line : tg_picture_side_size(&out->column);
    if (d->rows > MOST_PLACES / d->columns)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a picture has at most %d places; this one would have %lld rows of %lld",
                       MOST_PLACES, (long long)d->rows, (long long)d->columns);
    if (out->column.step == 1 && !tg_picture_side_join(&out->column, d->join.columns))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "%lld columns are no whole number of cells of %d", (long long)d->columns,
                       d->join.columns);
    if (!tg_picture_side_join(&out->row, d->join.rows))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "%lld rows are no whole number of cells of %d",
                       (long long)d->rows, d->join.rows);
    return TG_OK;
}

/* ---- places ---- */

static int64_t place_of(const drawing *d, const tg_coordinate *at)
{
    int64_t index = 0;
    for (int i = 0; i < d->count; i++) {
        const tg_range range = d->range[d->axes[i]];
        const int64_t v = at->at[d->axes[i]] - range.least;
        index = d->line ? v : index * (range.most - range.least + 1) + v;
    }
    return index;
}

/* Elements come in their order, each once or, as copies, several times in a row. */
static void note(place *p, int64_t element)
{
    if (p->element < 0)
        p->element = element;
    else if (p->latest != element)
        p->more++;
    p->latest = element;
}

static void fill_places(drawing *d)
{
    const int64_t size = tg_iters_size(&d->axe->d), copies = tg_iters_size(&d->axe->r);
    tg_coordinate at;
    for (int64_t i = 0; i < d->rows * d->columns; i++) d->places[i].element = -1;
    for (int64_t i = 0; i < size * copies; i++) {
        tg_axe_map(d->axe, i / copies, i % copies, &at);
        note(&d->places[place_of(d, &at)], i / copies);
    }
}

/* ---- cells ---- */

static const place *place_in(const drawing *d, const place *first, int i)
{
    return first + i / d->join.columns * d->columns + i % d->join.columns;
}

/* Whether the places of a cell have, in order, the elements of the block from `low` to `high`. */
static bool is_block(const drawing *d, const place *first, const tg_shape *low,
                     const tg_shape *high)
{
    tg_shape block = *low, within, at;
    int64_t size = 1;
    for (int k = 0; k < block.rank; k++) {
        block.extent[k] = high->extent[k] - low->extent[k] + 1;
        if (block.extent[k] < 1) return false;
        size *= block.extent[k];
    }
    if (size != d->join.rows * d->join.columns) return false;
    for (int i = 0; i < size; i++) {
        const place *p = place_in(d, first, i);
        if (p->element < 0 || p->more != first->more) return false;
        tg_shape_coordinate(&block, i, &within);
        tg_shape_coordinate(d->shape, p->element, &at);
        for (int k = 0; k < block.rank; k++)
            if (at.extent[k] != low->extent[k] + within.extent[k]) return false;
    }
    return true;
}

static bool all_holes(const drawing *d, const place *first)
{
    for (int i = 0; i < d->join.rows * d->join.columns; i++)
        if (place_in(d, first, i)->element >= 0) return false;
    return true;
}

static tg_status draw_cell(const drawing *d, const place *first, tg_picture_cell *cell,
                           int64_t *by_step, tg_diags *diags)
{
    const place *last = place_in(d, first, d->join.rows * d->join.columns - 1);
    tg_shape low, high;
    if (all_holes(d, first)) return TG_OK;
    tg_shape_coordinate(d->shape, first->element < 0 ? 0 : first->element, &low);
    tg_shape_coordinate(d->shape, last->element < 0 ? 0 : last->element, &high);
    if (!is_block(d, first, &low, &high))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the %d x %d places from %lld on are no cell: they do not hold a block of "
                       "elements, in order",
                       d->join.rows, d->join.columns, (long long)(first - d->places));
    for (int k = 0; k < low.rank; k++) {
        if (k) tg_label_put(cell->label, ",");
        tg_label_put_range(cell->label, low.extent[k], high.extent[k]);
    }
    if (first->more) {
        tg_label_put(cell->label, "+");
        tg_label_put_range(cell->label, first->more, first->more);
    }
    cell->colour = low.rank ? low.extent[d->by] : 0;
    *by_step = low.rank ? high.extent[d->by] - low.extent[d->by] + 1 : 1;
    return TG_OK;
}

static tg_status draw_cells(const drawing *d, tg_picture *out, tg_diags *diags)
{
    for (int64_t i = 0; i < out->rows; i++)
        for (int64_t k = 0; k < out->columns; k++)
            TG_TRY(draw_cell(d, d->places + i * d->join.rows * d->columns + k * d->join.columns,
                             &out->cells[i * out->columns + k], &out->by_step, diags));
    return TG_OK;
}

/* ---- the picture ---- */

static void set_titles(const drawing *d, tg_picture *out)
{
    snprintf(out->title, sizeof out->title, "each place: the element that is there, +n: n more");
    for (int k = 0; k < d->shape->rank; k++) {
        tg_label_put(out->key.label, k ? ",d" : "d");
        tg_label_put_range(out->key.label, k, k);
    }
    tg_label_put(out->by, "d");
    tg_label_put_range(out->by, d->by, d->by);
}

tg_status tg_picture_of_places(const tg_axe *axe, const tg_shape *shape, int by, int element_bytes,
                               tg_picture_join join, tg_picture *out, tg_diags *diags)
{
    drawing d = {
        .axe = axe, .shape = shape, .by = by, .element_bytes = element_bytes, .join = join};
    *out = (tg_picture){0};
    TG_TRY(tg_picture_check(axe, shape, diags));
    if (by < 0 || by >= (shape->rank ? shape->rank : 1))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "the array has no dimension %d", by);
    find_ranges(&d);
    choose_axes(&d);
    TG_TRY(set_sides(&d, out, diags));
    set_titles(&d, out);
    TG_TRY(tg_picture_begin(out, diags));
    d.places = calloc((size_t)(d.rows * d.columns), sizeof *d.places);
    if (d.places) fill_places(&d);
    const tg_status status = d.places ? draw_cells(&d, out, diags) : tg_no_memory(diags);
    free(d.places);
    if (status != TG_OK) tg_picture_free(out);
    return status;
}
