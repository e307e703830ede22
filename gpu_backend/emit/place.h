/* Lines of the user's source in the text: .file and .loc, by which debuggers and the emulator name
 * them. */
#ifndef TG_GPU_BACKEND_EMIT_PLACE_H
#define TG_GPU_BACKEND_EMIT_PLACE_H

#include <stdint.h>

#include "base/text.h"
#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* What follows comes from that line of the user's source. */
void tg_ptx_place(tg_ptx_emitter *em, uint32_t loc);

/* The same for an instruction, whose op a comment names. */
void tg_ptx_comment(tg_ptx_emitter *em, const tg_inst *inst);

/* The directives for all files that have been named, for module scope. */
void tg_ptx_put_files(const tg_ptx_emitter *em, tg_text *to);

#endif
