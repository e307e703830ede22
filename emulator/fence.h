/* Fences, and the order that they make of relaxed accesses: what a thread has done before a fence is
 * over for a thread that sees, and then stands behind a fence of its own, what the first one has
 * changed by an atomic behind its fence. */
#ifndef TG_EMULATOR_FENCE_H
#define TG_EMULATOR_FENCE_H

#include "emulator/exec.h"

/* fence.acq_rel or stronger; fence.proxy.async: see clocks.h. */
tg_emu_exec_fn tg_emu_exec_fence, tg_emu_exec_fence_proxy;

/* The same of one lane: before an atomic that releases, behind one that acquires. */
void tg_emu_fence_lane(tg_emu_exec *exec, unsigned lane);

/* The lane changes the memory at a key, as of emulator/history.h, by an atomic. */
void tg_emu_fence_atomic(tg_emu_exec *exec, unsigned lane, uint64_t key);

#endif
