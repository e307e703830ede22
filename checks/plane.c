#include "checks/plane.h"

#include <stdlib.h>

#include "checks/plane_runs.h"

enum { LEAST_SHIFT = 2, MOST_SHIFT = 6 };

int64_t tg_plane_run_of(const tg_param *param, size_t width)
{
    int64_t run = (int64_t)(tg_dtypes[param->array.dtype].bytes / width);
    for (int d = param->array.rank - 1; d >= 0; d--) {
        const tg_block_dim *block = &param->block[d];
        if (!param->has_block || block->kind == TG_BLOCK_ELEMENT) return 0;
        run *= block->size;
        if (block->size != param->array.shape[d]) return run;
    }
    return run;
}

/* If runs are shorter than the shortest chunk, uses the longest chunks, with pages. */
static int shift_for(int64_t run)
{
    for (int shift = MOST_SHIFT; run && shift >= LEAST_SHIFT; shift--)
        if (run % (INT64_C(1) << shift) == 0) return shift;
    return MOST_SHIFT;
}

bool tg_plane_init(tg_plane *plane, int64_t count, int64_t run, uint32_t number)
{
    const int shift = shift_for(run);
    *plane = (tg_plane){
        .count = count, .chunk = 1 << shift, .shift = shift, .free_page = TG_PLANE_NO_PAGE};
    const int64_t groups = (tg_plane_chunk_count(plane, count) >> TG_PLANE_GROUP_SHIFT) + 1;
    plane->groups = malloc((size_t)groups * sizeof *plane->groups);
    plane->chunks = malloc((size_t)(groups << TG_PLANE_GROUP_SHIFT) * sizeof *plane->chunks);
    if (!plane->groups || !plane->chunks) {
        tg_plane_free(plane);
        return false;
    }
    for (int64_t g = 0; g < groups; g++) plane->groups[g] = number;
    return true;
}

void tg_plane_free(tg_plane *plane)
{
    free(plane->groups);
    free(plane->chunks);
    free(plane->pages);
    *plane = (tg_plane){0};
}

/* ---- boxes ---- */

static bool is_empty(const tg_plane_box *box)
{
    for (int d = 0; d < box->rank; d++)
        if (box->count[d] <= 0) return true;
    return false;
}

/* Returns the same places in as few rows as possible. */
static tg_plane_box merged(const tg_plane_box *box)
{
    tg_plane_box rows;
    rows.first = box->first;
    rows.rank = 0;
    for (int d = 0; d < box->rank; d++) {
        const int last = rows.rank - 1;
        if (last >= 0 && rows.stride[last] == box->count[d] * box->stride[d]) {
            rows.count[last] *= box->count[d];
            rows.stride[last] = box->stride[d];
            continue;
        }
        rows.count[rows.rank] = box->count[d];
        rows.stride[rows.rank++] = box->stride[d];
    }
    return rows;
}

/* The rows of a box in layers: `height` rows, `step` places apart, the first one at `at`. */
typedef struct rows {
    tg_plane_box box;
    int64_t height, step, at;
    int64_t count, stride; /* places of a row */
    int64_t chunks;        /* of a row, if rows are whole chunks, else 0 */
    int64_t index[TG_PLANE_RANK];
} rows;

static bool is_of_chunks(const tg_plane *plane, const tg_plane_box *box)
{
    const int last = box->rank - 1;
    int64_t all = box->first | box->count[last];
    for (int d = 0; d < last; d++) all |= box->stride[d];
    return box->stride[last] == 1 && (all & (plane->chunk - 1)) == 0;
}

static rows rows_of(const tg_plane *plane, const tg_plane_box *box)
{
    rows r = {.box = merged(box), .at = box->first, .height = 1};
    const int last = r.box.rank - 1;
    r.count = r.box.count[last];
    r.stride = r.box.stride[last];
    if (last > 0) {
        r.height = r.box.count[last - 1];
        r.step = r.box.stride[last - 1];
    }
    if (is_of_chunks(plane, &r.box)) r.chunks = r.count >> plane->shift;
    return r;
}

static bool next_layer(rows *r)
{
    for (int d = r->box.rank - 3; d >= 0; d--) {
        r->at += r->box.stride[d];
        if (++r->index[d] < r->box.count[d]) return true;
        r->at -= r->box.count[d] * r->box.stride[d];
        r->index[d] = 0;
    }
    return false;
}

/* Returns how many of the rows from `at` on, up to `most`, lie in one group whose chunks have the numbers, and
 * are whole chunks of it. */
static int64_t rows_in_open_group(const tg_plane *plane, const rows *r, int64_t at, int64_t most)
{
    const int64_t group = at >> tg_plane_group_shift(plane);
    if (!r->chunks || r->chunks >= TG_PLANE_GROUP_CHUNKS || plane->groups[group] != TG_PLANE_LIMIT)
        return 0;
    const int64_t room = ((group + 1) << tg_plane_group_shift(plane)) - at - r->count;
    if (room < 0 || r->step <= 0) return room >= 0;
    return room / r->step + 1 < most ? room / r->step + 1 : most;
}

/* Most chunks of a tile have one number, so that the last answer is kept at hand. */
static void update_chunk_rows(tg_plane *plane, const rows *r, int64_t at, int64_t count,
                              tg_plane_asker *a)
{
    const int64_t apart = r->step >> plane->shift;
    uint32_t *numbers = plane->chunks + (at >> plane->shift), asked = UINT32_MAX, answer = 0;
    for (; count > 0; count--, at += r->step, numbers += apart)
        for (int64_t i = 0; i < r->chunks; i++) {
            if (numbers[i] == asked) {
                numbers[i] = answer;
            } else if (numbers[i] < TG_PLANE_LIMIT) {
                asked = numbers[i];
                answer = numbers[i] =
                    tg_plane_ask(a, asked, at + (i << plane->shift), plane->chunk);
            } else {
                tg_plane_runs_update(plane, at + (i << plane->shift), plane->chunk, a);
            }
        }
}

static void update_row(tg_plane *plane, const rows *r, int64_t at, tg_plane_asker *a)
{
    if (r->stride == 1)
        tg_plane_runs_update(plane, at, r->count, a);
    else
        for (int64_t i = 0; i < r->count; i++)
            tg_plane_runs_update(plane, at + i * r->stride, 1, a);
}

/* All answers depend on the old number only. */
static void update_rows(tg_plane *plane, const tg_plane_box *box, tg_plane_asker *a)
{
    rows r = rows_of(plane, box);
    do {
        for (int64_t i = 0, done; i < r.height; i += done) {
            const int64_t at = r.at + i * r.step;
            const int64_t in_group = rows_in_open_group(plane, &r, at, r.height - i);
            if (in_group)
                update_chunk_rows(plane, &r, at, in_group, a);
            else
                update_row(plane, &r, at, a);
            done = in_group ? in_group : 1;
        }
    } while (next_layer(&r));
}

/* Gives the chunks of the box its number. */
static void catch_up(tg_plane *plane)
{
    if (!plane->is_behind) return;
    tg_plane_asker a = {
        .next = tg_plane_same_number, .context = &plane->box_number, .is_by_number = true};
    update_rows(plane, &plane->box, &a);
    plane->is_behind = false;
    plane->has_box = plane->has_box && !plane->is_incomplete;
}

/* ---- runs of places ---- */

void tg_plane_update(tg_plane *plane, int64_t first, int64_t count, tg_plane_fn *next,
                     void *context)
{
    tg_plane_asker a = {.next = next, .context = context};
    catch_up(plane);
    plane->has_box = false;
    tg_plane_runs_update(plane, first, count, &a);
}

void tg_plane_visit(tg_plane *plane, int64_t first, int64_t count, tg_plane_visitor *visit,
                    void *context)
{
    catch_up(plane);
    tg_plane_runs_visit(plane, first, count, visit, context);
}

void tg_plane_update_strided(tg_plane *plane, int64_t first, int64_t stride, int64_t count,
                             tg_plane_fn *next, void *context)
{
    if (stride == 1) {
        tg_plane_update(plane, first, count, next, context);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        tg_plane_update(plane, first + i * stride, 1, next, context);
}

void tg_plane_visit_strided(tg_plane *plane, int64_t first, int64_t stride, int64_t count,
                            tg_plane_visitor *visit, void *context)
{
    if (stride == 1) {
        tg_plane_visit(plane, first, count, visit, context);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        tg_plane_visit(plane, first + i * stride, 1, visit, context);
}

/* ---- the box ---- */

static bool same_box(const tg_plane_box *a, const tg_plane_box *b)
{
    if (a->rank != b->rank || a->first != b->first) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->count[d] != b->count[d] || a->stride[d] != b->stride[d]) return false;
    return true;
}

static bool is_last_box(const tg_plane *plane, const tg_plane_box *box)
{
    return plane->has_box && same_box(&plane->box, box);
}

/* Whether all places from the first of a box to its last one have one number, in groups that have it. */
static bool is_in_alike_groups(const tg_plane *plane, const tg_plane_box *box)
{
    int64_t last = box->first;
    for (int d = 0; d < box->rank; d++) {
        if (box->stride[d] < 0) return false;
        last += (box->count[d] - 1) * box->stride[d];
    }
    return tg_plane_run_of_groups(plane, box->first, last + 1) == last + 1 - box->first;
}

bool tg_plane_knows_box(const tg_plane *plane, const tg_plane_box *box, uint32_t *number)
{
    const bool is_last = is_last_box(plane, box);
    if (!is_last && (plane->is_behind || is_empty(box) || !is_in_alike_groups(plane, box)))
        return false;
    *number =
        is_last ? plane->box_number : plane->groups[box->first >> tg_plane_group_shift(plane)];
    return true;
}

void tg_plane_update_box(tg_plane *plane, const tg_plane_box *box, tg_plane_fn *next, void *context)
{
    tg_plane_asker a = {.next = next, .context = context, .is_by_number = true};
    if (is_empty(box)) return;
    if (is_last_box(plane, box)) {
        const uint32_t number = plane->box_number;
        plane->box_number = next(context, number, box->first, 1);
        plane->is_behind = plane->is_behind || plane->box_number != number;
        return;
    }
    catch_up(plane);
    update_rows(plane, box, &a);
    plane->has_box = !a.is_mixed && !plane->is_incomplete;
    plane->box_number = a.answer;
    if (plane->has_box) plane->box = *box;
}

static void visit_row(const tg_plane *plane, const rows *r, int64_t at, tg_plane_visitor *visit,
                      void *context)
{
    if (r->stride == 1)
        tg_plane_runs_visit(plane, at, r->count, visit, context);
    else
        for (int64_t i = 0; i < r->count; i++)
            tg_plane_runs_visit(plane, at + i * r->stride, 1, visit, context);
}

void tg_plane_visit_box(tg_plane *plane, const tg_plane_box *box, tg_plane_visitor *visit,
                        void *context)
{
    if (is_empty(box)) return;
    catch_up(plane);
    rows r = rows_of(plane, box);
    const bool is_alike = r.stride == 1 && is_in_alike_groups(plane, box);
    const uint32_t number = plane->groups[box->first >> tg_plane_group_shift(plane)];
    do {
        for (int64_t i = 0; i < r.height; i++) {
            if (is_alike)
                visit(context, number, r.at + i * r.step, r.count);
            else
                visit_row(plane, &r, r.at + i * r.step, visit, context);
        }
    } while (next_layer(&r));
}
