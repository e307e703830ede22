/* PTX text in a kernel: the emulator runs it. */
#ifndef TG_INTERP_EXEC_INLINE_PTX_H
#define TG_INTERP_EXEC_INLINE_PTX_H

#include "base/diag.h"
#include "interp/state/launch.h"
#include "plan/inst.h"

/* Bytes that the instruction needs at m->extra. */
size_t tg_inline_ptx_workspace(const struct tg_inst_inline_ptx *inline_ptx);

/* Makes the text ready to run, until tg_inline_ptx_unbind. */
tg_status tg_inline_ptx_bind(tg_launch *launch, const tg_inst *inst, tg_diags *diags);
void tg_inline_ptx_unbind(tg_launch *launch);

#endif
