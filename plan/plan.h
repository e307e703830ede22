/* The lowered plan, which backends execute.
 *
 *   kernel --tg_plan_new--> instructions over slots
 *
 * A plan is a flat array of instructions with jumps; no instruction owns another.  Values live in
 * *slots*, dense row-major blocks of carriers (ir/type.h) in a workspace that is allocated by
 * liveness; an *operand* is a strided view of a slot, so broadcasts, transposes, slices and most
 * reshapes cost nothing.  Runs of element-wise ops are *groups*: executed strip by strip, their
 * inner values never reach a slot.
 *
 * A slot whose load or store can work on memory in place has a second kind of storage, the memory
 * itself.  The machine decides for each program: if the block is wholly inside the array, it is
 * used in place, else as a dense copy.  Every operand on the slot has strides for both. */
#ifndef TG_PLAN_PLAN_H
#define TG_PLAN_PLAN_H

#include "plan/inst.h"

typedef enum tg_slot_kind {
    TG_SLOT_WORK,     /* lives in the workspace at `offset` */
    TG_SLOT_CONSTANT, /* `data` belongs to the plan */
    TG_SLOT_UNDEFINED /* one undefined element, which the machine fills in */
} tg_slot_kind;

typedef struct tg_slot {
    tg_slot_kind kind;
    tg_dtype dtype;       /* held in its carrier; for scoped memory: in memory representation */
    int64_t count;        /* elements */
    size_t bytes, offset; /* WORK: extent in the workspace, offset aligned to 64 */
    void *data;           /* CONSTANT */
    bool has_memory;      /* it may have storage in memory */
    uint32_t first, last; /* it is alive between these instructions */
    tg_slot_id exchange;  /* union-find parent: slots that exchange memory share one lifetime */
} tg_slot;

/* ---- launch ---- */

/* How to find the block of a param from the program ids. */
typedef struct tg_mapping {
    bool is_affine; /* index[d] = base[d] + sum over axes of factor[d][axis] * program_id[axis] */
    int64_t base[TG_MAX_RANK];
    int64_t factor[TG_MAX_RANK][TG_MAX_AXES];
    tg_code code;                  /* otherwise: run this, ... */
    tg_operand index[TG_MAX_RANK]; /* ... then read these scalars (i32 or i64) */
} tg_mapping;

/* A while loop, with the state that decides how it goes on (plan/whiles.c). */
typedef struct tg_while {
    uint32_t start;      /* first instruction of a turn */
    bool polls;          /* a turn may read memory that other programs write */
    bool writes_scratch; /* a turn may write scratch, whose contents are then part of the state */
    uint32_t slot_count;
    tg_slot_id *slots; /* the slots that are part of the state at the start of a turn */
    size_t bytes;      /* of all these slots */
} tg_while;

typedef struct tg_plan {
    tg_arena arena;
    const tg_module *module;
    const tg_kernel *kernel;
    tg_code body;
    uint32_t while_count;
    tg_while *whiles;
    tg_mapping *mappings;       /* one per param; for those without a block: affine zeros */
    bool *is_written, *is_read; /* per param: by its own ref or another one to the same memory */
    uint32_t slot_count, ref_count;
    tg_slot *slots;
    tg_type *ref_types;
    size_t workspace_bytes;
    bool cancels;           /* programs take over the work of others that have not begun */
    bool has_threads;       /* each chain has several threads, which share scratch */
    bool hands_on_products; /* barriers hand on the order of products */
    bool is_coupled; /* chains signal each other's semaphores: all are in flight at the same time */
} tg_plan;

#endif
