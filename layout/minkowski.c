#include "layout/minkowski.h"

#include <stdlib.h>
#include <string.h>

#include "layout/map.h"

static bool has(const tg_copies *set, int64_t at)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (set->at[middle] == at) return true;
        if (set->at[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* ---- iters of a set ---- */

/* Sums of the iters so far are marked, by their place in the set. */
typedef struct attempt {
    const tg_copies *set;
    tg_axis axis;
    int64_t budget; /* marks that it may still try */
} attempt;

static size_t place_of(const tg_copies *set, int64_t at)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (set->at[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Marks the sums with the digits of an iter; false if one is not in the set. */
static bool mark(attempt *t, const bool *before, int64_t extent, int64_t stride, bool *after)
{
    memcpy(after, before, t->set->count);
    for (size_t i = 0; i < t->set->count; i++)
        for (int64_t d = 1; before[i] && d < extent; d++) {
            const int64_t at = t->set->at[i] + d * stride;
            if (t->budget-- <= 0 || !has(t->set, at)) return false;
            after[place_of(t->set, at)] = true;
        }
    return true;
}

/* The least number that is no sum yet is the stride of an iter; its extent is tried from the largest on. */
static bool generate(attempt *t, const bool *sums, tg_iters *out)
{
    const tg_copies *set = t->set;
    size_t first = 0;
    while (first < set->count && sums[first]) first++;
    if (first == set->count) return true;
    if (out->count == TG_AXE_MAX_ITERS) return false;
    bool *more = malloc(set->count);
    if (!more) return false;
    const int64_t stride = set->at[first];
    int64_t extent = 2;
    while (has(set, extent * stride)) extent++;
    bool found = false;
    for (; !found && extent >= 2 && t->budget > 0; extent--) {
        if (!mark(t, sums, extent, stride, more)) continue;
        tg_iters_put(out, extent, stride, t->axis);
        found = generate(t, more, out);
        if (!found) out->count--;
    }
    free(more);
    return found;
}

bool tg_copies_generate(const tg_copies *set, tg_axis axis, tg_iters *out)
{
    attempt t = {set, axis, TG_AXE_MOST_POINTS};
    bool *sums = calloc(set->count, 1);
    if (!sums) return false;
    sums[0] = true;
    const bool found = generate(&t, sums, out);
    free(sums);
    return found;
}

/* ---- quotients ---- */

static bool has_copies(const tg_axe *axe, tg_axis axis)
{
    for (int i = 0; i < axe->r.count; i++)
        if (axe->r.list[i].axis == axis) return true;
    return false;
}

static tg_status no_quotient(tg_axis axis, int64_t scale, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "the copies on axis %s are not those of the known part, and others, %lld apart",
                   tg_axes[axis].name, (long long)scale);
}

/* All strides are copies, so each must be a multiple. */
static tg_status divide_strides(const tg_axe *whole, tg_axis axis, int64_t scale, tg_iters *out,
                                tg_diags *diags)
{
    for (int i = 0; i < whole->r.count; i++) {
        const tg_iter it = whole->r.list[i];
        if (it.axis != axis) continue;
        if (it.stride % scale != 0) return no_quotient(axis, scale, diags);
        tg_iters_put(out, it.extent, it.stride / scale, axis);
    }
    return TG_OK;
}

/* All x with scale * x + part within the whole: no quotient has another. */
static bool erode(const tg_copies *whole, const tg_copies *part, int64_t scale, tg_copies *out)
{
    for (size_t i = 0; i < whole->count; i++) {
        if (whole->at[i] % scale != 0) continue;
        size_t k = 0;
        while (k < part->count && has(whole, whole->at[i] + part->at[k])) k++;
        if (k == part->count) out->at[out->count++] = whole->at[i] / scale;
    }
    return out->count && out->at[0] == 0;
}

static bool covers(const tg_copies *whole, const tg_copies *part, int64_t scale,
                   const tg_copies *quotient)
{
    for (size_t i = 0; i < whole->count; i++) {
        size_t k = 0;
        for (; k < part->count; k++) {
            const int64_t rest = whole->at[i] - part->at[k];
            if (rest % scale == 0 && has(quotient, rest / scale)) break;
        }
        if (k == part->count) return false;
    }
    return true;
}

static tg_status quotient_of(const tg_copies *whole, const tg_copies *part, tg_axis axis,
                             int64_t scale, tg_iters *out, tg_diags *diags)
{
    const int before = out->count;
    if (whole->count > (size_t)TG_AXE_MOST_POINTS / part->count)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "copies on axis %s are too many to be compared", tg_axes[axis].name);
    tg_copies found = {malloc(whole->count * sizeof *found.at), 0};
    if (!found.at) return tg_no_memory(diags);
    const bool is_one = erode(whole, part, scale, &found) && covers(whole, part, scale, &found) &&
                        tg_copies_generate(&found, axis, out);
    tg_copies_free(&found);
    if (is_one) return TG_OK;
    out->count = before;
    return no_quotient(axis, scale, diags);
}

tg_status tg_copies_quotient(const tg_axe *whole, const tg_axe *part, tg_axis axis, int64_t scale,
                             tg_iters *out, tg_diags *diags)
{
    tg_copies a, b;
    if (!has_copies(part, axis)) return divide_strides(whole, axis, scale, out, diags);
    TG_TRY(tg_copies_on(whole, axis, &a, diags));
    tg_status status = tg_copies_on(part, axis, &b, diags);
    if (status == TG_OK) {
        if (!tg_copies_same(&a, &b)) status = quotient_of(&a, &b, axis, scale, out, diags);
        tg_copies_free(&b);
    }
    tg_copies_free(&a);
    return status;
}
