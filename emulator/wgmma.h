/* Products of warpgroups, which run beside the threads: wgmma. */
#ifndef TG_EMULATOR_WGMMA_H
#define TG_EMULATOR_WGMMA_H

#include "emulator/exec.h"

tg_emu_exec_fn tg_emu_exec_wgmma_fence, tg_emu_exec_wgmma_commit;
/* inst->data: a tg_emu_wgmma_form */
tg_emu_exec_fn tg_emu_exec_wgmma;
/* inst->immediate: how many groups it does not wait for */
tg_emu_exec_fn tg_emu_exec_wgmma_wait;

/* Called now and then, with a seed: a product may take place at any time. */
tg_emu_step tg_emu_wgmma_go_on(tg_emu_exec *exec);

/* Called when the CTA has ended: traps if the sum of a product was not waited for, or some warp of a group has
 * left out what others have executed. */
tg_emu_step tg_emu_wgmma_end_cta(tg_emu_exec *exec, const tg_emu_cta *cta);

#endif
