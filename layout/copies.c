#include "layout/copies.h"

#include <stdlib.h>
#include <string.h>

#include "layout/map.h"

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t without_doubles(int64_t *list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, ascending);
    for (size_t i = 0; i < count; i++)
        if (!kept || list[kept - 1] != list[i]) list[kept++] = list[i];
    return kept;
}

/* Replaces the set by its sums with the digits of an iter. */
static tg_status add_iter(tg_copies *copies, const tg_iter *it, tg_diags *diags)
{
    if (it->extent > TG_AXE_MOST_POINTS / (int64_t)copies->count)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "an element has more than %lld copies on axis %s",
                       (long long)TG_AXE_MOST_POINTS, tg_axes[it->axis].name);
    const size_t count = copies->count * (size_t)it->extent;
    int64_t *sums = malloc(count * sizeof *sums);
    if (!sums) return tg_no_memory(diags);
    for (size_t i = 0; i < copies->count; i++)
        for (int64_t d = 0; d < it->extent; d++)
            sums[i * (size_t)it->extent + (size_t)d] = copies->at[i] + d * it->stride;
    free(copies->at);
    *copies = (tg_copies){sums, without_doubles(sums, count)};
    return TG_OK;
}

tg_status tg_copies_on(const tg_axe *axe, tg_axis axis, tg_copies *out, tg_diags *diags)
{
    tg_status status = TG_OK;
    *out = (tg_copies){calloc(1, sizeof *out->at), 1};
    if (!out->at) return tg_no_memory(diags);
    for (int i = 0; status == TG_OK && i < axe->r.count; i++)
        if (axe->r.list[i].axis == axis) status = add_iter(out, &axe->r.list[i], diags);
    if (status != TG_OK) tg_copies_free(out);
    return status;
}

void tg_copies_free(tg_copies *copies)
{
    free(copies->at);
    *copies = (tg_copies){0};
}

bool tg_copies_same(const tg_copies *a, const tg_copies *b)
{
    return a->count == b->count && memcmp(a->at, b->at, a->count * sizeof *a->at) == 0;
}
