/* Masks of loads and stores. */
#ifndef TG_INTERP_MEMORY_MASK_H
#define TG_INTERP_MEMORY_MASK_H

#include "interp/memory/box.h"

/* Returns whether lanes that the mask turns off get the values in memory: if the run imitates JAX
 * and there is no `other`. */
bool tg_mask_shows_memory(const tg_machine *m, const tg_access_plan *a);

/* Returns whether every element of the mask is set. */
bool tg_mask_is_full(const tg_machine *m, const tg_access_plan *a);

/* Sets lanes of the dense result `value` that the mask turns off to `other` (NULL: undefined). */
void tg_apply_mask(const tg_machine *m, const tg_access_plan *a, const tg_operand *value,
                   const tg_operand *other);

/* Reports an access whose box reaches outside its ref; a masked one only if it does so where the
 * mask is on. */
void tg_report_box(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, const tg_box *box);

#endif
