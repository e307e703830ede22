#include "tilegrind/layout.h"

#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "api/layout_made.h"
#include "layout/canonical.h"
#include "layout/equal.h"
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

static tg_status read(const void *call, tg_axe *out, tg_diags *diags)
{
    const char *text = call;
    const bool is_json = text[strspn(text, " \t\r\n")] == '{';
    return (is_json ? tg_axe_read_json : tg_axe_read)(text, strlen(text), out, diags);
}

tg_status tg_layout_read(const char *text, tg_layout **out, tg_errors *errors)
{
    return tg_layout_make(read, text, out, errors);
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

static tg_status canonize(const void *call, tg_axe *out, tg_diags *diags)
{
    const tg_layout *layout = call;
    (void)diags;
    tg_axe_copy(&layout->axe, out);
    tg_axe_canonize(out);
    return TG_OK;
}

tg_status tg_layout_canonical(const tg_layout *layout, tg_layout **out, tg_errors *errors)
{
    return tg_layout_make(canonize, layout, out, errors);
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
