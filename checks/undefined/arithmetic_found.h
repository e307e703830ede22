/* Findings about arithmetic: where it went wrong, and what depends on the result. */
#ifndef TG_CHECKS_UNDEFINED_ARITHMETIC_FOUND_H
#define TG_CHECKS_UNDEFINED_ARITHMETIC_FOUND_H

#include "checks/undefined/shadow.h"

/* Completes a finding about `trail`: sets the source location and the message to where arithmetic
 * went wrong.  `what` says what depends on the result. */
void tg_arithmetic_found(tg_undefined *all, uint32_t trail, const char *what, tg_found *found);

#endif
