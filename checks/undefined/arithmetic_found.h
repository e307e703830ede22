/* Findings about arithmetic: where it went wrong, and what goes by its result. */
#ifndef TG_CHECKS_UNDEFINED_ARITHMETIC_FOUND_H
#define TG_CHECKS_UNDEFINED_ARITHMETIC_FOUND_H

#include "checks/undefined/shadow.h"

/* The trail matters at `found`, which gets the place and the message of where arithmetic went
 * wrong.  `what` says what goes by it. */
void tg_arithmetic_found(tg_undefined *all, uint32_t trail, const char *what, tg_found *found);

#endif
