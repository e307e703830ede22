/* Resolves the addresses of an access. */
#ifndef TG_EMULATOR_FIND_H
#define TG_EMULATOR_FIND_H

#include "emulator/exec.h"

/* Resolves, checks and records the access of every lane in `mask`; sets data[lane] for each.  The
 * address is in[0].  Returns false after a trap. */
bool tg_emu_find_lanes(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, unsigned bytes,
                       tg_emu_touch touch, bool is_strong, unsigned char *data[TG_EMU_LANES]);

/* The same of one access of a lane, to any address of the own CTA or of global memory; NULL after a
 * trap. */
unsigned char *tg_emu_find_address(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                   tg_emu_space space, uint64_t address, unsigned bytes,
                                   tg_emu_touch touch);

/* The addresses of all lanes, from in[0]; those of inactive lanes are arbitrary. */
void tg_emu_addresses_of(const tg_emu_exec *exec, const tg_emu_inst *inst,
                         uint64_t out[TG_EMU_LANES]);

/* The key of a lane's address in the histories of accesses (emulator/history.h). */
uint64_t tg_emu_key_of(const tg_emu_exec *exec, const tg_emu_inst *inst, uint64_t address);

/* Records an operation of a lane (NULL), or of a copy that it has started (its visit), on an mbarrier,
 * which is at an address of a CTA.  Returns false after a trap. */
bool tg_emu_note_mbarrier(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                          tg_emu_cta *cta, uint64_t address, const tg_emu_visit *copy);

/* Resolves, checks and records a copy's access to a range of shared memory of a CTA, or (NULL) of
 * global memory; `inst` and `lane` started it.  Returns NULL after a trap. */
unsigned char *tg_emu_find_range(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                 tg_emu_cta *cta, uint64_t address, uint32_t bytes,
                                 const tg_emu_visit *visit);

#endif
