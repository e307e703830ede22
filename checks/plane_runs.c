#include "checks/plane_runs.h"

#include <stdlib.h>
#include <string.h>

/* ---- pages ---- */

static uint32_t *page_at(const tg_plane *plane, uint32_t page)
{
    return plane->pages + ((size_t)page << plane->shift);
}

static uint32_t take_page(tg_plane *plane)
{
    const uint32_t page = plane->free_page;
    if (page != TG_PLANE_NO_PAGE) {
        plane->free_page = *page_at(plane, page);
        return page;
    }
    if (plane->page_count == plane->page_room) {
        const size_t room = plane->page_room ? 2 * plane->page_room : 16;
        uint32_t *pages = realloc(plane->pages, (room << plane->shift) * sizeof *pages);
        if (!pages) return TG_PLANE_NO_PAGE;
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
    if (page == TG_PLANE_NO_PAGE) {
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

/* ---- chunks ---- */

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

/* Returns where the chunks from this one on that have its number end, or `end` if that comes first. */
static int64_t alike_end(const tg_plane *plane, int64_t chunk, int64_t end)
{
    const uint32_t *const chunks = plane->chunks, number = chunks[chunk];
    int64_t next = chunk + 1;
    while (next < end && chunks[next] == number) next++;
    return next;
}

/* Updates the part of a chunk that has a page. */
static void update_page(tg_plane *plane, int64_t chunk, part p, tg_plane_asker *a)
{
    uint32_t *numbers = page_at(plane, plane->chunks[chunk] - TG_PLANE_LIMIT);
    bool has_changed = false;
    for (int at = p.from, run; at < p.to; at += run) {
        run = run_length(numbers, at, p.to);
        const uint32_t number = tg_plane_ask(a, numbers[at], (chunk << plane->shift) + at, run);
        if (number == numbers[at]) continue;
        for (int i = at; i < at + run; i++) numbers[i] = number;
        has_changed = true;
    }
    if (has_changed) close_chunk(plane, chunk, p.last);
}

/* Updates the part of a chunk that has one number. */
static void update_part(tg_plane *plane, int64_t chunk, part p, tg_plane_asker *a)
{
    const uint32_t old = plane->chunks[chunk];
    const uint32_t number = tg_plane_ask(a, old, (chunk << plane->shift) + p.from, p.to - p.from);
    uint32_t *numbers = number == old ? NULL : open_chunk(plane, chunk);
    for (int i = p.from; numbers && i < p.to; i++) numbers[i] = number;
}

/* Updates whole chunks before chunk `end` that have the number of this one, and returns where they end. */
static int64_t update_whole(tg_plane *plane, int64_t chunk, int64_t end, tg_plane_asker *a)
{
    const int64_t first = chunk << plane->shift, left = plane->count - first;
    const int64_t next = alike_end(plane, chunk, end), places = (next - chunk) << plane->shift;
    const uint32_t old = plane->chunks[chunk];
    const uint32_t number = tg_plane_ask(a, old, first, places < left ? places : left);
    uint32_t *const chunks = plane->chunks;
    for (int64_t c = chunk; c < next && number != old; c++) chunks[c] = number;
    return next;
}

/* Updates places of a group whose chunks have the numbers. */
static void update_chunks(tg_plane *plane, int64_t first, int64_t count, tg_plane_asker *a)
{
    const int64_t end = first + count, whole = (first + plane->chunk - 1) >> plane->shift,
                  whole_end =
                      end == plane->count ? tg_plane_chunk_count(plane, end) : end >> plane->shift;
    for (int64_t chunk = first >> plane->shift; chunk << plane->shift < end;) {
        const bool is_whole = chunk >= whole && chunk < whole_end;
        if (is_whole && plane->chunks[chunk] < TG_PLANE_LIMIT) {
            chunk = update_whole(plane, chunk, whole_end, a);
            continue;
        }
        const part p = part_of(plane, chunk, first, end);
        if (plane->chunks[chunk] < TG_PLANE_LIMIT)
            update_part(plane, chunk, p, a);
        else
            update_page(plane, chunk, p, a);
        chunk++;
    }
}

/* ---- groups ---- */

/* Returns where the group of a place ends, or `end` if that comes first. */
static int64_t group_end(const tg_plane *plane, int64_t at, int64_t end)
{
    const int64_t next = ((at >> tg_plane_group_shift(plane)) + 1) << tg_plane_group_shift(plane);
    return next < end ? next : end;
}

static bool is_whole_group(const tg_plane *plane, int64_t first, int64_t end)
{
    return first % (INT64_C(1) << tg_plane_group_shift(plane)) == 0 &&
           end == group_end(plane, first, plane->count);
}

int64_t tg_plane_run_of_groups(const tg_plane *plane, int64_t at, int64_t end)
{
    const int shift = tg_plane_group_shift(plane);
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
    for (int64_t c = 0; c < TG_PLANE_GROUP_CHUNKS; c++)
        plane->chunks[(group << TG_PLANE_GROUP_SHIFT) + c] = plane->groups[group];
    plane->groups[group] = TG_PLANE_LIMIT;
}

/* Gives a group the number of its chunks if that is one. */
static void close_group(tg_plane *plane, int64_t group)
{
    const int64_t left =
        tg_plane_chunk_count(plane, plane->count) - (group << TG_PLANE_GROUP_SHIFT);
    const uint32_t *chunks = plane->chunks + (group << TG_PLANE_GROUP_SHIFT);
    const int count = left < TG_PLANE_GROUP_CHUNKS ? (int)left : TG_PLANE_GROUP_CHUNKS;
    if (chunks[0] < TG_PLANE_LIMIT && chunks[count - 1] == chunks[0] &&
        run_length(chunks, 0, count) == count)
        plane->groups[group] = chunks[0];
}

uint32_t tg_plane_same_number(void *number, uint32_t old, int64_t first, int64_t count)
{
    (void)old;
    (void)first;
    (void)count;
    return *(const uint32_t *)number;
}

/* Sets places of groups that have one number. */
static void set_in_groups(tg_plane *plane, int64_t first, int64_t count, uint32_t number)
{
    tg_plane_asker a = {.next = tg_plane_same_number, .context = &number};
    for (int64_t at = first, end; at < first + count; at = end) {
        const int64_t group = at >> tg_plane_group_shift(plane);
        end = group_end(plane, at, first + count);
        if (is_whole_group(plane, at, end)) {
            plane->groups[group] = number;
        } else {
            open_group(plane, group);
            update_chunks(plane, at, end - at, &a);
        }
    }
}

/* Updates places of a group that has no number. */
static void update_in_group(tg_plane *plane, int64_t first, int64_t end, tg_plane_asker *a)
{
    update_chunks(plane, first, end - first, a);
    if (is_whole_group(plane, first, end)) close_group(plane, first >> tg_plane_group_shift(plane));
}

void tg_plane_runs_update(tg_plane *plane, int64_t first, int64_t count, tg_plane_asker *a)
{
    for (int64_t at = first, end = first + count, next; at < end; at = next) {
        const int64_t alike = tg_plane_run_of_groups(plane, at, end);
        if (alike == 0) {
            next = group_end(plane, at, end);
            update_in_group(plane, at, next, a);
            continue;
        }
        next = at + alike;
        const uint32_t old = plane->groups[at >> tg_plane_group_shift(plane)];
        const uint32_t number = tg_plane_ask(a, old, at, alike);
        if (number != old) set_in_groups(plane, at, alike, number);
    }
}

static void visit_page(const tg_plane *plane, int64_t chunk, part p, tg_plane_visitor *visit,
                       void *context)
{
    const uint32_t *numbers = page_at(plane, plane->chunks[chunk] - TG_PLANE_LIMIT);
    for (int at = p.from, same; at < p.to; at += same) {
        same = run_length(numbers, at, p.to);
        visit(context, numbers[at], (chunk << plane->shift) + at, same);
    }
}

/* Visits places of a group whose chunks have the numbers. */
static void visit_chunks(const tg_plane *plane, int64_t first, int64_t end, tg_plane_visitor *visit,
                         void *context)
{
    const int64_t last = tg_plane_chunk_count(plane, end);
    for (int64_t chunk = first >> plane->shift, next; chunk < last; chunk = next) {
        const uint32_t number = plane->chunks[chunk];
        if (number >= TG_PLANE_LIMIT) {
            visit_page(plane, chunk, part_of(plane, chunk, first, end), visit, context);
            next = chunk + 1;
            continue;
        }
        next = alike_end(plane, chunk, last);
        const int64_t base = chunk << plane->shift, after = next << plane->shift,
                      from = base > first ? base : first;
        visit(context, number, from, (after < end ? after : end) - from);
    }
}

void tg_plane_runs_visit(const tg_plane *plane, int64_t first, int64_t count,
                         tg_plane_visitor *visit, void *context)
{
    const int64_t end = first + count;
    for (int64_t at = first, next; at < end; at = next) {
        const int64_t alike = tg_plane_run_of_groups(plane, at, end);
        if (alike) {
            visit(context, plane->groups[at >> tg_plane_group_shift(plane)], at, alike);
            next = at + alike;
            continue;
        }
        next = group_end(plane, at, end);
        visit_chunks(plane, at, next, visit, context);
    }
}
