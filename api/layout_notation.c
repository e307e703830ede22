/* Layouts in the notations of others. */
#include <string.h>

#include "api/errors.h"
#include "api/layout_impl.h"
#include "api/layout_made.h"
#include "layout/notation/notation.h"

size_t tg_layout_notation_count(void)
{
    size_t count = 0;
    while (tg_notations[count].name) count++;
    return count;
}

tg_layout_notation tg_layout_notation_get(size_t i)
{
    const tg_notation *n = &tg_notations[i];
    return (tg_layout_notation){.name = n->name, .means = n->means, .example = n->example};
}

static tg_status set_shape(const int64_t *shape, size_t rank, tg_shape *out, tg_diags *diags)
{
    *out = (tg_shape){0};
    if (rank > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "a shape has at most %d dimensions",
                       TG_SHAPE_MAX_RANK);
    out->rank = (int)rank;
    if (rank) memcpy(out->extent, shape, rank * sizeof *shape);
    int64_t size;
    return tg_shape_size(out, &size, diags);
}

tg_status tg_layout_read_as(const char *notation, const char *text, const int64_t *shape,
                            size_t rank, tg_layout **out, int64_t *shape_out, size_t *rank_out,
                            tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_notation_context context = {0};
    const tg_notation *in;
    tg_status status = tg_layout_new(out, diags);
    if (status == TG_OK) status = tg_notation_find(notation, &in, diags);
    if (status == TG_OK) status = set_shape(shape, rank, &context.shape, diags);
    if (status == TG_OK) status = in->read(text, strlen(text), &context, &(*out)->axe, diags);
    if (status == TG_OK && shape_out) {
        *rank_out = (size_t)context.shape.rank;
        memcpy(shape_out, context.shape.extent, *rank_out * sizeof *shape_out);
    }
    return tg_layout_made(out, status, &unwanted);
}

char *tg_layout_print_as(const tg_layout *layout, const char *notation, const int64_t *shape,
                         size_t rank, const char *mesh, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_notation_context context = {.mesh = mesh};
    const tg_notation *in;
    tg_text text = {0};
    tg_status status = tg_notation_find(notation, &in, diags);
    if (status == TG_OK) status = set_shape(shape, rank, &context.shape, diags);
    if (status == TG_OK) status = in->print(&layout->axe, &context, &text, diags);
    tg_diags_free(&unwanted);
    if (status == TG_OK) return tg_text_finish(&text);
    tg_text_drop(&text);
    return NULL;
}
