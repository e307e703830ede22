/* Undefined values: which elements depend on something that nothing defines, and where that matters; and likewise on arithmetic that
 * has gone wrong (tg_shadow_kind).
 *
 * Beside every element that a program computes or stores goes its *shadow*: which of its bytes are undefined, and the trail by which
 * they came to be so (checks/trails.h).  Each kind of instruction has an exact rule for the shadows of what it leaves
 * (docs/semantics.md).  A finding tells where an undefined element is kept in an output, decides a branch or a loop, or says
 * which memory is touched. */
#ifndef TG_CHECKS_UNDEFINED_H
#define TG_CHECKS_UNDEFINED_H

#include "interp/machine.h"
#include "plan/grid.h"

/* What all machines of a launch share. */
typedef struct tg_undefined tg_undefined;

/* For launches of `plan`.  NULL without memory. */
tg_undefined *tg_undefined_new(const tg_plan *plan, tg_shadow_kind kind);

/* Whether anything of this kind can occur at all. */
bool tg_undefined_is_needed(const tg_undefined *undefined);
void tg_undefined_free(tg_undefined *undefined); /* NULL is fine */

/* At the start of each run.  `is_shared`: by several threads; `is_jax`: in --compat jax.  False without memory. */
bool tg_undefined_begin(tg_undefined *undefined, const tg_grid *grid, bool is_shared, bool is_jax);

/* After the run: findings for what the outputs hold.  False where memory was short. */
bool tg_undefined_report(tg_undefined *undefined, tg_findings *findings);

/* ---- what the machine calls; for machines without shadows needless ---- */

/* The shadows of one machine, of the kinds that its launch watches.  False without memory; in either case to be freed. */
bool tg_shadows_init(tg_machine *m);
void tg_shadows_free(tg_machine *m);

/* Scratch is fresh; a program starts, before its index maps; that of `param` has given its indices. */
void tg_shadows_reset_scratch(tg_machine *m);
void tg_shadows_start(tg_machine *m);
void tg_shadows_mapped(tg_machine *m, uint32_t param);

/* Before each instruction. */
void tg_shadows_step(tg_machine *m, const tg_inst *inst);

/* A copy takes place that program number `order` started: from one box, of rank at least 1, to another. */
void tg_shadows_copied(tg_machine *m, const tg_inst *inst, int64_t order, const tg_ref *from,
                       const tg_ref *to, int rank);

#endif
