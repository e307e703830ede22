/* Copies of cp.async: from global to shared memory, beside the thread that starts them.
 *
 * A copy takes place when its thread waits for it, as late as may be.  Until then its destination belongs to it: whoever
 * reads or writes there traps. */
#ifndef TG_EMULATOR_CP_ASYNC_H
#define TG_EMULATOR_CP_ASYNC_H

#include "emulator/exec.h"

/* in[0] the destination, in[1] the source, in[2] how many bytes are read of inst->immediate; the rest is 0 */
tg_emu_exec_fn tg_emu_exec_cp_async, tg_emu_exec_cp_async_commit, tg_emu_exec_cp_async_wait;

enum { TG_EMU_CP_NARROW = 1 /* the destination's register has 32 bits */ };

/* What inst->data points to. */
typedef struct tg_emu_cp_form {
    int64_t to, from; /* offsets */
    uint32_t bytes;
} tg_emu_cp_form;

/* tg_emu_exec_cp_async_wait: inst->immediate newest groups need not be over; this one stands for all copies, in
 * groups or not. */
enum { TG_EMU_CP_WAIT_ALL = -1 };

/* Forgets the copies of a CTA that has ended, or of all. */
void tg_emu_cp_async_end_cta(tg_emu_exec *exec, const tg_emu_cta *cta);
void tg_emu_cp_async_free(tg_emu_exec *exec);

#endif
