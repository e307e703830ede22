/* Allocation of tensor memory by warps, in columns. */
#ifndef TG_EMULATOR_TENSOR_ALLOC_H
#define TG_EMULATOR_TENSOR_ALLOC_H

#include "emulator/exec.h"

/* tcgen05.alloc, dealloc, relinquish_alloc_permit.  in[0]: where the address goes, or the address;
 * in[1]: columns. */
tg_emu_exec_fn tg_emu_exec_tensor_alloc, tg_emu_exec_tensor_free, tg_emu_exec_tensor_relinquish;

/* Called when the CTA has ended: traps if columns are still allocated. */
tg_emu_step tg_emu_tensor_end_cta(tg_emu_exec *exec, tg_emu_cta *cta);

#endif
