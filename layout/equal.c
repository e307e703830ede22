#include "layout/equal.h"

#include <stdlib.h>
#include <string.h>

#include "layout/canonical.h"
#include "layout/copies.h"
#include "layout/multiples.h"
#include "layout/places.h"

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

/* Whether element 0 has the same places in two canonical layouts: all strides of R are positive, so O
 * is its least one. */
static tg_status same_at_0(const tg_axe *a, const tg_axe *b, bool *equal, tg_diags *diags)
{
    *equal = memcmp(a->offset, b->offset, sizeof a->offset) == 0;
    for (int axis = 0; *equal && axis < TG_AXIS_COUNT; axis++)
        if (uses(a, (tg_axis)axis) || uses(b, (tg_axis)axis))
            TG_TRY(same_copies_on(a, b, (tg_axis)axis, equal, diags));
    return TG_OK;
}

static int64_t first_difference(const tg_axe *a, const tg_axe *b, int64_t size, tg_coordinate *in_a,
                                tg_coordinate *in_b)
{
    for (int64_t x = 0; x < size; x++) {
        const size_t count = tg_places_fill(a, x, in_a);
        if (tg_places_fill(b, x, in_b) != count || memcmp(in_a, in_b, count * sizeof *in_a) != 0)
            return x;
    }
    return -1;
}

static bool is_small(const tg_axe *axe)
{
    return tg_iters_size(&axe->d) <= TG_AXE_MOST_POINTS / tg_iters_size(&axe->r);
}

/* By definition, place by place. */
static tg_status find_by_places(const tg_axe *a, const tg_axe *b, int64_t size, int64_t *element,
                                tg_diags *diags)
{
    if (!is_small(a) || !is_small(b))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "layouts with different swizzles have more than %lld elements and copies",
                       (long long)TG_AXE_MOST_POINTS);
    tg_coordinate *in_a = calloc((size_t)tg_iters_size(&a->r), sizeof *in_a);
    tg_coordinate *in_b = calloc((size_t)tg_iters_size(&b->r), sizeof *in_b);
    if (in_a && in_b) *element = first_difference(a, b, size, in_a, in_b);
    const tg_status status = in_a && in_b ? TG_OK : tg_no_memory(diags);
    free(in_a);
    free(in_b);
    return status;
}

/* The first element at which D differs, if the places of element 0 are the same.
 *
 * From x - 1 to x, D moves by an amount that depends on which digits become 0, thus on the products of
 * the fastest extents that divide x.  So if the movements of two layouts differ first at x, they differ
 * at the least common multiple of the greatest such product of either, which divides x: it is x. */
static int64_t find_in_d(const tg_axe *a, const tg_axe *b, int64_t size)
{
    int64_t first = -1, p = 1;
    for (int i = a->d.count; i >= 0; i--) {
        int64_t q = 1;
        for (int k = b->d.count; k >= 0; k--) {
            int64_t x;
            tg_coordinate in_a, in_b;
            const bool is_element = !__builtin_mul_overflow(p / tg_gcd(p, q), q, &x) && x < size;
            if (is_element && (first < 0 || x < first)) {
                tg_axe_unswizzled(a, x, &in_a);
                tg_axe_unswizzled(b, x, &in_b);
                if (tg_coordinate_compare(&in_a, &in_b) != 0) first = x;
            }
            if (k) q *= b->d.list[k - 1].extent;
        }
        if (i) p *= a->d.list[i - 1].extent;
    }
    return first;
}

/* Of canonical layouts. */
static tg_status find_difference(const tg_axe *a, const tg_axe *b, int64_t *element,
                                 tg_diags *diags)
{
    bool same;
    const int64_t size_a = tg_iters_size(&a->d), size_b = tg_iters_size(&b->d);
    const int64_t size = size_a < size_b ? size_a : size_b;
    if (!tg_swizzle_same(&a->swizzle, &b->swizzle))
        return find_by_places(a, b, size, element, diags);
    TG_TRY(same_at_0(a, b, &same, diags));
    *element = same ? find_in_d(a, b, size) : 0;
    return TG_OK;
}

tg_status tg_axe_first_difference(const tg_axe *a, const tg_axe *b, int64_t *element,
                                  tg_diags *diags)
{
    tg_axe x, y;
    tg_axe_copy(a, &x);
    tg_axe_copy(b, &y);
    tg_axe_canonize(&x);
    tg_axe_canonize(&y);
    return find_difference(&x, &y, element, diags);
}

tg_status tg_axe_equal(const tg_axe *a, const tg_axe *b, bool *equal, tg_diags *diags)
{
    tg_axe x, y;
    int64_t element = -1;
    tg_axe_copy(a, &x);
    tg_axe_copy(b, &y);
    tg_axe_canonize(&x);
    tg_axe_canonize(&y);
    if (tg_swizzle_same(&a->swizzle, &b->swizzle)) {
        *equal = same_d(&x.d, &y.d);
        return *equal ? same_at_0(&x, &y, equal, diags) : TG_OK;
    }
    *equal = tg_iters_size(&x.d) == tg_iters_size(&y.d);
    if (!*equal) return TG_OK;
    TG_TRY(find_difference(&x, &y, &element, diags));
    *equal = element < 0;
    return TG_OK;
}
