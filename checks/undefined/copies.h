/* The shadow rule of copies that run beside the program: words move with their elements, and
 * elements that the source does not have are undefined. */
#ifndef TG_CHECKS_UNDEFINED_COPIES_H
#define TG_CHECKS_UNDEFINED_COPIES_H

#include "interp/state/detector.h"

void tg_shadow_copied(struct tg_machine *m, const struct tg_async_op *copy);

#endif
