/* mbarriers: objects in shared memory that count arrivals of threads and bytes of copies, in
 * phases. */
#ifndef TG_EMULATOR_MBARRIER_H
#define TG_EMULATOR_MBARRIER_H

#include "emulator/exec.h"

/* The address is in[0]; in[1] is the count, the bytes or the parity.  inst->flags are those of an
 * access, and: */
enum { TG_EMU_MBARRIER_WIDE = 1 << 24 /* in the scope of the cluster */ };
tg_emu_exec_fn tg_emu_exec_mbarrier_init, tg_emu_exec_mbarrier_inval, tg_emu_exec_mbarrier_arrive,
    tg_emu_exec_mbarrier_expect, tg_emu_exec_mbarrier_arrive_expect, tg_emu_exec_mbarrier_complete,
    tg_emu_exec_mbarrier_test, tg_emu_exec_mbarrier_wait;

/* The mbarrier at an address of a CTA's shared memory, for a copy (its visit) or (NULL) for a
 * thread; NULL after a trap. */
tg_emu_mbarrier *tg_emu_mbarrier_find(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                      tg_emu_cta *cta, uint64_t address, const tg_emu_visit *copy);

/* A copy by the actor has brought its bytes.  Returns TG_EMU_TRAPPED where they are too many. */
tg_emu_step tg_emu_mbarrier_bring(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                  tg_emu_mbarrier *mbarrier, int64_t bytes, uint32_t actor);

/* The arrival of an actor beside the threads: all that it knows and has done is a part of the phase. */
tg_emu_step tg_emu_mbarrier_arrive_for(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                       tg_emu_mbarrier *mbarrier, uint32_t actor);

/* A trap for threads that wait for a phase while nothing can go on. */
tg_emu_step tg_emu_mbarrier_trap_stuck(tg_emu_exec *exec);

#endif
