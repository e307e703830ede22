/* Params: roles, names, aliases, and the references that the body gets. */
#ifndef TG_VERIFY_PARAMS_H
#define TG_VERIFY_PARAMS_H

#include "verify/impl.h"

/* Checks all params of v->kernel, which lies at v->at.  All types are sound. */
void tg_verify_params(const tg_verifier *v);

#endif
