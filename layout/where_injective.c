/* Whether two elements share a place. */
#include <stdlib.h>
#include <string.h>

#include "layout/canonical.h"
#include "layout/where.h"
#include "layout/where_digits.h"

/* An element, by its digits on one axis, and a coordinate of one of its copies. */
typedef struct occupant {
    int64_t at, index;
} occupant;

static int compare(const void *a, const void *b)
{
    const occupant *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* All values of all digits: replaces each occupant by one for each value of a digit. */
static size_t spread(occupant *list, size_t count, const tg_axis_digit *digit)
{
    size_t used = count;
    for (int64_t d = 1; d < digit->extent; d++)
        for (size_t i = 0; i < count; i++)
            list[used++] =
                (occupant){list[i].at + d * digit->stride, list[i].index + d * digit->place};
    return used;
}

static tg_status list_occupants(const tg_axis_digits *digits, tg_axis axis, occupant **out,
                                size_t *count, tg_diags *diags)
{
    int64_t points = 1;
    for (int i = 0; i < digits->count; i++) points *= digits->list[i].extent;
    if (points > TG_AXE_MOST_POINTS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "strides on axis %s are not more than smaller ones reach, and to list its "
                       "%lld coordinates is more than %lld steps",
                       tg_axes[axis].name, (long long)points, (long long)TG_AXE_MOST_POINTS);
    *out = malloc((size_t)points * sizeof **out);
    if (!*out) return tg_no_memory(diags);
    (*out)[0] = (occupant){digits->least, digits->first};
    *count = 1;
    for (int i = 0; i < digits->count; i++) *count = spread(*out, *count, &digits->list[i]);
    qsort(*out, *count, sizeof **out, compare);
    return TG_OK;
}

static void tell(const tg_axe *axe, int64_t a, int64_t b, tg_axis axis, int64_t at,
                 tg_shared_place *shared)
{
    shared->element[0] = a < b ? a : b;
    shared->element[1] = a < b ? b : a;
    memcpy(shared->at.at, axe->offset, sizeof axe->offset);
    if (axis != TG_AXIS_NONE) shared->at.at[axis] = at;
    if (!axe->swizzle.bits) return;
    int64_t *v = &shared->at.at[axe->swizzle.axis];
    *v = tg_swizzle_apply(&axe->swizzle, *v);
}

/* Digits of the other axes are 0. */
static tg_status find_on(const tg_axe *axe, tg_axis axis, bool *injective, tg_shared_place *shared,
                         tg_diags *diags)
{
    tg_axis_digits digits;
    occupant *list = NULL;
    size_t count = 0;
    tg_axis_digits_of(axe, axis, &digits);
    if (tg_axis_digits_are_separated(&digits)) return TG_OK;
    TG_TRY(list_occupants(&digits, axis, &list, &count, diags));
    for (size_t i = 0; i + 1 < count && *injective; i++) {
        if (list[i].at != list[i + 1].at || list[i].index == list[i + 1].index) continue;
        *injective = false;
        tell(axe, list[i].index, list[i + 1].index, axis, list[i].at, shared);
    }
    free(list);
    return TG_OK;
}

static bool is_unmoved(const tg_axe *axe, tg_shared_place *shared)
{
    int64_t place = 1;
    for (int i = axe->d.count - 1; i >= 0; i--) {
        if (axe->d.list[i].axis == TG_AXIS_NONE) {
            tell(axe, 0, place, TG_AXIS_NONE, 0, shared);
            return true;
        }
        place *= axe->d.list[i].extent;
    }
    return false;
}

tg_status tg_axe_is_injective(const tg_axe *axe, bool *injective, tg_shared_place *shared,
                              tg_diags *diags)
{
    tg_axe canonical;
    tg_axe_copy(axe, &canonical);
    tg_axe_canonize(&canonical);
    *shared = (tg_shared_place){0};
    *injective = !is_unmoved(&canonical, shared);
    for (int a = 0; *injective && a < TG_AXIS_COUNT; a++)
        TG_TRY(find_on(&canonical, (tg_axis)a, injective, shared, diags));
    return TG_OK;
}
