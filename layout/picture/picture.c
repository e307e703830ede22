#include "layout/picture/picture.h"

#include <stdlib.h>

void tg_picture_free(tg_picture *picture)
{
    free(picture->cells);
    picture->cells = NULL;
}

void tg_picture_side_title(const tg_picture_side *side, int64_t index, char *out)
{
    int64_t at[TG_SHAPE_MAX_RANK];
    for (int i = side->count - 1; i >= 0; i--) {
        const int64_t step = i == side->count - 1 ? side->step : 1;
        at[i] = side->first[i] + index % side->extent[i] * step;
        index /= side->extent[i];
    }
    *out = 0;
    for (int i = 0; i < side->count; i++) {
        const int64_t step = i == side->count - 1 ? side->step : 1;
        if (i) tg_label_put(out, ":");
        tg_label_put_range(out, at[i], at[i] + step - 1);
    }
}
