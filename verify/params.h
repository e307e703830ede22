/* Checks params: roles, names, aliases, and the references that the body gets. */
#ifndef TG_VERIFY_PARAMS_H
#define TG_VERIFY_PARAMS_H

#include "verify/impl.h"

/* Checks all params of v->kernel, which is at the path v->at.  Their types must have passed
 * tg_type_is_sound. */
void tg_verify_params(const tg_verifier *v);

#endif
