/* Trails: how elements became undefined.
 *
 * A trail is a number: an origin, or an op with the trail that led to it.  Equal trails have the
 * same number, so an element only needs the number.  An op that a trail already contains does not
 * make it longer, so trails do not grow in loops. */
#ifndef TG_CHECKS_UNDEFINED_TRAILS_H
#define TG_CHECKS_UNDEFINED_TRAILS_H

#include <pthread.h>

#include "plan/plan.h"

typedef enum tg_trail_kind {
    /* origins */
    TG_TRAIL_LOST,    /* some origin: the table is full */
    TG_TRAIL_VALUE,   /* the op `undefined` */
    TG_TRAIL_OUTSIDE, /* elements of an access outside its array or reference */
    TG_TRAIL_MASKED,  /* a lane that a mask turns off, without `other` */
    TG_TRAIL_SCRATCH,
    TG_TRAIL_SCOPED,
    TG_TRAIL_OUTPUT, /* memory of an output that no program has written yet */
    TG_TRAIL_INPUT,  /* memory of an input that was undefined before the run */
    /* extensions of a trail */
    TG_TRAIL_OP,
    TG_TRAIL_KEPT /* a store by a program to memory of an output */
} tg_trail_kind;

/* The numbers that every table has. */
enum { TG_NO_TRAIL = 0, TG_LOST_TRAIL = 1, TG_VALUE_TRAIL = 2 };

/* All numbers are less than this. */
enum { TG_TRAIL_LIMIT = 1 << 23 };

typedef struct tg_trail {
    tg_trail_kind kind;
    uint32_t param;        /* OUTSIDE, SCRATCH, OUTPUT, INPUT; UINT32_MAX: none */
    uint32_t op_number;    /* OP: its number in a group */
    uint32_t before;       /* OP, KEPT: the trail that led there */
    const tg_inst *inst;   /* OUTSIDE, MASKED, SCOPED, OP, KEPT */
    int64_t program_index; /* KEPT: of the program; -1: of some program */
} tg_trail;

typedef struct tg_trails {
    tg_trail *list;
    uint32_t count, room;
    /* A hash table from requested trails to their numbers. */
    struct tg_trail_entry *entries;
    uint32_t entry_count, entry_room;
    bool is_incomplete; /* something was lost because memory ran out */
    pthread_mutex_t lock;
} tg_trails;

/* Returns false if memory runs out. */
bool tg_trails_init(tg_trails *trails);
void tg_trails_free(tg_trails *trails);

/* Removes all trails except those that every table has. */
void tg_trails_clear(tg_trails *trails);

/* These functions are safe from several threads.  If there are too many trails, they return one
 * with less information: TG_LOST_TRAIL for an origin, `before` for an op, a store by some
 * program. */
uint32_t tg_trails_origin(tg_trails *trails, tg_trail_kind kind, uint32_t param,
                          const tg_inst *inst);
uint32_t tg_trails_op(tg_trails *trails, uint32_t before, const tg_inst *inst, uint32_t op_number);
uint32_t tg_trails_kept(tg_trails *trails, uint32_t before, const tg_inst *inst,
                        int64_t program_index);
tg_trail tg_trails_get(tg_trails *trails, uint32_t number);

static inline bool tg_trail_is_origin(const tg_trail *trail) { return trail->kind < TG_TRAIL_OP; }

/* Returns the op of the trail's last entry, and sets *loc to its source location; TG_OP_COUNT if it
 * belongs to no op. */
tg_opcode tg_trail_op(const tg_trail *trail, uint32_t *loc);

#endif
