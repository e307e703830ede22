#include "tilegrind/layout.h"

#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "api/layout_impl.h"
#include "api/layout_make.h"
#include "layout/canonical.h"
#include "layout/equal.h"
#include "layout/picture/draw.h"
#include "layout/picture/elements.h"
#include "layout/picture/places.h"
#include "layout/places.h"
#include "layout/print.h"
#include "layout/read.h"
#include "loaders/layout_json.h"

/* ---- axes ---- */

size_t tg_layout_axis_count(void) { return TG_AXIS_COUNT; }

tg_layout_axis tg_layout_axis_get(size_t axis)
{
    static const char *const kinds[] = {
        [TG_AXIS_THREAD] = "thread", [TG_AXIS_MEMORY] = "memory", [TG_AXIS_DEVICE] = "device"};
    const tg_axis_info *info = &tg_axes[axis];
    return (tg_layout_axis){.name = info->name,
                            .kind = kinds[info->kind],
                            .unit = tg_axis_unit_names[info->unit],
                            .means = info->means};
}

/* ---- text ---- */

static tg_status read(const char *text, tg_axe *out, tg_diags *diags)
{
    const size_t length = strlen(text);
    const bool is_json = text[strspn(text, " \t\r\n")] == '{';
    return (is_json ? tg_axe_read_json : tg_axe_read)(text, length, out, diags);
}

tg_status tg_layout_read(const char *text, tg_layout **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_status status = tg_layout_new(out, diags);
    if (status == TG_OK) status = read(text, &(*out)->axe, diags);
    return tg_layout_made(out, status, &unwanted);
}

void tg_layout_free(tg_layout *layout) { free(layout); }

char *tg_layout_print(const tg_layout *layout)
{
    tg_text text = {0};
    tg_axe_print(&layout->axe, &text);
    return tg_text_finish(&text);
}

char *tg_layout_print_json(const tg_layout *layout)
{
    tg_text text = {0};
    tg_axe_print_json(&layout->axe, &text);
    return tg_text_finish(&text);
}

char *tg_layout_print_rows(const tg_layout *layout)
{
    tg_text text = {0};
    tg_axe_print_rows(&layout->axe, &text);
    return tg_text_finish(&text);
}

/* ---- pictures ---- */

static tg_status shape_of(const tg_layout *layout, const int64_t *shape, size_t rank, tg_shape *out,
                          tg_diags *diags)
{
    *out = (tg_shape){1, {tg_layout_size(layout)}};
    if (rank > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "a shape has at most %d dimensions",
                       TG_SHAPE_MAX_RANK);
    if (!rank) return TG_OK;
    out->rank = (int)rank;
    memcpy(out->extent, shape, rank * sizeof *shape);
    return TG_OK;
}

static tg_status axis_of(const char *name, tg_axis *out, tg_diags *diags)
{
    *out = name ? tg_axis_find(name, strlen(name)) : TG_AXIS_NONE;
    if (!name || *out != TG_AXIS_NONE) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "there is no axis \"%s\"", name);
}

static tg_status make_picture(const tg_layout *layout, const tg_shape *shape, tg_layout_view view,
                              const char *by, int element_bytes, tg_picture *out, tg_diags *diags)
{
    tg_axis axis;
    TG_TRY(axis_of(by, &axis, diags));
    if (view == TG_VIEW_ELEMENTS)
        return tg_picture_of_elements(&layout->axe, shape, axis, out, diags);
    return tg_picture_of_places(&layout->axe, shape, element_bytes, out, diags);
}

char *tg_layout_draw(const tg_layout *layout, const int64_t *shape, size_t rank,
                     tg_layout_view view, tg_layout_drawing form, const char *by, int element_bytes,
                     tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_shape of;
    tg_picture picture = {0};
    tg_text text = {0};
    tg_status status = shape_of(layout, shape, rank, &of, diags);
    if (status == TG_OK)
        status = make_picture(layout, &of, view, by, element_bytes, &picture, diags);
    if (status == TG_OK)
        (form == TG_DRAWING_SVG ? tg_picture_draw_svg : tg_picture_draw_text)(&picture, &text);
    tg_picture_free(&picture);
    tg_diags_free(&unwanted);
    return status == TG_OK ? tg_text_finish(&text) : NULL;
}

/* ---- parts ---- */

int64_t tg_layout_size(const tg_layout *layout) { return tg_iters_size(&layout->axe.d); }

int64_t tg_layout_copies(const tg_layout *layout) { return tg_iters_size(&layout->axe.r); }

void tg_layout_range(const tg_layout *layout, size_t axis, int64_t *least, int64_t *most)
{
    const tg_range range = tg_axe_range(&layout->axe, (tg_axis)axis);
    *least = range.least;
    *most = range.most;
}

/* ---- the map ---- */

static tg_status check_elements(const tg_layout *layout, int64_t first, int64_t count,
                                tg_diags *diags)
{
    const int64_t size = tg_layout_size(layout);
    if (first >= 0 && count >= 0 && first <= size && count <= size - first) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL,
                   "there is no element %lld: the layout has %lld, counted from 0",
                   (long long)(first < 0      ? first
                               : first < size ? size
                                              : first),
                   (long long)size);
}

static tg_status list_places(const tg_layout *layout, int64_t element, int64_t **out, size_t *count,
                             tg_diags *diags)
{
    tg_places places;
    TG_TRY(check_elements(layout, element, 1, diags));
    TG_TRY(tg_places_of(&layout->axe, element, &places, diags));
    *out = places.list[0].at; /* coordinates are arrays of integers and nothing else */
    *count = places.count;
    return TG_OK;
}

tg_status tg_layout_places(const tg_layout *layout, int64_t element, int64_t **out, size_t *count,
                           tg_errors *errors)
{
    tg_diags unwanted = {0};
    *out = NULL;
    *count = 0;
    const tg_status status =
        list_places(layout, element, out, count, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    return status;
}

void tg_layout_places_free(int64_t *places) { free(places); }

static tg_status check_axis(size_t axis, tg_diags *diags)
{
    if (axis < TG_AXIS_COUNT) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "there is no axis %zu", axis);
}

tg_status tg_layout_map(const tg_layout *layout, size_t axis, int64_t first, int64_t count,
                        int64_t *out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_status status = check_axis(axis, diags);
    if (status == TG_OK) status = check_elements(layout, first, count, diags);
    if (status == TG_OK) tg_axe_map_many(&layout->axe, (tg_axis)axis, first, count, out);
    tg_diags_free(&unwanted);
    return status;
}

/* ---- forms and comparison ---- */

tg_status tg_layout_canonical(const tg_layout *layout, tg_layout **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_status status = tg_layout_new(out, diags);
    if (status == TG_OK) {
        tg_axe_copy(&layout->axe, &(*out)->axe);
        tg_axe_canonize(&(*out)->axe);
    }
    return tg_layout_made(out, status, &unwanted);
}

tg_status tg_layout_equal(const tg_layout *a, const tg_layout *b, int *equal, int64_t *element,
                          tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    bool same = false;
    tg_status status = tg_axe_equal(&a->axe, &b->axe, &same, diags);
    *equal = same;
    *element = -1;
    if (status == TG_OK && !same)
        status = tg_axe_first_difference(&a->axe, &b->axe, element, diags);
    tg_diags_free(&unwanted);
    return status;
}
