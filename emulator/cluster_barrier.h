/* The barrier of a cluster: barrier.cluster.arrive and barrier.cluster.wait. */
#ifndef TG_EMULATOR_CLUSTER_BARRIER_H
#define TG_EMULATOR_CLUSTER_BARRIER_H

#include "emulator/exec.h"

tg_emu_exec_fn tg_emu_exec_cluster_arrive, tg_emu_exec_cluster_wait;
enum {
    TG_EMU_CLUSTER_ALIGNED = 1, /* the threads of a warp execute it together */
    TG_EMU_CLUSTER_RELAXED = 2  /* hands on only what is before a fence */
};

/* Called when threads have ended, for which the others do not wait. */
void tg_emu_cluster_barrier_settle(tg_emu_exec *exec);

/* A trap for threads that wait while nothing can go on; TG_EMU_ON if none does. */
tg_emu_step tg_emu_cluster_barrier_trap_stuck(tg_emu_exec *exec);

#endif
