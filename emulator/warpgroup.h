/* The four warps of a warpgroup execute the same instructions wgmma, in the same order, although each does so
 * when its turn comes. */
#ifndef TG_EMULATOR_WARPGROUP_H
#define TG_EMULATOR_WARPGROUP_H

#include "emulator/wgmma_state.h"

/* For the current warp, all threads of which are here.  Traps if the warp has no whole warpgroup, or another
 * warp of its group has executed something else in this place. */
tg_emu_step tg_emu_warpgroup_execute(tg_emu_exec *exec, const tg_emu_wgmma_step *step);

/* Called when the CTA has ended: traps if some warp has executed less than others of its group. */
tg_emu_step tg_emu_warpgroup_end_cta(tg_emu_exec *exec, const tg_emu_cta *cta);

#endif
