/* What tcgen05 operations are ordered behind, with clocks.
 *
 * Threads know the end of an operation only by waiting: for loads and stores by tcgen05.wait, for products by
 * an mbarrier to which they are committed.  Knowledge goes between threads and operations through fences:
 *   tcgen05.fence::after_thread_sync    operations that the warp starts from here on know what its threads know
 *   tcgen05.fence::before_thread_sync   its threads know which operations of the warp they have waited for
 * Operations are told apart by warp: a fence of one thread is one of its warp. */
#ifndef TG_EMULATOR_TENSOR_ORDER_H
#define TG_EMULATOR_TENSOR_ORDER_H

#include "emulator/exec.h"

void tg_emu_tensor_order_free(tg_emu_exec *exec);

/* A new actor: of a load, a store or a deallocation of the thread's warp; of a product or a commit of the
 * thread, which is behind its products so far.  Zeros without clocks or if memory runs out. */
tg_emu_tensor_actor tg_emu_tensor_actor_of_warp(tg_emu_exec *exec, uint32_t thread);
tg_emu_tensor_actor tg_emu_tensor_actor_of_thread(tg_emu_exec *exec, uint32_t thread);

/* Later products of the thread, and its commits, are behind that of the actor. */
void tg_emu_tensor_issued(tg_emu_exec *exec, uint32_t thread, tg_emu_tensor_actor actor);
/* The thread's warp has waited for the actor. */
void tg_emu_tensor_awaited(tg_emu_exec *exec, uint32_t thread, tg_emu_tensor_actor actor);
/* The actor has freed what later allocations get. */
void tg_emu_tensor_freed(tg_emu_exec *exec, tg_emu_tensor_actor actor);
void tg_emu_tensor_allocated(tg_emu_exec *exec, uint32_t thread);

/* tcgen05.fence: inst->flags. */
tg_emu_exec_fn tg_emu_exec_tensor_fence;
enum { TG_EMU_TENSOR_BEFORE = 1 }; /* else after */

#endif
