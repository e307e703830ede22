#include "interp/memory/spaced.h"

#include <string.h>

#include "interp/blocks/kernels.h"
#include "interp/memory/mask.h"
#include "interp/memory/rows.h"
#include "interp/state/operand.h"

/* ---- what the mask turns on ---- */

/* Extends the range [low, high) by the elements of a row that are on. */
static void extend(const uint8_t *row, int64_t stride, int64_t count, int64_t *low, int64_t *high)
{
    int64_t first = 0, end = count;
    while (first < *low && !row[first * stride]) first++;
    while (end > *high && !row[(end - 1) * stride]) end--;
    if (first < *low) *low = first;
    if (end > *high) *high = end;
}

/* Returns whether any element of the row in [low, high) is on. */
static bool is_any_on(const uint8_t *row, int64_t stride, int64_t low, int64_t high)
{
    for (int64_t i = low; i < high; i++)
        if (row[i * stride]) return true;
    return false;
}

/* Sets low and high to the smallest part of the result that has all elements which are on; in an
 * empty one they are equal. */
static void enclose(const tg_view *mask, tg_box *box)
{
    const int last = mask->rank - 1;
    const int64_t zeros[TG_MAX_RANK] = {0};
    tg_rows rows;
    for (int d = 0; d < box->rank; d++) {
        box->low[d] = mask->shape[d];
        box->high[d] = 0;
    }
    for (bool more = tg_rows_begin(&rows, mask->rank, zeros, mask->shape); more;
         more = tg_rows_next(&rows)) {
        const uint8_t *row = (const uint8_t *)mask->data + tg_rows_offset(&rows, mask->stride);
        extend(row, mask->stride[last], mask->shape[last], &box->low[last], &box->high[last]);
        if (!is_any_on(row, mask->stride[last], box->low[last], box->high[last])) continue;
        for (int d = 0; d < last; d++) {
            if (rows.index[d] < box->low[d]) box->low[d] = rows.index[d];
            if (rows.index[d] >= box->high[d]) box->high[d] = rows.index[d] + 1;
        }
    }
}

static void set_part(const tg_machine *m, const tg_access_plan *a, tg_box *box)
{
    if (a->has_mask && !tg_mask_is_full(m, a)) {
        const tg_view mask = tg_operand_view(m, &a->mask);
        enclose(&mask, box);
    } else {
        for (int d = 0; d < box->rank; d++) {
            box->low[d] = 0;
            box->high[d] = box->shape[d];
        }
    }
    for (int d = 0; d < box->rank; d++)
        if (box->low[d] >= box->high[d]) memset(box->high, 0, sizeof box->high);
    if (box->high[0] == 0) memset(box->low, 0, sizeof box->low);
}

/* ---- positions ---- */

static const int64_t *at(const tg_view *positions, const int64_t *index)
{
    const int64_t *data = positions->data;
    for (int d = 0; d < positions->rank; d++) data += index[d] * positions->stride[d];
    return data;
}

/* Sets origin and strides by the first element that is on and its neighbours.  Returns false if a
 * stride is not positive, or the first or the last position is not in the array. */
static bool set_strides(const tg_view *positions, const tg_ref *ref, tg_box *box)
{
    const int64_t first = *at(positions, box->low);
    int64_t last[TG_MAX_RANK] = {0};
    box->origin = first;
    for (int d = 0; d < box->rank; d++) {
        last[d] = box->high[d] - 1;
        box->stride[d] = 1;
        if (box->high[d] - box->low[d] < 2) continue;
        const int64_t next = *(at(positions, box->low) + positions->stride[d]);
        if (__builtin_sub_overflow(next, first, &box->stride[d]) || box->stride[d] < 1)
            return false;
    }
    const int64_t end = *at(positions, last);
    return first >= ref->low[0] && first < ref->high[0] && end >= first && end < ref->high[0];
}

/* Returns whether no two elements of the part are at one place: from the narrowest dimension on,
 * each stride is longer than what the narrower ones span. */
static bool is_apart(const tg_box *box)
{
    int64_t span = 0;
    unsigned done = 0;
    for (int n = 0; n < box->rank; n++) {
        int next = -1;
        for (int d = 0; d < box->rank; d++)
            if (!(done >> d & 1) && (next < 0 || box->stride[d] < box->stride[next])) next = d;
        const int64_t count = box->high[next] - box->low[next];
        int64_t wide;
        done |= 1U << next;
        if (count < 2) continue;
        if (box->stride[next] <= span ||
            __builtin_mul_overflow(count - 1, box->stride[next], &wide) ||
            __builtin_add_overflow(span, wide, &span))
            return false;
    }
    return true;
}

/* Returns whether the positions of rows along the last two dimensions are as the box says. */
static bool are_even_rows(const tg_machine *m, const tg_spaced_rows *r, int64_t apart)
{
    if (apart == 1) return tg_block_kernels_of(m->launch->elementwise)->rows_are_spaced(r);
    for (int64_t n = 0; n < r->row_count; n++)
        for (int64_t i = 0; i < r->count; i++)
            if (r->rows[n * r->row_apart + i * apart] != r->first + n * r->row_step + i * r->step)
                return false;
    return true;
}

/* Goes to the next index in the dimensions before `row`; false after the last one. */
static bool next_rows(const tg_box *box, int row, int64_t *index)
{
    for (int d = row - 1; d >= 0; d--) {
        if (++index[d] < box->high[d]) return true;
        index[d] = box->low[d];
    }
    return false;
}

static bool is_even(const tg_machine *m, const tg_view *positions, const tg_box *box)
{
    const int last = box->rank - 1, row = last - 1;
    tg_spaced_rows r = {.row_count = 1, .count = box->high[last] - box->low[last]};
    int64_t index[TG_MAX_RANK];
    r.step = box->stride[last];
    if (row >= 0) {
        r.row_count = box->high[row] - box->low[row];
        r.row_apart = positions->stride[row];
        r.row_step = box->stride[row];
    }
    memcpy(index, box->low, sizeof index);
    do {
        r.rows = at(positions, index);
        r.first = box->origin;
        for (int d = 0; d < row; d++) r.first += (index[d] - box->low[d]) * box->stride[d];
        if (!are_even_rows(m, &r, positions->stride[last])) return false;
    } while (next_rows(box, row, index));
    return true;
}

/* ---- the box ---- */

static bool may_be_spaced(const tg_machine *m, const tg_access_plan *a, const tg_ref *ref)
{
    return a->has_arrays && a->rank == 1 && a->result.rank > 0 && !ref->recast &&
           !ref->is_nothing && !tg_setting_clamps(&m->launch->setting);
}

bool tg_access_is_spaced(const tg_machine *m, const tg_access_plan *a, tg_box *box)
{
    const tg_ref *ref = &m->refs[a->ref];
    if (!may_be_spaced(m, a, ref)) return false;
    const tg_view positions = tg_operand_view(m, &a->dims[0].operand);
    *box = (tg_box){.data = ref->data, .rank = a->result.rank, .is_legal = true};
    memcpy(box->shape, a->result.shape, sizeof box->shape);
    set_part(m, a, box);
    if (box->high[0] == 0) return true; /* nothing is on */
    if (!set_strides(&positions, ref, box) || !is_apart(box) || !is_even(m, &positions, box))
        return false;
    box->is_inside = true;
    for (int d = 0; d < box->rank; d++) {
        box->is_inside &= box->high[d] - box->low[d] == box->shape[d];
        box->origin -= box->low[d] * box->stride[d];
        box->stride[d] *= ref->stride[0];
    }
    box->origin = ref->origin + box->origin * ref->stride[0];
    memcpy(box->legal_low, box->low, sizeof box->low);
    memcpy(box->legal_high, box->high, sizeof box->high);
    return true;
}
