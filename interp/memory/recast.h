/* The way back to the bytes of refs that strides cannot describe. */
#ifndef TG_INTERP_MEMORY_RECAST_H
#define TG_INTERP_MEMORY_RECAST_H

#include "interp/state/machine.h"

/* The bytes of an element: `piece_bytes` at each address, lowest bytes first. */
enum { TG_MOST_PIECES = 8 };
typedef struct tg_pieces {
    unsigned char *at[TG_MOST_PIECES];
    size_t piece_bytes;
    int count;
} tg_pieces;

/* The bytes of each piece of elements of `dtype` in the ref. */
size_t tg_ref_piece_bytes(const tg_machine *m, const tg_ref *ref, tg_dtype dtype);

/* Where the elements of a view_layout are, which are of memory without gaps: the one at offset o is
 * element runs[o / run] + o % run from `data` on. */
typedef struct tg_list {
    const int32_t *runs;
    int64_t run;
    int row_pieces; /* as in tg_inst_recast */
    int row_kinds;
    int64_t row_repeat;
    unsigned char *data;
} tg_list;

static inline tg_list tg_list_of(const struct tg_inst_recast *recast, unsigned char *data)
{
    return (tg_list){.runs = recast->runs,
                     .run = recast->run,
                     .row_pieces = recast->row_pieces,
                     .row_kinds = recast->row_kinds,
                     .row_repeat = recast->row_repeat,
                     .data = data};
}

/* Returns whether the ref has such a list; then sets `list`. */
bool tg_ref_list(const tg_machine *m, const tg_ref *ref, tg_list *list);

static inline int64_t tg_list_number(const tg_list *list, int64_t offset)
{
    return list->runs[offset / list->run] + offset % list->run;
}

/* Finds the bytes of the element at `offset` of a ref of `dtype`.  Returns false if any of them is
 * outside the array. */
bool tg_ref_pieces(const tg_machine *m, const tg_ref *ref, tg_dtype dtype, int64_t offset,
                   tg_pieces *pieces);

#endif
