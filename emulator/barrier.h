/* The barriers of a CTA, and those of the threads of a warp. */
#ifndef TG_EMULATOR_BARRIER_H
#define TG_EMULATOR_BARRIER_H

#include "emulator/exec.h"

/* in[0]: the number of the barrier; in[1], if there: the number of threads. */
tg_emu_exec_fn tg_emu_exec_barrier;
/* in[0]: the mask of lanes */
tg_emu_exec_fn tg_emu_exec_warp_barrier;

/* Called when a warp has come to its barrier: if all are there, they go on. */
void tg_emu_barrier_settle(tg_emu_exec *exec, const tg_emu_warp *warp);

/* A trap for warps that wait for a barrier while nothing can go on; TG_EMU_ON if none does. */
tg_emu_step tg_emu_barrier_trap_stuck(tg_emu_exec *exec);

#endif
