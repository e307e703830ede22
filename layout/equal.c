#include "layout/equal.h"

#include <stdlib.h>
#include <string.h>

#include "layout/canonical.h"
#include "layout/copies.h"
#include "layout/map.h"

static bool same_iter(const tg_iter *a, const tg_iter *b)
{
    return a->extent == b->extent && a->stride == b->stride && a->axis == b->axis;
}

static bool same_d(const tg_iters *a, const tg_iters *b)
{
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (!same_iter(&a->list[i], &b->list[i])) return false;
    return true;
}

/* Of canonical layouts. */
static bool same_r_on(const tg_axe *a, const tg_axe *b, tg_axis axis)
{
    int i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->r.count && a->r.list[i].axis != axis) i++;
        while (k < b->r.count && b->r.list[k].axis != axis) k++;
        if (i == a->r.count || k == b->r.count) return i == a->r.count && k == b->r.count;
        if (!same_iter(&a->r.list[i], &b->r.list[k])) return false;
    }
}

/* Of canonical layouts that have the same R or are different as maps only if the sets of copies
 * differ. */
static tg_status same_copies_on(const tg_axe *a, const tg_axe *b, tg_axis axis, bool *same,
                                tg_diags *diags)
{
    *same = same_r_on(a, b, axis);
    if (*same || (tg_axe_has_gaps(a, axis) && tg_axe_has_gaps(b, axis))) return TG_OK;
    tg_copies x, y;
    TG_TRY(tg_copies_on(a, axis, &x, diags));
    const tg_status status = tg_copies_on(b, axis, &y, diags);
    if (status == TG_OK) {
        *same = tg_copies_same(&x, &y);
        tg_copies_free(&y);
    }
    tg_copies_free(&x);
    return status;
}

static bool uses(const tg_axe *axe, tg_axis axis)
{
    for (int i = 0; i < axe->r.count; i++)
        if (axe->r.list[i].axis == axis) return true;
    return false;
}

/* All strides of R are positive, so O is the least copy of element 0. */
static tg_status same_unswizzled(const tg_axe *a, const tg_axe *b, bool *equal, tg_diags *diags)
{
    *equal = same_d(&a->d, &b->d) && memcmp(a->offset, b->offset, sizeof a->offset) == 0;
    for (int axis = 0; *equal && axis < TG_AXIS_COUNT; axis++)
        if (uses(a, (tg_axis)axis) || uses(b, (tg_axis)axis))
            TG_TRY(same_copies_on(a, b, (tg_axis)axis, equal, diags));
    return TG_OK;
}

static int by_axes(const void *a, const void *b)
{
    const tg_coordinate *x = a, *y = b;
    for (int i = 0; i < TG_AXIS_COUNT; i++)
        if (x->at[i] != y->at[i]) return x->at[i] < y->at[i] ? -1 : 1;
    return 0;
}

/* The places of element x, ascending and each once; `list` has room for all copies. */
static size_t places(const tg_axe *axe, int64_t x, tg_coordinate *list)
{
    const int64_t copies = tg_iters_size(&axe->r);
    size_t kept = 0;
    for (int64_t r = 0; r < copies; r++) tg_axe_map(axe, x, r, &list[r]);
    qsort(list, (size_t)copies, sizeof *list, by_axes);
    for (int64_t r = 0; r < copies; r++)
        if (!kept || by_axes(&list[kept - 1], &list[r]) != 0) list[kept++] = list[r];
    return kept;
}

static bool same_places(const tg_axe *a, const tg_axe *b, tg_coordinate *in_a, tg_coordinate *in_b)
{
    const int64_t size = tg_iters_size(&a->d);
    for (int64_t x = 0; x < size; x++) {
        const size_t count = places(a, x, in_a);
        if (places(b, x, in_b) != count || memcmp(in_a, in_b, count * sizeof *in_a) != 0)
            return false;
    }
    return true;
}

static bool is_small(const tg_axe *axe)
{
    return tg_iters_size(&axe->d) <= TG_AXE_MOST_POINTS / tg_iters_size(&axe->r);
}

/* By definition, element by element. */
static tg_status same_everywhere(const tg_axe *a, const tg_axe *b, bool *equal, tg_diags *diags)
{
    *equal = tg_iters_size(&a->d) == tg_iters_size(&b->d);
    if (!*equal) return TG_OK;
    if (!is_small(a) || !is_small(b))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "layouts with different swizzles have more than %lld elements and copies",
                       (long long)TG_AXE_MOST_POINTS);
    tg_coordinate *in_a = calloc((size_t)tg_iters_size(&a->r), sizeof *in_a);
    tg_coordinate *in_b = calloc((size_t)tg_iters_size(&b->r), sizeof *in_b);
    if (in_a && in_b) *equal = same_places(a, b, in_a, in_b);
    const tg_status status = in_a && in_b ? TG_OK : tg_no_memory(diags);
    free(in_a);
    free(in_b);
    return status;
}

tg_status tg_axe_equal(const tg_axe *a, const tg_axe *b, bool *equal, tg_diags *diags)
{
    tg_axe x, y;
    tg_axe_copy(a, &x);
    tg_axe_copy(b, &y);
    tg_axe_canonize(&x);
    tg_axe_canonize(&y);
    if (tg_swizzle_same(&a->swizzle, &b->swizzle)) return same_unswizzled(&x, &y, equal, diags);
    return same_everywhere(&x, &y, equal, diags);
}
