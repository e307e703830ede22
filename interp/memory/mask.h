/* Masks of loads and stores. */
#ifndef TG_INTERP_MEMORY_MASK_H
#define TG_INTERP_MEMORY_MASK_H

#include "interp/memory/box.h"

/* Whether lanes that the mask turns off hold what memory holds: JAX's mode, and no `other`. */
bool tg_mask_shows_memory(const tg_machine *m, const tg_access_plan *a);

/* Whether every element of the mask is set. */
bool tg_mask_is_full(const tg_machine *m, const tg_access_plan *a);

/* Masked-off lanes of the dense result `value` become `other` (NULL: undefined). */
void tg_apply_mask(const tg_machine *m, const tg_access_plan *a, const tg_operand *value,
                   const tg_operand *other);

/* Reports an access whose box reaches outside its ref, which one with a mask may do where that is
 * off. */
void tg_report_box(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, const tg_box *box);

#endif
