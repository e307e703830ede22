/* What ops.def and attrs.def say of an op's attributes. */
#ifndef TG_VERIFY_ATTRS_H
#define TG_VERIFY_ATTRS_H

#include "verify/impl.h"

/* Whether the attributes are those of the table, each once and within its own bounds. */
bool tg_verify_attrs(const tg_verifier *v);

#endif
