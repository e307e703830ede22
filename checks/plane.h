/* A plane: a number for each place of an array.  Detectors keep their shadows in planes.
 *
 * Programs work on blocks, so long runs of places have the same number.  A plane stores one number
 * for a *chunk* of places, and a number for each place only in chunks whose places differ.  Chunks
 * are as long as the blocks allow, because changing a whole chunk is fast; the default is 64
 * places.  64 chunks are a *group*, which has one number where its chunks have; a tile in shared
 * memory is a few groups.  A plane of n places takes n / 16 bytes (n bytes if chunks have 4 places),
 * which are not touched while its groups are whole, and at most about 4 n bytes more. */
#ifndef TG_CHECKS_PLANE_H
#define TG_CHECKS_PLANE_H

#include "ir/ir.h"

/* All numbers are less than this. */
#define TG_PLANE_LIMIT (UINT32_C(1) << 31)

/* A strided box of places, of rank 1 or more: its first place, and the number of places and the
 * stride in each dimension.  The last dimension may stand for the places of an element. */
enum { TG_PLANE_RANK = TG_MAX_RANK + 1 };
typedef struct tg_plane_box {
    int rank;
    int64_t first, count[TG_PLANE_RANK], stride[TG_PLANE_RANK];
} tg_plane_box;

typedef struct tg_plane {
    int64_t count; /* places */
    int chunk;     /* places of a chunk, a power of two */
    int shift;     /* log2 of `chunk` */
    /* Per group: the number of all its places, or TG_PLANE_LIMIT if its chunks have the numbers. */
    uint32_t *groups;
    /* Per chunk of such a group: the number of all its places, or TG_PLANE_LIMIT + the index of its
     * page. */
    uint32_t *chunks;
    uint32_t *pages; /* `chunk` numbers each */
    size_t page_count, page_room;
    uint32_t free_page; /* head of the list of unused pages; UINT32_MAX: none */
    bool is_incomplete; /* something was lost because memory ran out */
    /* The box of the last update, if all of it has had one number since then.  Programs mostly come
     * back to their blocks. */
    tg_plane_box box;
    bool has_box;
    uint32_t box_number;
    bool is_behind; /* the chunks of that box do not have its number yet: it may soon be another */
} tg_plane;

/* Sets all places to `number`.  Returns false if memory runs out.  A plane that is already
 * initialised must be freed or zeroed first.  `run`: the number of places that are mostly accessed
 * together, at multiples of it; 0 if unknown. */
bool tg_plane_init(tg_plane *plane, int64_t count, int64_t run, uint32_t number);
void tg_plane_free(tg_plane *plane);

/* Returns the `run` for places of `width` bytes: the number of places that are contiguous in the
 * array in each of its blocks. */
int64_t tg_plane_run_of(const tg_param *param, size_t width);

/* Returns the number that replaces `old` in `count` places from `first` on. */
typedef uint32_t tg_plane_fn(void *context, uint32_t old, int64_t first, int64_t count);

/* Calls `next` for each run of places of one number within [first, first + count), in ascending
 * order.  A run may come in several parts. */
void tg_plane_update(tg_plane *plane, int64_t first, int64_t count, tg_plane_fn *next,
                     void *context);

/* The same without changes: calls `visit` for each run. */
typedef void tg_plane_visitor(void *context, uint32_t number, int64_t first, int64_t count);
void tg_plane_visit(tg_plane *plane, int64_t first, int64_t count, tg_plane_visitor *visit,
                    void *context);

/* The same for `count` places with a stride. */
void tg_plane_update_strided(tg_plane *plane, int64_t first, int64_t stride, int64_t count,
                             tg_plane_fn *next, void *context);
void tg_plane_visit_strided(tg_plane *plane, int64_t first, int64_t stride, int64_t count,
                            tg_plane_visitor *visit, void *context);

/* Like tg_plane_update, for each run of a box.  The result of `next` must depend on the old number
 * only. */
void tg_plane_update_box(tg_plane *plane, const tg_plane_box *box, tg_plane_fn *next,
                         void *context);
void tg_plane_visit_box(tg_plane *plane, const tg_plane_box *box, tg_plane_visitor *visit,
                        void *context);

/* Returns whether all places of the box have one number, and which.  Returns true only if it can
 * tell this without looking at each place. */
bool tg_plane_knows_box(const tg_plane *plane, const tg_plane_box *box, uint32_t *number);

#endif
