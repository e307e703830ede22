/* Operands of the program in flight: their addresses, and values of scalars. */
#ifndef TG_INTERP_STATE_OPERAND_H
#define TG_INTERP_STATE_OPERAND_H

#include "interp/state/machine.h"
#include "ir/view.h"

static inline unsigned char *tg_operand_at(const tg_machine *m, const tg_operand *o)
{
    return (unsigned char *)m->slot[o->slot] +
           o->offset[m->storage[o->slot]] * tg_carrier_bytes[tg_carrier_of(o->dtype)];
}

/* The operand as a view of its elements in their current storage. */
tg_view tg_operand_view(const tg_machine *m, const tg_operand *o);

/* Gets the value of an integer or bool scalar; sets it to `value`, truncated to its width. */
int64_t tg_operand_int(const tg_machine *m, const tg_operand *o);
void tg_operand_set_int(const tg_machine *m, const tg_operand *o, int64_t value);

#endif
