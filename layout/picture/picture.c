#include "layout/picture/picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tg_picture_free(tg_picture *picture)
{
    free(picture->cells);
    picture->cells = NULL;
}

void tg_picture_side_title(const tg_picture_side *side, int64_t index, char *out)
{
    int64_t at[TG_SHAPE_MAX_RANK];
    size_t used = 0;
    for (int i = side->count - 1; i >= 0; i--) {
        at[i] = side->first[i] + index % side->extent[i];
        index /= side->extent[i];
    }
    *out = 0;
    for (int i = 0; i < side->count && used < TG_PICTURE_LABEL; i++)
        used += (size_t)snprintf(out + used, TG_PICTURE_LABEL - used, "%s%" PRId64, i ? ":" : "",
                                 at[i]);
}
