#include "layout/where.h"

#include <stdlib.h>

#include "layout/canonical.h"
#include "layout/where_digits.h"

/* The indices that the digits of an axis may have. */
typedef struct search {
    const tg_axis_digits *digits;
    tg_element_list found;
    size_t room;
    int64_t steps;
    tg_diags *diags;
} search;

static tg_status too_many(tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "to find the elements at the place takes more than %lld steps",
                   (long long)TG_AXE_MOST_POINTS);
}

static tg_status add(search *s, int64_t index)
{
    if (s->found.count == s->room) {
        const size_t room = s->room ? 2 * s->room : 4;
        int64_t *list = realloc(s->found.list, room * sizeof *list);
        if (!list) return tg_no_memory(s->diags);
        s->found.list = list;
        s->room = room;
    }
    s->found.list[s->found.count++] = index;
    return TG_OK;
}

/* Digits from `i` on must add `rest`.  Not more than 62 have an extent of 2 or more. */
static tg_status find(search *s, int i, int64_t rest, int64_t index)
{
    if (i == s->digits->count) return add(s, index);
    const tg_axis_digit digit = s->digits->list[i];
    const int64_t over = rest - s->digits->reach[i + 1]; /* what this digit must add, at least */
    const int64_t least = over <= 0 ? 0 : (over + digit.stride - 1) / digit.stride;
    const int64_t at_most = rest / digit.stride;
    const int64_t most = at_most < digit.extent ? at_most : digit.extent - 1;
    for (int64_t d = least; d <= most; d++) {
        if (++s->steps > TG_AXE_MOST_POINTS) return too_many(s->diags);
        TG_TRY(find(s, i + 1, rest - d * digit.stride, index + d * digit.place));
    }
    return TG_OK;
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* An index may be found with several copies. */
static void sort(tg_element_list *elements)
{
    size_t kept = 0;
    if (elements->count) qsort(elements->list, elements->count, sizeof(int64_t), ascending);
    for (size_t i = 0; i < elements->count; i++)
        if (!kept || elements->list[kept - 1] != elements->list[i])
            elements->list[kept++] = elements->list[i];
    elements->count = kept;
}

/* Replaces the indices by their sums with others; digits of another axis are other places, so sums differ. */
static tg_status multiply(tg_element_list *all, const tg_element_list *by, tg_diags *diags)
{
    if (by->count && all->count > (size_t)TG_AXE_MOST_POINTS / by->count) return too_many(diags);
    const size_t count = all->count * by->count;
    int64_t *sums = malloc((count ? count : 1) * sizeof *sums);
    if (!sums) return tg_no_memory(diags);
    for (size_t i = 0; i < count; i++) sums[i] = all->list[i / by->count] + by->list[i % by->count];
    free(all->list);
    *all = (tg_element_list){sums, count};
    return TG_OK;
}

static tg_status restrict_by_axis(const tg_axe *axe, tg_axis axis, int64_t at, tg_element_list *all,
                                  tg_diags *diags)
{
    tg_axis_digits digits;
    search s = {.digits = &digits, .diags = diags};
    const tg_range range = tg_axe_range(axe, axis);
    tg_axis_digits_of(axe, axis, &digits);
    tg_status status = TG_OK;
    if (at >= range.least && at <= range.most)
        status = find(&s, 0, at - digits.least, digits.first);
    sort(&s.found);
    if (status == TG_OK) status = multiply(all, &s.found, diags);
    tg_element_list_free(&s.found);
    return status;
}

/* Digits of iters that move along no axis take all values. */
static tg_status add_unmoved(const tg_axe *axe, tg_element_list *all, tg_diags *diags)
{
    int64_t place = 1;
    tg_status status = TG_OK;
    for (int i = axe->d.count - 1; status == TG_OK && i >= 0; i--) {
        const tg_iter it = axe->d.list[i];
        if (it.axis == TG_AXIS_NONE && all->count) {
            if (it.extent > TG_AXE_MOST_POINTS) return too_many(diags);
            tg_element_list digits = {malloc((size_t)it.extent * sizeof(int64_t)),
                                      (size_t)it.extent};
            if (!digits.list) return tg_no_memory(diags);
            for (int64_t d = 0; d < it.extent; d++) digits.list[d] = d * place;
            status = multiply(all, &digits, diags);
            tg_element_list_free(&digits);
        }
        place *= it.extent;
    }
    return status;
}

tg_status tg_axe_where(const tg_axe *axe, const tg_coordinate *at, tg_element_list *out,
                       tg_diags *diags)
{
    tg_axe canonical;
    tg_coordinate plain = *at;
    tg_axe_copy(axe, &canonical);
    tg_axe_canonize(&canonical);
    if (axe->swizzle.bits) /* a swizzle is its own inverse: what it reads, it does not change */
        plain.at[axe->swizzle.axis] = tg_swizzle_apply(&axe->swizzle, at->at[axe->swizzle.axis]);
    *out = (tg_element_list){calloc(1, sizeof *out->list), 1};
    if (!out->list) return tg_no_memory(diags);
    tg_status status = TG_OK;
    for (int a = 0; status == TG_OK && out->count && a < TG_AXIS_COUNT; a++)
        status = restrict_by_axis(&canonical, (tg_axis)a, plain.at[a], out, diags);
    if (status == TG_OK) status = add_unmoved(&canonical, out, diags);
    sort(out);
    if (status != TG_OK) tg_element_list_free(out);
    return status;
}

void tg_element_list_free(tg_element_list *elements)
{
    free(elements->list);
    *elements = (tg_element_list){0};
}
