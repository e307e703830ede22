/* Pictures of layouts. */
#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "api/layout_made.h"
#include "layout/picture/draw.h"
#include "layout/picture/elements.h"
#include "layout/picture/places.h"
#include "layout/print.h"

enum { MOST_JOINED = 128 };

static tg_status shape_of(const tg_layout *layout, const int64_t *shape, size_t rank, tg_shape *out,
                          tg_diags *diags)
{
    *out = (tg_shape){1, {tg_layout_size(layout)}};
    return rank ? tg_layout_shape(shape, rank, out, diags) : TG_OK;
}

static tg_status axis_of(const char *name, tg_axis *out, tg_diags *diags)
{
    *out = name ? tg_axis_find(name, strlen(name)) : TG_AXIS_NONE;
    if (!name || *out != TG_AXIS_NONE) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "there is no axis \"%s\"", name);
}

/* "d1" is 1; NULL is 0. */
static tg_status dimension_of(const char *name, const tg_shape *shape, int *out, tg_diags *diags)
{
    for (*out = 0; *out < shape->rank; ++*out) {
        char known[TG_PICTURE_LABEL] = "d";
        tg_label_put_range(known, *out, *out);
        if (!name || strcmp(name, known) == 0) return TG_OK;
    }
    return tg_fail(diags, TG_ERR_USAGE, NULL,
                   "places are coloured by a dimension of the array, d0 to d%d, not by \"%s\"",
                   shape->rank - 1, name);
}

static tg_status join_of(const tg_layout_picture *how, tg_picture_join *out, tg_diags *diags)
{
    out->rows = how->join_rows ? how->join_rows : 1;
    out->columns = how->join_columns ? how->join_columns : 1;
    if (out->rows >= 1 && out->rows <= MOST_JOINED && out->columns >= 1 &&
        out->columns <= MOST_JOINED)
        return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "1 to %d rows and columns are joined, not %d and %d",
                   MOST_JOINED, how->join_rows, how->join_columns);
}

static tg_status draw_elements(const tg_layout *layout, const tg_shape *shape,
                               const tg_layout_picture *how, tg_picture_join join, tg_picture *out,
                               tg_diags *diags)
{
    tg_axis by;
    TG_TRY(axis_of(how->by, &by, diags));
    if (!how->against) return tg_picture_of_elements(&layout->axe, shape, by, join, out, diags);
    if (join.rows == 1 && join.columns == 1)
        return tg_picture_of_difference(&layout->axe, &how->against->axe, shape, by, out, diags);
    return tg_fail(diags, TG_ERR_USAGE, NULL, "a difference has a cell for each element");
}

static tg_status draw(const tg_layout *layout, const tg_shape *shape, const tg_layout_picture *how,
                      tg_picture *out, tg_diags *diags)
{
    tg_picture_join join;
    int by;
    TG_TRY(join_of(how, &join, diags));
    if (how->view == TG_VIEW_ELEMENTS) return draw_elements(layout, shape, how, join, out, diags);
    if (how->against)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "a difference is one of elements, not of places");
    TG_TRY(dimension_of(how->by, shape, &by, diags));
    return tg_picture_of_places(&layout->axe, shape, by, how->element_bytes, join, out, diags);
}

static char *print(const tg_picture *picture, const tg_layout *layout, const tg_layout_picture *how)
{
    tg_text text = {0}, written = {0};
    if (how->form == TG_DRAWING_TEXT) {
        tg_picture_draw_text(picture, &text);
        return tg_text_finish(&text);
    }
    tg_axe_print(&layout->axe, &written);
    if (how->against) {
        tg_text_put(&written, "  >  ");
        tg_axe_print(&how->against->axe, &written);
    }
    char *axe = tg_text_finish(&written);
    const tg_picture_captions captions = {how->title, axe};
    if (axe) tg_picture_draw_svg(picture, &captions, &text);
    free(axe);
    return tg_text_finish(&text);
}

char *tg_layout_draw(const tg_layout *layout, const int64_t *shape, size_t rank,
                     const tg_layout_picture *how, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_shape of;
    tg_picture picture = {0};
    tg_status status = shape_of(layout, shape, rank, &of, diags);
    if (status == TG_OK) status = draw(layout, &of, how, &picture, diags);
    char *text = status == TG_OK ? print(&picture, layout, how) : NULL;
    tg_picture_free(&picture);
    tg_diags_free(&unwanted);
    return text;
}
