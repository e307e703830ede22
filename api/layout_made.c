#include "api/layout_made.h"

#include <stdlib.h>
#include <string.h>

#include "api/errors.h"

tg_status tg_layout_make(tg_layout_maker *make, const void *call, tg_layout **out,
                         tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_layout *made = malloc(sizeof *made);
    tg_status status = made ? TG_OK : tg_no_memory(diags);
    if (status == TG_OK) {
        tg_axe_begin(&made->axe);
        status = make(call, &made->axe, diags);
    }
    if (status != TG_OK) {
        free(made);
        made = NULL;
    }
    *out = made;
    tg_diags_free(&unwanted);
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
