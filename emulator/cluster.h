/* The CTAs of a cluster: addresses of their shared memory, and when it is there.
 *
 * An address of .shared::cluster has the rank of its CTA, plus 1, in the bits from TG_EMU_RANK_BITS
 * on; with 0 there, it is one of the own CTA, as each address of .shared::cta is. */
#ifndef TG_EMULATOR_CLUSTER_H
#define TG_EMULATOR_CLUSTER_H

#include "emulator/exec.h"

enum { TG_EMU_RANK_BITS = 24, TG_EMU_MOST_CTAS = 16 };

/* in[0]: an address of shared memory, behind which inst->immediate stands; in[1]: a rank. */
tg_emu_exec_fn tg_emu_exec_mapa;
enum { TG_EMU_MAPA_WIDE = 1 }; /* addresses have 64 bits */

/* The CTA and the address of .shared::cta that an address of .shared::cluster means for the current
 * warp.  Returns NULL after a trap. */
tg_emu_cta *tg_emu_cluster_find(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                uint64_t *address);

/* Whether the CTA has not ended; else traps. */
bool tg_emu_cluster_is_there(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                             const tg_emu_cta *cta);

/* Shared memory of any CTA, as a key that no address of another space has. */
static inline uint64_t tg_emu_shared_key(const tg_emu_cta *cta, uint64_t address)
{
    return UINT64_C(1) << 63 | (uint64_t)cta->rank << 32 | address;
}

/* With clocks: a visit (emulator/history.h) to shared memory of a CTA.  It must be over before the
 * CTA ends, and the CTA must have begun.  Returns false after a trap. */
bool tg_emu_cluster_visit(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                          tg_emu_cta *cta, const tg_emu_visit *visit);

/* Threads of the current warp end.  Each of them knows what the CTA knows then. */
void tg_emu_cluster_leave(tg_emu_exec *exec, uint32_t mask);
/* All threads of the CTA have ended.  Traps where others may still access its shared memory. */
tg_emu_step tg_emu_cluster_end_cta(tg_emu_exec *exec, tg_emu_cta *cta);

/* Allocates what the CTAs need beside memory; tg_emu_cluster_end frees it.  Returns false if memory
 * runs out; end it all the same. */
bool tg_emu_cluster_prepare(tg_emu_exec *exec);
void tg_emu_cluster_begin(tg_emu_exec *exec);
void tg_emu_cluster_end(tg_emu_exec *exec);

#endif
