#include "layout/picture/make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tg_status tg_picture_check(const tg_axe *axe, const tg_shape *shape, tg_diags *diags)
{
    int64_t size;
    const int64_t elements = tg_iters_size(&axe->d), copies = tg_iters_size(&axe->r);
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (size != elements)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the shape has %lld elements, but the layout %lld", (long long)size,
                       (long long)elements);
    if (elements > TG_PICTURE_MOST_CELLS / copies)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a picture has at most %d places; this layout has %lld elements%s",
                       TG_PICTURE_MOST_CELLS, (long long)elements,
                       copies > 1 ? ", each in copies" : "");
    return TG_OK;
}

int64_t tg_picture_side_size(const tg_picture_side *side)
{
    int64_t size = 1;
    for (int i = 0; i < side->count; i++)
        if (__builtin_mul_overflow(size, side->extent[i], &size)) return INT64_MAX;
    return size;
}

tg_status tg_picture_begin(tg_picture *picture, tg_diags *diags)
{
    picture->rows = tg_picture_side_size(&picture->row);
    picture->columns = tg_picture_side_size(&picture->column);
    if (picture->rows > TG_PICTURE_MOST_CELLS / picture->columns)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a picture has at most %d cells; this one would have %lld rows of %lld",
                       TG_PICTURE_MOST_CELLS, (long long)picture->rows,
                       (long long)picture->columns);
    picture->cells = calloc((size_t)(picture->rows * picture->columns), sizeof *picture->cells);
    return picture->cells ? TG_OK : tg_no_memory(diags);
}

void tg_picture_side_add(tg_picture_side *side, const char *name, int64_t first, int64_t extent)
{
    const size_t used = strlen(side->axes);
    snprintf(side->axes + used, sizeof side->axes - used, "%s%s", used ? ":" : "", name);
    side->first[side->count] = first;
    side->extent[side->count++] = extent;
    side->step = 1;
}

bool tg_picture_side_join(tg_picture_side *side, int64_t step)
{
    int64_t *extent = &side->extent[side->count - 1];
    if (*extent % step) return false;
    *extent /= step;
    side->step = step;
    return true;
}
