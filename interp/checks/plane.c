#include "interp/checks/plane.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = TG_PLANE_CHUNK };
#define NO_PAGE UINT32_MAX

static int64_t chunk_count(int64_t places) { return (places + CHUNK - 1) / CHUNK; }

bool tg_plane_init(tg_plane *plane, int64_t count, uint32_t number)
{
    const int64_t chunks = chunk_count(count);
    *plane = (tg_plane){.count = count, .free_page = NO_PAGE};
    plane->chunks = malloc((size_t)(chunks ? chunks : 1) * sizeof *plane->chunks);
    for (int64_t c = 0; plane->chunks && c < chunks; c++) plane->chunks[c] = number;
    return plane->chunks != NULL;
}

void tg_plane_free(tg_plane *plane)
{
    free(plane->chunks);
    free(plane->pages);
    *plane = (tg_plane){0};
}

/* ---- pages ---- */

static uint32_t *page_at(const tg_plane *plane, uint32_t page)
{
    return plane->pages + (size_t)page * CHUNK;
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
        uint32_t *pages = realloc(plane->pages, room * CHUNK * sizeof *pages);
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

/* The numbers of the chunk one by one; NULL without memory. */
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
    for (int i = 0; i < CHUNK; i++) numbers[i] = number;
    plane->chunks[chunk] = TG_PLANE_LIMIT + page;
    return numbers;
}

/* Places of one number from `at` on, at most up to `end`. */
static int run_length(const uint32_t *numbers, int at, int end)
{
    int next = at + 1;
    if (memcmp(numbers + at, numbers + next, (size_t)(end - next) * sizeof *numbers) == 0)
        return end - at; /* each is as the one before: most often, and that is fast to see */
    while (numbers[next] == numbers[at]) next++;
    return next - at;
}

/* A chunk whose places have come to one number needs no page any more. */
static void close_chunk(tg_plane *plane, int64_t chunk, int last)
{
    const uint32_t page = plane->chunks[chunk] - TG_PLANE_LIMIT, *numbers = page_at(plane, page),
                   number = numbers[0];
    if (numbers[last - 1] != number || run_length(numbers, 0, last) < last) return;
    give_page(plane, page);
    plane->chunks[chunk] = number;
}

/* ---- runs ---- */

/* The places [from, to) of a chunk of `last` places that has a page. */
static void update_page(tg_plane *plane, int64_t chunk, int from, int to, int last,
                        tg_plane_fn *next, void *context)
{
    uint32_t *numbers = page_at(plane, plane->chunks[chunk] - TG_PLANE_LIMIT);
    bool has_changed = false;
    for (int at = from, run; at < to; at += run) {
        run = run_length(numbers, at, to);
        const uint32_t number = next(context, numbers[at], chunk * CHUNK + at, run);
        if (number == numbers[at]) continue;
        for (int i = at; i < at + run; i++) numbers[i] = number;
        has_changed = true;
    }
    if (has_changed) close_chunk(plane, chunk, last);
}

static void update_chunk(tg_plane *plane, int64_t chunk, int from, int to, int last,
                         tg_plane_fn *next, void *context)
{
    const uint32_t old = plane->chunks[chunk];
    if (old >= TG_PLANE_LIMIT) {
        update_page(plane, chunk, from, to, last, next, context);
        return;
    }
    const uint32_t number = next(context, old, chunk * CHUNK + from, to - from);
    if (number == old) return;
    if (from == 0 && to == last) {
        plane->chunks[chunk] = number;
        return;
    }
    uint32_t *numbers = open_chunk(plane, chunk);
    for (int i = from; numbers && i < to; i++) numbers[i] = number;
}

/* The part of a chunk within [first, end), and where it ends at all. */
static void part_of(const tg_plane *plane, int64_t chunk, int64_t first, int64_t end, int *from,
                    int *to, int *last)
{
    const int64_t base = chunk * CHUNK;
    *last = plane->count - base < CHUNK ? (int)(plane->count - base) : CHUNK;
    *from = first > base ? (int)(first - base) : 0;
    *to = end - base < *last ? (int)(end - base) : *last;
}

void tg_plane_update(tg_plane *plane, int64_t first, int64_t count, tg_plane_fn *next,
                     void *context)
{
    const int64_t end = first + count;
    int from, to, last;
    for (int64_t chunk = first / CHUNK; count > 0 && chunk < chunk_count(end); chunk++) {
        part_of(plane, chunk, first, end, &from, &to, &last);
        update_chunk(plane, chunk, from, to, last, next, context);
    }
}

void tg_plane_visit(const tg_plane *plane, int64_t first, int64_t count, tg_plane_visitor *visit,
                    void *context)
{
    const int64_t end = first + count;
    int from, to, last;
    for (int64_t chunk = first / CHUNK; count > 0 && chunk < chunk_count(end); chunk++) {
        const uint32_t number = plane->chunks[chunk];
        part_of(plane, chunk, first, end, &from, &to, &last);
        if (number < TG_PLANE_LIMIT) {
            visit(context, number, chunk * CHUNK + from, to - from);
            continue;
        }
        const uint32_t *numbers = page_at(plane, number - TG_PLANE_LIMIT);
        for (int at = from, run; at < to; at += run) {
            run = run_length(numbers, at, to);
            visit(context, numbers[at], chunk * CHUNK + at, run);
        }
    }
}
