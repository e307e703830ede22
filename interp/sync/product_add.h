/* The moment when a product takes place. */
#ifndef TG_INTERP_SYNC_PRODUCT_ADD_H
#define TG_INTERP_SYNC_PRODUCT_ADD_H

#include "interp/sync/async_op.h"

/* Adds the product to the sum, with the bits of a dot_general followed by an add.  Elements outside
 * their arrays are undefined.  Returns false if memory runs out. */
bool tg_product_add(tg_machine *m, tg_async_op *product);

#endif
