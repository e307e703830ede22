/* The shadow rule of products that run beside the program: an element of the sum is undefined if it was
 * before, or if anything in its row of the left factor or its column of the right one is. */
#ifndef TG_CHECKS_UNDEFINED_PRODUCTS_H
#define TG_CHECKS_UNDEFINED_PRODUCTS_H

#include "interp/state/detector.h"

void tg_shadow_product(struct tg_machine *m, const struct tg_async_op *product);

#endif
