/* The text form and JSON. */
#include <stdlib.h>
#include <string.h>

#include "layout/print.h"
#include "layout/read.h"
#include "layouts/law.h"

outcome law_text(chance *c, tg_axe *shown)
{
    tg_axe got;
    tg_text text = {0};
    random_layout(c, &any_layout, shown);
    if (!shown->d.count) tg_iters_put(&shown->d, 1, 0, TG_AXIS_NONE);
    tg_axe_print(shown, &text);
    char *printed = tg_text_finish(&text);
    const bool same = printed && tg_axe_read(printed, strlen(printed), &got, NULL) == TG_OK &&
                      iters_same(&got.d, &shown->d) && iters_same(&got.r, &shown->r) &&
                      memcmp(got.offset, shown->offset, sizeof got.offset) == 0 &&
                      tg_swizzle_same(&got.swizzle, &shown->swizzle);
    free(printed);
    return same ? KEPT : BROKEN;
}
