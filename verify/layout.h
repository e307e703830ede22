/* Layouts and memory spaces: which values and params may have one, and which layouts fit. */
#ifndef TG_VERIFY_LAYOUT_H
#define TG_VERIFY_LAYOUT_H

#include "verify/impl.h"

/* Checks what a value says of where its elements are: a result, or an argument of a region, of v->op.
 * `what` it is, and its number, are for the message. */
bool tg_verify_place(const tg_verifier *v, tg_value_id value, const char *what, uint32_t number);

/* Checks that a value says nothing of it: an argument of the body or of an index map. */
bool tg_verify_no_place(const tg_verifier *v, tg_value_id value);

/* Checks the layout of a param, if it has one. */
bool tg_verify_param_layout(const tg_verifier *v, const tg_param *param);

#endif
