/* Trails: how undefined elements came to be so.
 *
 * A trail is a number: an origin, or an op with the trail that led to it.  Equal trails have one
 * number, so that an element needs no more than that.  An op that a trail has been through does not
 * lengthen it: loops do not make trails grow. */
#ifndef TG_CHECKS_UNDEFINED_TRAILS_H
#define TG_CHECKS_UNDEFINED_TRAILS_H

#include <pthread.h>

#include "plan/plan.h"

typedef enum tg_trail_kind {
    /* origins */
    TG_TRAIL_LOST,    /* some origin: there were more trails than are kept */
    TG_TRAIL_VALUE,   /* the op `undefined` */
    TG_TRAIL_OUTSIDE, /* what an access has outside of its array or reference */
    TG_TRAIL_MASKED,  /* a lane that a mask turns off, without `other` */
    TG_TRAIL_SCRATCH,
    TG_TRAIL_SCOPED,
    TG_TRAIL_OUTPUT, /* memory of an output that nobody has written yet */
    /* what comes after them */
    TG_TRAIL_OP,
    TG_TRAIL_KEPT /* a store to memory that is an output's, by a program */
} tg_trail_kind;

/* Numbers that every table has. */
enum { TG_NO_TRAIL = 0, TG_LOST_TRAIL = 1, TG_VALUE_TRAIL = 2 };

/* Numbers are less than this. */
enum { TG_TRAIL_LIMIT = 1 << 23 };

typedef struct tg_trail {
    tg_trail_kind kind;
    uint32_t param;        /* OUTSIDE, SCRATCH, OUTPUT; UINT32_MAX: none */
    uint32_t op_number;    /* OP: of a group */
    uint32_t before;       /* OP, KEPT: the trail that led there */
    const tg_inst *inst;   /* OUTSIDE, MASKED, SCOPED, OP, KEPT */
    int64_t program_index; /* KEPT: of the program; -1: of some program */
} tg_trail;

typedef struct tg_trails {
    tg_trail *list;
    uint32_t count, room;
    struct tg_trail_entry *entries; /* a hash table: what has been asked for, and its number */
    uint32_t entry_count, entry_room;
    bool is_incomplete; /* something was lost for want of memory */
    pthread_mutex_t lock;
} tg_trails;

/* False without memory. */
bool tg_trails_init(tg_trails *trails);
void tg_trails_free(tg_trails *trails);

/* Forgets all but what every table has. */
void tg_trails_clear(tg_trails *trails);

/* All may be called from several threads.  Where there are too many trails the answer is one that
 * says less: TG_LOST_TRAIL for an origin, `before` for an op, a store by some program. */
uint32_t tg_trails_origin(tg_trails *trails, tg_trail_kind kind, uint32_t param,
                          const tg_inst *inst);
uint32_t tg_trails_op(tg_trails *trails, uint32_t before, const tg_inst *inst, uint32_t op_number);
uint32_t tg_trails_kept(tg_trails *trails, uint32_t before, const tg_inst *inst,
                        int64_t program_index);
tg_trail tg_trails_get(tg_trails *trails, uint32_t number);

static inline bool tg_trail_is_origin(const tg_trail *trail) { return trail->kind < TG_TRAIL_OP; }

/* The op where it is, and its place in the source; TG_OP_COUNT where it belongs to none. */
tg_opcode tg_trail_op(const tg_trail *trail, uint32_t *loc);

#endif
