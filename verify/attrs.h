/* The rules of ops.def and attrs.def for an op's attributes. */
#ifndef TG_VERIFY_ATTRS_H
#define TG_VERIFY_ATTRS_H

#include "verify/impl.h"

/* Checks that the attributes are those of the table, each once and within its own bounds. */
bool tg_verify_attrs(const tg_verifier *v);

#endif
