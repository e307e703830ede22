/* The phases that a team waits for next: a bit for each barrier, since the phases of an mbarrier have the
 * parities 0, 1, 0, ...
 *
 * The bits of a scratch are in a register of each thread, or in words of shared memory for each team: where
 * there are too many for a register, or where a team waits for others as well. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_PARITY_H
#define TG_GPU_BACKEND_INSTRUCTIONS_PARITY_H

#include <stddef.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"

/* Decides where the bits are, and how many bytes of shared memory they need. */
void tg_ptx_parity_place(tg_ptx_emitter *em);

/* In the prologue, for all barriers; and at the start of each chain, whose first phases are of parity 0. */
void tg_ptx_parity_find(tg_ptx_emitter *em);
void tg_ptx_parity_begin(tg_ptx_emitter *em);

/* The parity (.b32) to wait for at a barrier, by its number (.b32) in the scratch of a param. */
tg_ptx_reg tg_ptx_parity_of(tg_ptx_emitter *em, uint32_t param, tg_ptx_reg number);

/* The next wait is for the phase behind it: of the team, and of so many teams after it. */
void tg_ptx_parity_turn(tg_ptx_emitter *em, uint32_t param, tg_ptx_reg number, int64_t followers);

#endif
