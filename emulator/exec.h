/* The state of one launch. */
#ifndef TG_EMULATOR_EXEC_H
#define TG_EMULATOR_EXEC_H

#include <string.h>

#include "emulator/launch.h"
#include "emulator/module_impl.h"
#include "emulator/sync.h"
#include "emulator/tensor_state.h"

#define TG_EMU_ALL UINT32_MAX /* every lane of a warp */
enum { TG_EMU_LANES = 32 };

typedef enum tg_emu_waits {
    TG_EMU_WAITS_NOT,
    TG_EMU_WAITS_FOR_WARP, /* at an instruction that needs the other threads of the warp as well */
    TG_EMU_WAITS_FOR_PHASE /* of an mbarrier */
} tg_emu_waits;

/* Threads of a warp with the same program counter. */
typedef struct tg_emu_group {
    uint32_t pc, mask;
    tg_emu_waits waits;
} tg_emu_group;

/* TG_EMU_AT_PHASE: no group can go on, and at least one waits for a phase. */
typedef enum tg_emu_warp_state {
    TG_EMU_READY,
    TG_EMU_AT_BARRIER,
    TG_EMU_AT_PHASE,
    TG_EMU_DONE
} tg_emu_warp_state;

/* A copy of cp.async that has not taken place (emulator/cp_async.h). */
typedef struct tg_emu_cp_copy {
    const tg_emu_inst *inst;
    struct tg_emu_warp *warp;
    unsigned lane;
    uint32_t group, bytes,
        read_bytes; /* the group's number in the thread; the rest of the bytes is 0 */
    uint64_t to, from;
    unsigned char *state; /* of the destination */
} tg_emu_cp_copy;
typedef struct tg_emu_cp_list {
    tg_emu_cp_copy *list;
    size_t count, capacity;
} tg_emu_cp_list;

typedef struct tg_emu_farewell tg_emu_farewell; /* emulator/cluster.c */

/* A CTA that runs.  Those of a cluster run at the same time. */
typedef struct tg_emu_cta {
    uint32_t rank; /* in the cluster */
    uint32_t ctaid[3];
    /* Shared memory, from TG_EMU_SHARED_START on.  The state of each byte is 0 until some thread
     * writes it. */
    unsigned char *shared, *shared_state;
    bool is_over;              /* all of its threads have ended */
    tg_emu_farewell *farewell; /* with clocks: accesses of other CTAs; else NULL */
} tg_emu_cta;

/* What a warp was like at some jump back (emulator/spin.h). */
typedef struct tg_emu_spin {
    unsigned char *frame; /* a copy; NULL before the first */
    uint64_t changes;     /* of the launch, when it was made */
    uint32_t target, mask;
    uint32_t jumps, looks;
    uint64_t turn;          /* when the warp last ran */
    uint64_t looked, since; /* when it was last as in the copy, and the time before */
    bool is_endless;        /* the warp has come back to it */
} tg_emu_spin;

typedef struct tg_emu_warp {
    tg_emu_cta *cta;
    unsigned char *frame;
    /* Local memory, a thread's bytes in one piece, and of each byte whether it has been written. */
    unsigned char *local, *local_state;
    uint32_t *defined; /* per register: a mask of the lanes that have written it */
    uint32_t members, live;
    /* Index of lane 0 among the threads of the cluster, of which each CTA has whole warps. */
    uint32_t first_tid;
    tg_emu_warp_state state;
    uint32_t barrier_pc, barrier,
        barrier_threads; /* at a barrier: where, its number and its count */
    /* Lanes that have arrived at the barrier of the cluster, in this phase or in a complete one. */
    uint32_t cluster_arrived, cluster_passes;
    uint32_t
        copy_groups[TG_EMU_LANES]; /* of each thread: the number of its open group of cp.async */
    tg_emu_spin spin;
    tg_emu_group groups[TG_EMU_LANES]; /* by ascending pc */
    unsigned group_count;
} tg_emu_warp;

struct tg_emu_exec {
    unsigned char *bank[TG_EMU_BANKS]; /* operands of the current warp */
    uint32_t *defined;
    tg_emu_warp *warp;
    tg_emu_group *group; /* the executing group */
    tg_emu_module *module;
    const tg_emu_entry *entry;
    tg_emu_memory *memory;
    const tg_emu_launch *launch;
    tg_emu_result *result;
    tg_emu_warp *warps;
    tg_emu_cta *ctas; /* of the cluster, by rank */
    uint32_t cta_count;
    uint32_t warp_count;              /* of the cluster: cta_count times cta_warps */
    uint32_t cta_warps, thread_count; /* of each CTA */
    uint32_t shared_bytes, dynamic_bytes;
    tg_emu_shadow shared_shadow;
    tg_emu_epochs epochs;
    const unsigned char *params;
    /* First epoch and index of each CTA so far, in execution order; NULL without cta_races. */
    struct tg_emu_cta_start {
        uint32_t epoch;
        uint64_t number;
    } * starts;
    uint64_t start_count;
    uint64_t random; /* state of the generator */
    /* For loops that wait (emulator/spin.h): how often what they look at has changed, and how often warps
     * have run. */
    uint64_t changes, turn;
    tg_emu_sync sync;
    tg_emu_cp_list copies;
    struct tg_emu_wgmma *wgmma; /* products of warpgroups; NULL: the entry has none */
    tg_emu_tensor_state tensor;
    /* What the lane that is being resolved stores to shared memory; NULL: not told (emulator/find.h). */
    const unsigned char *stored;
    bool no_memory;
};

/* Bits, so that several bytes are tested at once. */
enum {
    TG_EMU_SHARED_UNDEFINED = 0,
    TG_EMU_SHARED_DEFINED = 1,
    TG_EMU_SHARED_GUARD = 2,
    TG_EMU_SHARED_MBARRIER = 4,
    TG_EMU_SHARED_IN_FLIGHT = 8 /* a cp.async will write it */
};

static inline void *tg_emu_at(const tg_emu_exec *exec, const tg_emu_slot *slot)
{
    return exec->bank[slot->bank] + slot->offset;
}

/* The CTA that a thread of the cluster belongs to, by its index. */
static inline tg_emu_cta *tg_emu_cta_of(const tg_emu_exec *exec, uint32_t thread)
{
    return &exec->ctas[thread / TG_EMU_LANES / exec->cta_warps];
}

/* A lane of a register as bits, for any type. */
static inline uint64_t tg_emu_lane_bits(const void *reg, unsigned bytes, unsigned lane)
{
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)reg + (size_t)lane * bytes, bytes);
    return bits;
}

static inline unsigned tg_emu_first_lane(uint32_t mask)
{
    unsigned lane = 0;
    while (!(mask >> lane & 1)) lane++;
    return lane;
}

#endif
