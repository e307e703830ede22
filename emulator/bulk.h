/* Bulk copies, which run beside the threads: cp.async.bulk between global and shared memory, and
 * cp.reduce.async.bulk, of which each element is an atomic operation. */
#ifndef TG_EMULATOR_BULK_H
#define TG_EMULATOR_BULK_H

#include "emulator/exec.h"

/* in[0]: the destination; in[1]: the source; in[2]: the bytes; in[3], of a copy to shared memory:
 * the mbarrier; in[4], of one to several CTAs: the mask of their ranks. */
tg_emu_exec_fn tg_emu_exec_bulk;
enum {
    TG_EMU_BULK_TO_SHARED = 1,
    TG_EMU_BULK_NARROW = 1, /* position of a bit per operand: its address has 32 bits */
    TG_EMU_BULK_FROM_SHARED = 1 << 8,
    TG_EMU_BULK_MULTICAST = 1 << 9,
    TG_EMU_BULK_OP = 16, /* position of 4 bits: of a reduction, its operation */
    TG_EMU_BULK_TYPE =
        20 /* position of 8 bits: the type of its elements; that of a tensor is its map's */
};

/* Copies of boxes of tensors.  in[TG_EMU_BULK_SHARED]: the address in shared memory; then that of the tensor map, of
 * the mbarrier (of a copy to shared memory), and the coordinates. */
tg_emu_exec_fn tg_emu_exec_bulk_tensor;
enum { TG_EMU_BULK_SHARED, TG_EMU_BULK_MAP, TG_EMU_BULK_TOLD, TG_EMU_BULK_COORDINATES };

tg_emu_exec_fn tg_emu_exec_bulk_commit;
/* inst->immediate: how many groups it does not wait for */
tg_emu_exec_fn tg_emu_exec_bulk_wait;
enum { TG_EMU_BULK_READ = 1 };

/* Does one of the copies that have started, if there is any; returns whether there was.  It may
 * trap. */
bool tg_emu_bulk_do_one(tg_emu_exec *exec);

/* Called now and then, with a seed: a copy may take place at any time. */
tg_emu_step tg_emu_bulk_go_on(tg_emu_exec *exec);

/* Called when all threads of a CTA have ended: does what they have left, and traps if shared memory
 * may still be read. */
tg_emu_step tg_emu_bulk_end_cta(tg_emu_exec *exec, const tg_emu_cta *cta);

#endif
