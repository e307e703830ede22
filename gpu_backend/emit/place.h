/* Source lines of the user's kernel in the PTX text: .file and .loc, from which debuggers and the
 * emulator take them. */
#ifndef TG_GPU_BACKEND_EMIT_PLACE_H
#define TG_GPU_BACKEND_EMIT_PLACE_H

#include <stdint.h>

#include "base/text.h"
#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Marks the rows that follow as coming from that source location. */
void tg_ptx_place(tg_ptx_emitter *em, uint32_t loc);

/* The same for an instruction; also writes a comment with the name of its op. */
void tg_ptx_comment(tg_ptx_emitter *em, const tg_inst *inst);

/* Writes the .file directives of all files named so far, for module scope. */
void tg_ptx_put_files(const tg_ptx_emitter *em, tg_text *to);

#endif
