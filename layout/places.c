#include "layout/places.h"

#include <stdlib.h>

int tg_coordinate_compare(const tg_coordinate *a, const tg_coordinate *b)
{
    for (int i = 0; i < TG_AXIS_COUNT; i++)
        if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
    return 0;
}

static int compare(const void *a, const void *b) { return tg_coordinate_compare(a, b); }

size_t tg_places_fill(const tg_axe *axe, int64_t x, tg_coordinate *list)
{
    const int64_t copies = tg_iters_size(&axe->r);
    size_t kept = 0;
    for (int64_t r = 0; r < copies; r++) tg_axe_map(axe, x, r, &list[r]);
    qsort(list, (size_t)copies, sizeof *list, compare);
    for (int64_t r = 0; r < copies; r++)
        if (!kept || compare(&list[kept - 1], &list[r]) != 0) list[kept++] = list[r];
    return kept;
}

tg_status tg_places_of(const tg_axe *axe, int64_t x, tg_places *out, tg_diags *diags)
{
    const int64_t copies = tg_iters_size(&axe->r);
    *out = (tg_places){0};
    if (copies > TG_AXE_MOST_POINTS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%lld copies are more than %lld",
                       (long long)copies, (long long)TG_AXE_MOST_POINTS);
    out->list = calloc((size_t)copies, sizeof *out->list);
    if (!out->list) return tg_no_memory(diags);
    out->count = tg_places_fill(axe, x, out->list);
    return TG_OK;
}
