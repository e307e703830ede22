/* One launch in flight. */
#ifndef TG_EMULATOR_EXEC_H
#define TG_EMULATOR_EXEC_H

#include <string.h>

#include "emulator/module.h"

#define TG_EMU_ALL UINT32_MAX /* every lane of a warp */
enum { TG_EMU_LANES = 32 };

/* Threads of a warp that are at one instruction. */
typedef struct tg_emu_group {
    uint32_t pc, mask;
    bool
        is_waiting; /* for the other threads of the warp, at an instruction that wants them together */
} tg_emu_group;

typedef enum tg_emu_warp_state { TG_EMU_READY, TG_EMU_AT_BARRIER, TG_EMU_DONE } tg_emu_warp_state;

typedef struct tg_emu_warp {
    unsigned char *frame;
    uint32_t *defined; /* for each register the lanes that have written it */
    uint32_t members, live;
    uint32_t first_tid; /* linear number of lane 0 */
    tg_emu_warp_state state;
    uint32_t barrier_pc;
    tg_emu_group groups[TG_EMU_LANES]; /* by ascending pc */
    unsigned group_count;
} tg_emu_warp;

struct tg_emu_exec {
    unsigned char *bank[TG_EMU_BANKS]; /* of the current warp */
    uint32_t *defined;
    tg_emu_warp *warp;
    tg_emu_group *group; /* the one that executes */
    tg_emu_module *module;
    const tg_emu_entry *entry;
    tg_emu_memory *memory;
    const tg_emu_launch *launch;
    tg_emu_result *result;
    tg_emu_warp *warps;
    uint32_t warp_count, thread_count;
    uint32_t ctaid[3];
    /* Shared memory from TG_EMU_SHARED_START on; each byte's state is 0 where nobody has written it yet. */
    unsigned char *shared, *shared_state;
    uint32_t shared_bytes, dynamic_bytes;
    tg_emu_shadow shared_shadow;
    tg_emu_epochs epochs;
    const unsigned char *params;
    /* First epoch and number of each CTA so far, in the order they ran; NULL without cta_races. */
    struct tg_emu_cta_start {
        uint32_t epoch;
        uint64_t number;
    } * starts;
    uint64_t start_count;
    uint64_t random; /* state of the generator */
    bool no_memory;
};

enum { TG_EMU_SHARED_UNDEFINED, TG_EMU_SHARED_DEFINED, TG_EMU_SHARED_GUARD };

static inline void *tg_emu_at(const tg_emu_exec *exec, const tg_emu_slot *slot)
{
    return exec->bank[slot->bank] + slot->offset;
}

/* A lane of a register as bits, whatever its type. */
static inline uint64_t tg_emu_lane_bits(const void *reg, unsigned bytes, unsigned lane)
{
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)reg + (size_t)lane * bytes, bytes);
    return bits;
}

/* -- traps -- each fills exec->result->trap and returns TG_EMU_TRAPPED. */

/* At the least lane of `mask`. */
TG_PRINTF(5, 6)
tg_emu_step tg_emu_trap_at(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                           tg_emu_trap_kind kind, const char *format, ...);

/* "%r12"; returns `out`. */
enum { TG_EMU_REGISTER_TEXT = 128 };
const char *tg_emu_register_text(const tg_emu_entry *entry, uint32_t reg,
                                 char out[TG_EMU_REGISTER_TEXT]);

/* Where an instruction stands. */
void tg_emu_place_inst(const tg_emu_exec *exec, const tg_emu_inst *inst, tg_emu_place *place);

/* ctaid and tid of a thread by its linear number. */
void tg_emu_place_thread(const tg_emu_exec *exec, uint32_t tid, tg_emu_place *place);

/* ctaid of the CTA that an epoch belongs to; needs cta_races. */
void tg_emu_place_cta_of(const tg_emu_exec *exec, uint32_t epoch, tg_emu_place *place);

static inline unsigned tg_emu_first_lane(uint32_t mask)
{
    unsigned lane = 0;
    while (!(mask >> lane & 1)) lane++;
    return lane;
}

/* -- running (warp.c) -- */

/* Runs the warp until it waits, ends, traps or has executed `quantum` instructions. */
tg_emu_step tg_emu_warp_run(tg_emu_exec *exec, tg_emu_warp *warp, uint64_t quantum);

/* For an instruction that wants the threads of `together` at once: true where the current group has them all.  Else the
 * group waits for the others, or traps with `kind` where they never come: then *step says which. */
bool tg_emu_gather(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t together,
                   tg_emu_trap_kind kind, tg_emu_step *step);

/* Handlers of control flow. */
tg_emu_exec_fn tg_emu_exec_branch, tg_emu_exec_barrier, tg_emu_exec_exit, tg_emu_exec_trap;

#endif
