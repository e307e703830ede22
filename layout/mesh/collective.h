/* Collectives: steps that move an array from one sharding to another. */
#ifndef TG_LAYOUT_MESH_COLLECTIVE_H
#define TG_LAYOUT_MESH_COLLECTIVE_H

#include "layout/mesh/sharding.h"

/* Devices that differ only in the parts of a step are its group.  In a group, with indices in the
 * order of the parts: */
typedef enum tg_collective_kind {
    TG_ALL_SLICE,          /* each keeps the block of its index: no device sends */
    TG_COLLECTIVE_PERMUTE, /* each device gets what one other has: tg_collective_source */
    TG_ALL_TO_ALL,         /* sends block j of dimension `to` to j, joins what comes along `from` */
    TG_ALL_GATHER,         /* joins the blocks of all */
    TG_ALL_REDUCE,         /* reduces the arrays of all */
    TG_REDUCE_SCATTER,     /* the same, then keeps the block of its index */
    TG_TO_TERMS,           /* index 0 keeps its copy, others have 0: no device sends */
    TG_COLLECTIVE_COUNT
} tg_collective_kind;

extern const char *const tg_collective_names[TG_COLLECTIVE_COUNT]; /* "all_slice", .. */

typedef struct tg_collective {
    tg_collective_kind kind;
    tg_parts axes[TG_SHAPE_MAX_RANK]; /* by dimension: of a slice, a gather, a scatter */
    tg_parts group;                   /* of an all-to-all, an all-reduce, of terms */
    int from, to;                     /* dimensions of an all-to-all */
    bool other_devices;               /* a permute: from here on positions are of the other mesh */
    tg_sharding after;
} tg_collective;

/* Zero-initialise; ends with tg_collectives_free. */
typedef struct tg_collectives {
    tg_collective *list;
    size_t count, room;
} tg_collectives;

/* Adds a step of a kind, with empty lists, after `after`.  Returns NULL if memory runs out. */
tg_collective *tg_collectives_add(tg_collectives *steps, tg_collective_kind kind,
                                  const tg_sharding *after);
void tg_collectives_free(tg_collectives *steps);

/* The position whose array comes to a position in a permute: one to one.  The number of blocks of
 * each dimension, and the unreduced parts, are the same before and after. */
int tg_collective_source(const tg_mesh *mesh, const tg_sharding *before, const tg_sharding *after,
                         int position);

/* Appends all_slice [{"x"}, {}] -> [{"x"}, {"y"}]; the sharding after it is last.  Steps of a list
 * are on lines of their own, or after "; ". */
void tg_collective_print(const tg_mesh *mesh, const tg_collective *step, tg_text *out);

/* What a step costs, in bytes, by this model.  Each device sends its data once, as few bytes as the
 * collective needs: the group is a ring, of which each device sends to the next only (gather,
 * scatter and reduce in n - 1 rounds of one block; an all-to-all passes on what is for others), or
 * each device has a link to each other.  Blocks are of one size, the last is padded. */
typedef struct tg_traffic {
    int64_t sent,
        received;      /* by a device that takes part, to and from others, without passing on */
    int devices;       /* that take part: those of a permute that need not move do not */
    int64_t ring_link; /* over each link of the ring; of a permute, as if linked directly */
    int64_t pair_link; /* over each link from one device to another of the group */
} tg_traffic;

/* TG_ERR_INVALID if bytes do not fit in 63 bits. */
tg_status tg_collective_traffic(const tg_mesh *mesh, const tg_mesh *other,
                                const tg_sharding *before, const tg_collective *step,
                                const tg_shape *shape, int64_t element_bytes, tg_traffic *out,
                                tg_diags *diags);

#endif
