#include "checks/plane.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_SHIFT = 2, MOST_SHIFT = 6, GROUP_SHIFT = 6, GROUP_CHUNKS = 1 << GROUP_SHIFT };
#define NO_PAGE UINT32_MAX

/* Returns how many chunks the first `places` places occupy. */
static int64_t chunk_count(const tg_plane *plane, int64_t places)
{
    return (places + plane->chunk - 1) >> plane->shift;
}

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
    *plane = (tg_plane){.count = count, .chunk = 1 << shift, .shift = shift, .free_page = NO_PAGE};
    const int64_t groups = (chunk_count(plane, count) >> GROUP_SHIFT) + 1;
    plane->groups = malloc((size_t)groups * sizeof *plane->groups);
    plane->chunks = malloc((size_t)(groups << GROUP_SHIFT) * sizeof *plane->chunks);
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

/* ---- pages ---- */

static uint32_t *page_at(const tg_plane *plane, uint32_t page)
{
    return plane->pages + ((size_t)page << plane->shift);
}

static uint32_t take_page(tg_plane *plane)
{
    const uint32_t page = plane->free_page;
    if (page != NO_PAGE) {
        plane->free_page = *page_at(plane, page);
        return page;
    }
    if (plane->page_count == plane->page_room) {
        const size_t room = plane->page_room ? 2 * plane->page_room : 16;
        uint32_t *pages = realloc(plane->pages, (room << plane->shift) * sizeof *pages);
        if (!pages) return NO_PAGE;
        plane->pages = pages;
        plane->page_room = room;
    }
    return (uint32_t)plane->page_count++;
}

static void give_page(tg_plane *plane, uint32_t page)
{
    *page_at(plane, page) = plane->free_page;
    plane->free_page = page;
}

/* Returns the numbers of the chunk's places, one by one; NULL if memory runs out. */
static uint32_t *open_chunk(tg_plane *plane, int64_t chunk)
{
    const uint32_t number = plane->chunks[chunk];
    if (number >= TG_PLANE_LIMIT) return page_at(plane, number - TG_PLANE_LIMIT);
    const uint32_t page = take_page(plane);
    if (page == NO_PAGE) {
        plane->is_incomplete = true;
        return NULL;
    }
    uint32_t *numbers = page_at(plane, page);
    for (int i = 0; i < plane->chunk; i++) numbers[i] = number;
    plane->chunks[chunk] = TG_PLANE_LIMIT + page;
    return numbers;
}

/* Returns how many places from `at` on have one number, up to `end`. */
static int run_length(const uint32_t *numbers, int at, int end)
{
    int next = at + 1;
    if (memcmp(numbers + at, numbers + next, (size_t)(end - next) * sizeof *numbers) == 0)
        return end - at; /* fast path for the usual case: all numbers are equal */
    while (numbers[next] == numbers[at]) next++;
    return next - at;
}

/* Frees the page of a chunk whose places all have one number again. */
static void close_chunk(tg_plane *plane, int64_t chunk, int last)
{
    const uint32_t page = plane->chunks[chunk] - TG_PLANE_LIMIT, *numbers = page_at(plane, page),
                   number = numbers[0];
    if (numbers[last - 1] != number || run_length(numbers, 0, last) < last) return;
    give_page(plane, page);
    plane->chunks[chunk] = number;
}

/* ---- runs ---- */

/* The part of a chunk within [first, end), and the end of that range. */
typedef struct part {
    int from, to, last;
} part;

static part part_of(const tg_plane *plane, int64_t chunk, int64_t first, int64_t end)
{
    const int64_t base = chunk << plane->shift, left = plane->count - base;
    part p = {.last = left < plane->chunk ? (int)left : plane->chunk};
    p.from = first > base ? (int)(first - base) : 0;
    p.to = end - base < p.last ? (int)(end - base) : p.last;
    return p;
}

/* Returns how many chunks from this one on lie wholly before `end` and have its number for all
 * places.  The caller knows this of the first chunk, so the result is at least 1. */
static int64_t chunks_alike(const tg_plane *plane, int64_t chunk, int64_t end)
{
    const uint32_t number = plane->chunks[chunk];
    const int64_t whole = (end >> plane->shift) - chunk;
    int64_t run = 1;
    while (run < whole && plane->chunks[chunk + run] == number) run++;
    return run;
}

/* The function to call for each run, and whether all its results are one number. */
typedef struct asker {
    tg_plane_fn *next;
    void *context;
    uint32_t answer;
    bool has_answer, is_mixed;
} asker;

static uint32_t ask(asker *a, uint32_t old, int64_t first, int64_t count)
{
    const uint32_t number = a->next(a->context, old, first, count);
    if (a->has_answer && a->answer != number) a->is_mixed = true;
    a->answer = number;
    a->has_answer = true;
    return number;
}

/* Updates the part of a chunk that has a page. */
static void update_page(tg_plane *plane, int64_t chunk, part p, asker *a)
{
    uint32_t *numbers = page_at(plane, plane->chunks[chunk] - TG_PLANE_LIMIT);
    bool has_changed = false;
    for (int at = p.from, run; at < p.to; at += run) {
        run = run_length(numbers, at, p.to);
        const uint32_t number = ask(a, numbers[at], (chunk << plane->shift) + at, run);
        if (number == numbers[at]) continue;
        for (int i = at; i < at + run; i++) numbers[i] = number;
        has_changed = true;
    }
    if (has_changed) close_chunk(plane, chunk, p.last);
}

/* Updates the part of a chunk that has one number. */
static void update_part(tg_plane *plane, int64_t chunk, part p, asker *a)
{
    const uint32_t old = plane->chunks[chunk];
    const uint32_t number = ask(a, old, (chunk << plane->shift) + p.from, p.to - p.from);
    uint32_t *numbers = number == old ? NULL : open_chunk(plane, chunk);
    for (int i = p.from; numbers && i < p.to; i++) numbers[i] = number;
}

/* Updates whole chunks that all have the same number. */
static void update_whole(tg_plane *plane, int64_t chunk, int64_t count, int64_t places, asker *a)
{
    const uint32_t old = plane->chunks[chunk];
    const uint32_t number = ask(a, old, chunk << plane->shift, places);
    for (int64_t c = 0; c < count && number != old; c++) plane->chunks[chunk + c] = number;
}

/* Updates places of a group whose chunks have the numbers. */
static void update_chunks(tg_plane *plane, int64_t first, int64_t count, asker *a)
{
    const int64_t end = first + count;
    for (int64_t chunk = first >> plane->shift, run; chunk << plane->shift < end; chunk += run) {
        const part p = part_of(plane, chunk, first, end);
        run = 1;
        if (plane->chunks[chunk] >= TG_PLANE_LIMIT) {
            update_page(plane, chunk, p, a);
        } else if (p.from > 0 || p.to < p.last) {
            update_part(plane, chunk, p, a);
        } else {
            run = chunks_alike(plane, chunk, end);
            update_whole(plane, chunk, run, run > 1 ? run << plane->shift : p.last, a);
        }
    }
}

/* ---- groups ---- */

static int group_shift(const tg_plane *plane) { return plane->shift + GROUP_SHIFT; }

/* Returns where the group of a place ends. */
static int64_t group_end(const tg_plane *plane, int64_t at)
{
    const int64_t next = ((at >> group_shift(plane)) + 1) << group_shift(plane);
    return next < plane->count ? next : plane->count;
}

static bool is_whole_group(const tg_plane *plane, int64_t first, int64_t end)
{
    return first % (INT64_C(1) << group_shift(plane)) == 0 && end == group_end(plane, first);
}

/* Returns how many places from `at` on, up to `end`, lie in groups that have one and the same number; 0 if
 * the group of `at` has none. */
static int64_t run_of_groups(const tg_plane *plane, int64_t at, int64_t end)
{
    const int shift = group_shift(plane);
    int64_t group = at >> shift;
    const uint32_t number = plane->groups[group];
    if (number == TG_PLANE_LIMIT) return 0;
    do group++;
    while (group << shift < end && plane->groups[group] == number);
    return (group << shift < end ? group << shift : end) - at;
}

/* Gives the chunks of a group its number. */
static void open_group(tg_plane *plane, int64_t group)
{
    for (int64_t c = 0; c < GROUP_CHUNKS; c++)
        plane->chunks[(group << GROUP_SHIFT) + c] = plane->groups[group];
    plane->groups[group] = TG_PLANE_LIMIT;
}

/* Gives a group the number of its chunks if that is one. */
static void close_group(tg_plane *plane, int64_t group)
{
    const int64_t left = chunk_count(plane, plane->count) - (group << GROUP_SHIFT);
    const uint32_t *chunks = plane->chunks + (group << GROUP_SHIFT);
    const int count = left < GROUP_CHUNKS ? (int)left : GROUP_CHUNKS;
    if (chunks[0] < TG_PLANE_LIMIT && chunks[count - 1] == chunks[0] &&
        run_length(chunks, 0, count) == count)
        plane->groups[group] = chunks[0];
}

static uint32_t same_number(void *number, uint32_t old, int64_t first, int64_t count)
{
    (void)old;
    (void)first;
    (void)count;
    return *(const uint32_t *)number;
}

/* Sets places of groups that have one number. */
static void set_in_groups(tg_plane *plane, int64_t first, int64_t count, uint32_t number)
{
    asker a = {.next = same_number, .context = &number};
    for (int64_t at = first, end; at < first + count; at = end) {
        const int64_t group = at >> group_shift(plane), last = group_end(plane, at);
        end = last < first + count ? last : first + count;
        if (is_whole_group(plane, at, end)) {
            plane->groups[group] = number;
        } else {
            open_group(plane, group);
            update_chunks(plane, at, end - at, &a);
        }
    }
}

/* Updates places of a group that has no number. */
static void update_in_group(tg_plane *plane, int64_t first, int64_t end, asker *a)
{
    update_chunks(plane, first, end - first, a);
    if (is_whole_group(plane, first, end)) close_group(plane, first >> group_shift(plane));
}

static void update(tg_plane *plane, int64_t first, int64_t count, asker *a)
{
    for (int64_t at = first, end = first + count, next; at < end; at = next) {
        const int64_t alike = run_of_groups(plane, at, end);
        if (alike == 0) {
            const int64_t last = group_end(plane, at);
            next = last < end ? last : end;
            update_in_group(plane, at, next, a);
            continue;
        }
        next = at + alike;
        const uint32_t old = plane->groups[at >> group_shift(plane)];
        const uint32_t number = ask(a, old, at, alike);
        if (number != old) set_in_groups(plane, at, alike, number);
    }
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

/* Iterates over the rows of a box; `at` is the first place of a row. */
typedef struct rows {
    tg_plane_box box;
    int64_t index[TG_PLANE_RANK], at;
} rows;

static rows rows_of(const tg_plane_box *box)
{
    rows r = {.box = merged(box), .at = box->first};
    return r;
}

static bool next_row(rows *r)
{
    for (int d = r->box.rank - 2; d >= 0; d--) {
        r->at += r->box.stride[d];
        if (++r->index[d] < r->box.count[d]) return true;
        r->at -= r->box.count[d] * r->box.stride[d];
        r->index[d] = 0;
    }
    return false;
}

static void update_row(tg_plane *plane, const rows *r, asker *a)
{
    const int64_t count = r->box.count[r->box.rank - 1], stride = r->box.stride[r->box.rank - 1];
    if (stride == 1) {
        update(plane, r->at, count, a);
        return;
    }
    for (int64_t i = 0; i < count; i++) update(plane, r->at + i * stride, 1, a);
}

/* Gives the chunks of the box its number. */
static void catch_up(tg_plane *plane)
{
    if (!plane->is_behind) return;
    asker a = {.next = same_number, .context = &plane->box_number};
    rows r = rows_of(&plane->box);
    do update_row(plane, &r, &a);
    while (next_row(&r));
    plane->is_behind = false;
    plane->has_box = plane->has_box && !plane->is_incomplete;
}

/* ---- runs of places ---- */

void tg_plane_update(tg_plane *plane, int64_t first, int64_t count, tg_plane_fn *next,
                     void *context)
{
    asker a = {.next = next, .context = context};
    catch_up(plane);
    plane->has_box = false;
    update(plane, first, count, &a);
}

/* Visits places of a group whose chunks have the numbers. */
static void visit_chunks(tg_plane *plane, int64_t first, int64_t end, tg_plane_visitor *visit,
                         void *context)
{
    for (int64_t chunk = first >> plane->shift, run; chunk << plane->shift < end; chunk += run) {
        const part p = part_of(plane, chunk, first, end);
        const uint32_t number = plane->chunks[chunk];
        const int64_t base = chunk << plane->shift;
        run = 1;
        if (number < TG_PLANE_LIMIT) {
            if (p.from == 0 && p.to == plane->chunk) run = chunks_alike(plane, chunk, end);
            visit(context, number, base + p.from, run > 1 ? run << plane->shift : p.to - p.from);
            continue;
        }
        const uint32_t *numbers = page_at(plane, number - TG_PLANE_LIMIT);
        for (int at = p.from, same; at < p.to; at += same) {
            same = run_length(numbers, at, p.to);
            visit(context, numbers[at], base + at, same);
        }
    }
}

void tg_plane_visit(tg_plane *plane, int64_t first, int64_t count, tg_plane_visitor *visit,
                    void *context)
{
    const int64_t end = first + count;
    if (count <= 0) return;
    catch_up(plane);
    for (int64_t at = first, next; at < end; at = next) {
        const int64_t alike = run_of_groups(plane, at, end), last = group_end(plane, at);
        if (alike) {
            visit(context, plane->groups[at >> group_shift(plane)], at, alike);
            next = at + alike;
            continue;
        }
        next = last < end ? last : end;
        visit_chunks(plane, at, next, visit, context);
    }
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

bool tg_plane_knows_box(const tg_plane *plane, const tg_plane_box *box, uint32_t *number)
{
    if (!plane->has_box || !same_box(&plane->box, box)) return false;
    *number = plane->box_number;
    return true;
}

void tg_plane_update_box(tg_plane *plane, const tg_plane_box *box, tg_plane_fn *next, void *context)
{
    asker a = {.next = next, .context = context};
    uint32_t number;
    if (is_empty(box)) return;
    if (tg_plane_knows_box(plane, box, &number)) {
        plane->box_number = next(context, number, box->first, 1);
        plane->is_behind = plane->is_behind || plane->box_number != number;
        return;
    }
    catch_up(plane);
    rows r = rows_of(box);
    do update_row(plane, &r, &a);
    while (next_row(&r));
    plane->has_box = !a.is_mixed && !plane->is_incomplete;
    plane->box_number = a.answer;
    if (plane->has_box) plane->box = *box;
}

void tg_plane_visit_box(tg_plane *plane, const tg_plane_box *box, tg_plane_visitor *visit,
                        void *context)
{
    if (is_empty(box)) return;
    rows r = rows_of(box);
    const int64_t count = r.box.count[r.box.rank - 1], stride = r.box.stride[r.box.rank - 1];
    do {
        const int64_t steps = stride == 1 ? 1 : count;
        for (int64_t i = 0; i < steps; i++)
            tg_plane_visit(plane, r.at + i * stride, stride == 1 ? count : 1, visit, context);
    } while (next_row(&r));
}
