/* The shadows of slots: their words, and whether a slot has any. */
#ifndef TG_CHECKS_UNDEFINED_SLOTS_H
#define TG_CHECKS_UNDEFINED_SLOTS_H

#include "checks/undefined/shadow.h"
#include "ir/view.h"

/* The words of an operand; of a slot that is not flagged, one 0 for all. */
tg_view tg_shadow_view(const tg_shadow *s, const tg_operand *o);

/* Of a scalar. */
uint32_t tg_shadow_scalar(const tg_shadow *s, const tg_operand *o);

/* All elements of the operand are defined. */
void tg_shadow_define(tg_shadow *s, const tg_operand *o);

/* Words for what is about to be written, by the strides of dense storage, which are those of the
 * result; the words of the other elements of the slot are valid.  NULL without memory.  Afterwards
 * `close` finds out whether the slot needs them at all. */
uint32_t *tg_shadow_open(tg_shadow *s, const tg_operand *o);
void tg_shadow_close(tg_shadow *s, const tg_operand *o);

/* The same for what is changed in part: the words are those of what is there. */
uint32_t *tg_shadow_reopen(tg_shadow *s, const tg_operand *o);

/* Every element has this word. */
void tg_shadow_fill(tg_shadow *s, const tg_operand *o, uint32_t word);

/* Memory for the work on one instruction, valid until the next call; NULL where there is none. */
void *tg_shadow_room(tg_shadow *s, size_t bytes);

/* The first word that is not 0, row-major; 0 where there is none. */
uint32_t tg_shadow_first(const tg_view *words);

#endif
