/* Runs a warp: its threads in lock step. */
#ifndef TG_EMULATOR_WARP_H
#define TG_EMULATOR_WARP_H

#include "emulator/exec.h"

/* Runs the warp until it waits, ends, traps or has executed `quantum` instructions. */
tg_emu_step tg_emu_warp_run(tg_emu_exec *exec, tg_emu_warp *warp, uint64_t quantum);

/* For an instruction that the threads of `together` must execute at once.  Returns true if the
 * current group has them all.  Otherwise the group waits for the others, or traps with `kind` if
 * they can never arrive; *step says which. */
bool tg_emu_gather(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t together,
                   tg_emu_trap_kind kind, tg_emu_step *step);

/* Whether all 32 threads of the warp are here, for `what`, which wants all.  If not, sets *step. */
bool tg_emu_whole_warp(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, const char *what,
                       tg_emu_step *step);

/* The current group waits for a phase of an mbarrier, and executes its instruction again once one
 * has been completed, by tg_emu_resume_all. */
tg_emu_step tg_emu_suspend(tg_emu_exec *exec);
void tg_emu_resume_all(tg_emu_exec *exec);

/* Handlers of control flow. */
tg_emu_exec_fn tg_emu_exec_branch, tg_emu_exec_exit, tg_emu_exec_trap;

#endif
