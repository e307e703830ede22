/* A number for each place of an array, as detectors keep them.
 *
 * Programs work on blocks, so that long runs of places have the same number: it is kept once for 64 places, and for each of
 * them only where they differ.  A plane of n places takes n / 16 bytes at the least and about 4 n at the most. */
#ifndef TG_INTERP_CHECKS_PLANE_H
#define TG_INTERP_CHECKS_PLANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TG_PLANE_CHUNK = 64 };

/* Numbers are less than this. */
#define TG_PLANE_LIMIT (UINT32_C(1) << 31)

typedef struct tg_plane {
    int64_t count;    /* places */
    uint32_t *chunks; /* per chunk: the number of all its places, or TG_PLANE_LIMIT + its page */
    uint32_t *pages;  /* TG_PLANE_CHUNK numbers each */
    size_t page_count, page_room;
    uint32_t
        free_page; /* the first of those that are not used, which form a list; UINT32_MAX: none */
    bool is_incomplete; /* something was lost for want of memory */
} tg_plane;

/* Sets all places to `number`; false without memory.  A plane that is initialised is freed, or zero. */
bool tg_plane_init(tg_plane *plane, int64_t count, uint32_t number);
void tg_plane_free(tg_plane *plane);

/* The number that takes the place of `old` in `count` places from `first` on. */
typedef uint32_t tg_plane_fn(void *context, uint32_t old, int64_t first, int64_t count);

/* Asks `next` about every run of places of one number within [first, first + count), in ascending order; a run may come in
 * several parts. */
void tg_plane_update(tg_plane *plane, int64_t first, int64_t count, tg_plane_fn *next,
                     void *context);

/* The same without a change: `visit` is told every run. */
typedef void tg_plane_visitor(void *context, uint32_t number, int64_t first, int64_t count);
void tg_plane_visit(const tg_plane *plane, int64_t first, int64_t count, tg_plane_visitor *visit,
                    void *context);

#endif
