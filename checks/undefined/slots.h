/* The shadows of slots: their words, and whether a slot has words. */
#ifndef TG_CHECKS_UNDEFINED_SLOTS_H
#define TG_CHECKS_UNDEFINED_SLOTS_H

#include "checks/undefined/shadow.h"
#include "ir/view.h"

/* Returns the words of an operand; if its slot is not flagged, a view of a single 0. */
tg_view tg_shadow_view(const tg_shadow *s, const tg_operand *o);

/* Returns the word of a scalar operand. */
uint32_t tg_shadow_scalar(const tg_shadow *s, const tg_operand *o);

/* Marks all elements of the operand as defined. */
void tg_shadow_define(tg_shadow *s, const tg_operand *o);

/* Returns memory for the words of an operand that is about to be written, with the strides of dense
 * storage, which are those of the result.  The words of the other elements of the slot are valid.
 * Returns NULL if memory runs out.  Afterwards tg_shadow_close checks whether the slot needs words
 * at all. */
uint32_t *tg_shadow_open(tg_shadow *s, const tg_operand *o);
void tg_shadow_close(tg_shadow *s, const tg_operand *o);

/* The same for an operand that changes in part: the words are the current ones. */
uint32_t *tg_shadow_reopen(tg_shadow *s, const tg_operand *o);

/* Gives every element of the operand this word. */
void tg_shadow_fill(tg_shadow *s, const tg_operand *o, uint32_t word);

/* Returns memory for work on one instruction, valid until the next call; NULL if memory runs
 * out. */
void *tg_shadow_room(tg_shadow *s, size_t bytes);

/* Returns the first word that is not 0, row-major; 0 if there is none. */
uint32_t tg_shadow_first(const tg_view *words);

#endif
