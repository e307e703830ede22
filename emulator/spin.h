/* Loops that wait for other threads to change memory, and whether anybody is left who could.
 *
 * A warp spins if it comes back to an instruction with the same registers, and no memory has changed
 * meanwhile: then it goes round in the same way until some does. */
#ifndef TG_EMULATOR_SPIN_H
#define TG_EMULATOR_SPIN_H

#include "emulator/exec.h"

/* Something has changed that a loop may look at. */
static inline void tg_emu_spin_changed(tg_emu_exec *exec) { exec->changes++; }

/* The current group jumps back to an instruction: looks now and then whether the warp spins. */
static inline void tg_emu_spin_jumped(tg_emu_exec *exec, uint32_t target);

/* Whether all warps that can go on spin; exec->warp is then one of them. */
bool tg_emu_spin_is_endless(tg_emu_exec *exec);
tg_emu_step tg_emu_spin_trap(tg_emu_exec *exec);

/* Called when a warp has begun anew, and when the launch ends. */
void tg_emu_spin_begin(tg_emu_warp *warp);
void tg_emu_spin_end(tg_emu_exec *exec);

/* ---- inline ---- */

enum { TG_EMU_SPIN_EVERY = 64 };
void tg_emu_spin_look(tg_emu_exec *exec, uint32_t target);

static inline void tg_emu_spin_jumped(tg_emu_exec *exec, uint32_t target)
{
    if (exec->entry->waits && ++exec->warp->spin.jumps % TG_EMU_SPIN_EVERY == 0)
        tg_emu_spin_look(exec, target);
}

#endif
