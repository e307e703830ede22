/* The lowered plan: what backends execute.
 *
 *   kernel --tg_plan_new--> instructions over slots
 *
 * A plan is a flat array of instructions with jumps; no instruction owns another.  Values live in
 * *slots*, dense row-major blocks of carriers (ir/type.h) in a workspace whose allocation was settled
 * by liveness; an *operand* is a strided view of a slot, so broadcasts, transposes, slices and most
 * reshapes cost nothing.  Runs of element-wise ops are *groups*: executed strip by strip, their
 * inner values never reach a slot.
 *
 * A slot whose load or store can work on memory in place has a second kind of storage, the memory itself: a
 * machine decides per program (block wholly inside the array: in place; else: dense copy), and
 * every operand on the slot has strides for both. */
#ifndef TG_PLAN_PLAN_H
#define TG_PLAN_PLAN_H

#include "plan/inst.h"

typedef enum tg_slot_kind {
    TG_SLOT_WORK,     /* lives in the workspace at `offset` */
    TG_SLOT_CONSTANT, /* `data` belongs to the plan */
    TG_SLOT_UNDEFINED /* one undefined element, filled in by the machine */
} tg_slot_kind;

typedef struct tg_slot {
    tg_slot_kind kind;
    tg_dtype dtype; /* held in its carrier; for memory of scoped refs: in memory representation */
    int64_t count;  /* elements */
    size_t bytes, offset; /* WORK: extent in the workspace, offset aligned to 64 */
    void *data;           /* CONSTANT */
    bool has_memory;      /* has storage in memory */
    uint32_t first, last; /* instructions between which it is alive */
    tg_slot_id exchange;  /* union-find parent: slots that exchange memory share one lifetime */
} tg_slot;

/* ---- launch ---- */

/* How the block of a param is found from the program id. */
typedef struct tg_mapping {
    bool is_affine; /* index[d] = base[d] + sum over axes of factor[d][axis] * program_id[axis] */
    int64_t base[TG_MAX_RANK];
    int64_t factor[TG_MAX_RANK][TG_MAX_AXES];
    tg_code code;                  /* otherwise: run this, ... */
    tg_operand index[TG_MAX_RANK]; /* ... then read these scalars (i32 or i64) */
} tg_mapping;

/* A while loop, with what decides how it goes on (plan/whiles.c). */
typedef struct tg_while {
    uint32_t start;      /* first instruction of a turn */
    bool polls;          /* each turn may read what other programs write */
    bool writes_scratch; /* what a turn leaves there decides as well */
    uint32_t slot_count;
    tg_slot_id *slots; /* the values that decide, where a turn begins */
    size_t bytes;      /* of all of them */
} tg_while;

typedef struct tg_plan {
    tg_arena arena;
    const tg_module *module;
    const tg_kernel *kernel;
    tg_code body;
    uint32_t while_count;
    tg_while *whiles;
    tg_mapping *mappings;       /* one per param; for those without a block: affine zeros */
    bool *is_written, *is_read; /* per param: by its own ref or one that shares its memory */
    uint32_t slot_count, ref_count;
    tg_slot *slots;
    tg_type *ref_types;
    size_t workspace_bytes;
    bool has_threads; /* several, which share scratch */
    bool is_coupled;  /* chains signal each other's semaphores: all of them are in flight at once */
} tg_plan;

#endif
