#include "api/layout_made.h"

#include <stdlib.h>
#include <string.h>

#include "api/errors.h"

tg_status tg_layout_new(tg_layout **out, tg_diags *diags)
{
    *out = malloc(sizeof **out);
    if (!*out) return tg_no_memory(diags);
    tg_axe_begin(&(*out)->axe);
    return TG_OK;
}

tg_status tg_layout_made(tg_layout **out, tg_status status, tg_diags *unwanted)
{
    if (status != TG_OK) {
        free(*out);
        *out = NULL;
    }
    tg_diags_free(unwanted);
    return status;
}

tg_status tg_layout_make(tg_layout_maker *make, const void *call, tg_layout **out,
                         tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_layout *made;
    tg_status status = tg_layout_new(&made, diags);
    if (status == TG_OK) status = make(call, &made->axe, diags);
    status = tg_layout_made(&made, status, &unwanted);
    *out = made;
    return status;
}

tg_status tg_layout_shape(const int64_t *shape, size_t rank, tg_shape *out, tg_diags *diags)
{
    *out = (tg_shape){0};
    if (rank > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "a shape has at most %d dimensions",
                       TG_SHAPE_MAX_RANK);
    out->rank = (int)rank;
    if (rank) memcpy(out->extent, shape, rank * sizeof *shape);
    return TG_OK;
}
