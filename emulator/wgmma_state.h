/* Products of warpgroups in a launch: which of them are in flight, and which instructions the warps of a
 * group have executed in common.
 *
 * Each warp makes 16 rows of a product by itself, at a moment of its own. */
#ifndef TG_EMULATOR_WGMMA_STATE_H
#define TG_EMULATOR_WGMMA_STATE_H

#include "emulator/exec.h"
#include "emulator/smem_descriptor.h"
#include "emulator/wgmma_form.h"

enum { TG_EMU_WARPGROUP = 4 }; /* warps */

/* The part of a warp in a product that has started. */
typedef struct tg_emu_wgmma_part {
    const tg_emu_inst *inst;
    tg_emu_smem_descriptor lhs, rhs;
    uint32_t registers[TG_EMU_WGMMA_LHS_REGISTERS]
                      [TG_EMU_LANES]; /* of a left factor in registers, as they were then */
    uint32_t group, actor;
    bool adds, is_done; /* adds: to the sum, which is not read otherwise */
} tg_emu_wgmma_part;

typedef struct tg_emu_wgmma_warp {
    tg_emu_wgmma_part *parts; /* that no wait has covered, in their order */
    size_t count, capacity;
    uint32_t group;        /* number of the open group */
    unsigned char *fenced; /* its frame at the last wgmma.fence; NULL: there was none */
    uint16_t *in_flight;   /* per register: of how many parts it holds the sum */
    uint64_t executed;     /* instructions wgmma */
} tg_emu_wgmma_warp;

/* An instruction wgmma that some warp of a group has executed. */
typedef struct tg_emu_wgmma_step {
    const tg_emu_inst *inst;
    uint64_t lhs, rhs; /* descriptors */
    bool adds;
} tg_emu_wgmma_step;

typedef struct tg_emu_wgmma_group {
    tg_emu_wgmma_step *steps; /* from number `first` on, which some warp has yet to execute */
    size_t count, capacity;
    uint64_t first;
} tg_emu_wgmma_group;

typedef struct tg_emu_wgmma {
    tg_emu_wgmma_warp *warps;
    tg_emu_wgmma_group *groups; /* of each CTA of the cluster */
    uint32_t warp_count, group_count;
} tg_emu_wgmma;

/* Does nothing for an entry without such products.  Returns false if memory runs out; end it all the
 * same. */
bool tg_emu_wgmma_begin(tg_emu_exec *exec);
void tg_emu_wgmma_begin_cluster(tg_emu_exec *exec);
void tg_emu_wgmma_end(tg_emu_exec *exec);

static inline tg_emu_wgmma_warp *tg_emu_wgmma_of(const tg_emu_exec *exec)
{
    return &exec->wgmma->warps[exec->warp - exec->warps];
}

/* The number of the current warp in its CTA. */
static inline uint32_t tg_emu_wgmma_warp_number(const tg_emu_exec *exec)
{
    return (uint32_t)(exec->warp - exec->warps) % exec->cta_warps;
}

/* Whether a register of the current warp belongs to the sum of a product in flight. */
static inline bool tg_emu_wgmma_has(const tg_emu_exec *exec, uint32_t reg)
{
    return exec->wgmma && tg_emu_wgmma_of(exec)->in_flight[reg] > 0;
}

#endif
