/* What atomics order: a fence behind what has been done before one that releases, and before what is done behind one that
 * acquires.  The accesses themselves are relaxed: a fence and a relaxed atomic order as an atomic with that order does. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_ORDER_H
#define TG_GPU_BACKEND_INSTRUCTIONS_ORDER_H

#include "gpu_backend/emit/emitter.h"
#include "plan/inst.h"

/* The scope of an atomic, as PTX spells it. */
const char *tg_ptx_scope_of(const tg_ptx_emitter *em, const struct tg_inst_access *atomic);

/* "relaxed.gpu." before the space of a load or store that is an atomic, else "".  `out` is where to put it. */
enum { TG_PTX_ORDER_TEXT = 24 };
const char *tg_ptx_relaxed(const tg_ptx_emitter *em, char out[TG_PTX_ORDER_TEXT]);

/* Before and behind the accesses of an instruction, on which all threads of its team come: the team hands on what it has
 * done, and takes on what others have handed on.  Nothing is written if the instruction is no such atomic. */
void tg_ptx_begin_order(tg_ptx_emitter *em, const tg_inst *inst);
void tg_ptx_end_order(tg_ptx_emitter *em, const tg_inst *inst);

#endif
