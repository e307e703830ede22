/* A number for each place of an array, as detectors keep them.
 *
 * Programs work on blocks, so that long runs of places have the same number: it is kept once for a
 * *chunk* of places, and for each of them only where they differ.  Chunks are as long as blocks
 * allow, since the whole of one is fast to change: 64 places where nothing speaks for less.  A
 * plane of n places takes n / 16 bytes at the least (n where chunks have 4 places) and about 4 n
 * more at the most. */
#ifndef TG_CHECKS_PLANE_H
#define TG_CHECKS_PLANE_H

#include "ir/ir.h"

/* Numbers are less than this. */
#define TG_PLANE_LIMIT (UINT32_C(1) << 31)

/* A strided box of places, of rank 1 at the least: its first place, and how many there are in each
 * dimension, how far apart.  The last dimension may be one for the places of an element. */
enum { TG_PLANE_RANK = TG_MAX_RANK + 1 };
typedef struct tg_plane_box {
    int rank;
    int64_t first, count[TG_PLANE_RANK], stride[TG_PLANE_RANK];
} tg_plane_box;

typedef struct tg_plane {
    int64_t count;    /* places */
    int chunk;        /* places of a chunk, a power of two */
    int shift;        /* its logarithm */
    uint32_t *chunks; /* per chunk: the number of all its places, or TG_PLANE_LIMIT + its page */
    uint32_t *pages;  /* `chunk` numbers each */
    size_t page_count, page_room;
    uint32_t
        free_page; /* the first of those that are not used, which form a list; UINT32_MAX: none */
    bool is_incomplete; /* something was lost for want of memory */
    /* The box that was updated last, if all of it has one number since then: programs mostly come
     * back to their blocks. */
    tg_plane_box box;
    bool has_box;
    uint32_t box_number;
} tg_plane;

/* Sets all places to `number`; false without memory.  A plane that is initialised is freed, or
 * zero.  `run`: places that mostly are touched together, from a multiple of it on; 0 where nothing
 * is known. */
bool tg_plane_init(tg_plane *plane, int64_t count, int64_t run, uint32_t number);
void tg_plane_free(tg_plane *plane);

/* Such a `run`, for places of `width` bytes: those of the array that lie side by side in each of
 * its blocks. */
int64_t tg_plane_run_of(const tg_param *param, size_t width);

/* The number that takes the place of `old` in `count` places from `first` on. */
typedef uint32_t tg_plane_fn(void *context, uint32_t old, int64_t first, int64_t count);

/* Asks `next` about every run of places of one number within [first, first + count), in ascending
 * order; a run may come in several parts. */
void tg_plane_update(tg_plane *plane, int64_t first, int64_t count, tg_plane_fn *next,
                     void *context);

/* The same without a change: `visit` is told every run. */
typedef void tg_plane_visitor(void *context, uint32_t number, int64_t first, int64_t count);
void tg_plane_visit(const tg_plane *plane, int64_t first, int64_t count, tg_plane_visitor *visit,
                    void *context);

/* The same for `count` places that lie `stride` apart. */
void tg_plane_update_strided(tg_plane *plane, int64_t first, int64_t stride, int64_t count,
                             tg_plane_fn *next, void *context);
void tg_plane_visit_strided(const tg_plane *plane, int64_t first, int64_t stride, int64_t count,
                            tg_plane_visitor *visit, void *context);

/* As tg_plane_update for each run of a box, where what takes the place of a number depends on that
 * alone. */
void tg_plane_update_box(tg_plane *plane, const tg_plane_box *box, tg_plane_fn *next,
                         void *context);
void tg_plane_visit_box(const tg_plane *plane, const tg_plane_box *box, tg_plane_visitor *visit,
                        void *context);

/* Whether it is known without a look at each that all places of the box have one number, and
 * which. */
bool tg_plane_knows_box(const tg_plane *plane, const tg_plane_box *box, uint32_t *number);

#endif
