/* The text form and JSON. */
#include <stdlib.h>
#include <string.h>

#include "layout/print.h"
#include "layout/read.h"
#include "layouts/law.h"
#include "loaders/layout_json.h"

typedef tg_status reads(const char *text, size_t length, tg_axe *out, tg_diags *diags);

static bool reads_back(char *printed, reads *read, const tg_axe *axe)
{
    tg_axe got;
    const bool same = printed && read(printed, strlen(printed), &got, NULL) == TG_OK &&
                      iters_same(&got.d, &axe->d) && iters_same(&got.r, &axe->r) &&
                      memcmp(got.offset, axe->offset, sizeof got.offset) == 0 &&
                      tg_swizzle_same(&got.swizzle, &axe->swizzle);
    free(printed);
    return same;
}

outcome law_text(chance *c, tg_axe *shown)
{
    tg_text text = {0}, json = {0};
    random_layout(c, &any_layout, shown);
    if (!shown->d.count) tg_iters_put(&shown->d, 1, 0, TG_AXIS_NONE);
    if (one_in(c, 8)) shown->offset[TG_AXIS_m] = pick(c, -(INT64_C(1) << 60), INT64_C(1) << 60);
    tg_axe_print(shown, &text);
    tg_axe_print_json(shown, &json);
    const bool by_text = reads_back(tg_text_finish(&text), tg_axe_read, shown);
    return reads_back(tg_text_finish(&json), tg_axe_read_json, shown) && by_text ? KEPT : BROKEN;
}
