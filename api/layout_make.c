#include "api/layout_make.h"

#include <stdlib.h>

#include "api/layout_impl.h"

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
