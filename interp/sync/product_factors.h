/* What a product reads when it takes place. */
#ifndef TG_INTERP_SYNC_PRODUCT_FACTORS_H
#define TG_INTERP_SYNC_PRODUCT_FACTORS_H

#include "interp/state/room.h"
#include "interp/sync/async_op.h"

/* The factors of a product as dense blocks of carriers of `acc`, multiplied by their scales. */
typedef struct tg_product_factors {
    int64_t m, n, k; /* k: elements of a row of the left factor */
    unsigned char *lhs, *rhs;
    int64_t *rows; /* see tg_product_rows; NULL: the left factor is not sparse */
} tg_product_factors;

/* Reads the factors to the room.  Elements outside their arrays are undefined.  Returns false if memory
 * runs out. */
bool tg_product_read(const tg_machine *m, tg_room *room, const tg_async_op *product,
                     tg_product_factors *out);

/* Returns the number, row-major, of the scale of an element of a factor, of which the scales have `blocks`
 * columns.  The columns of the right factor are the rows of its scales. */
static inline int64_t tg_product_scale_of(const tg_type *factor, bool is_right, int64_t blocks,
                                          int64_t row, int64_t column)
{
    return is_right ? column * blocks + row / (factor->shape[0] / blocks)
                    : row * blocks + column / (factor->shape[1] / blocks);
}

/* Returns, for each element of a sparse left factor, the row of the right one that it is multiplied by, in the
 * room; NULL if memory runs out. */
int64_t *tg_product_rows(const tg_machine *m, tg_room *room, const tg_async_op *product);

#endif
