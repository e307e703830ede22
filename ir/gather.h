/* The roles of the dimensions of gather and scatter: their attributes in the form that backends
 * use. */
#ifndef TG_IR_GATHER_H
#define TG_IR_GATHER_H

#include "ir/ir.h"

/* XLA's gather and scatter; dimension lists as in ops.def.  "The list" is the result of a gather or
 * the updates of a scatter. */
typedef struct tg_gather_shape {
    unsigned offset_dims;    /* bit d: dimension d of the list runs over the slice */
    unsigned collapsed_dims; /* bit d: operand dimension d has slice size 1 and is left out */
    int index_size;          /* extent of the last dimension of indices */
    int8_t start_index_map[TG_MAX_RANK];
    int batch_count;
    int8_t operand_batch[TG_MAX_RANK], indices_batch[TG_MAX_RANK];
    int64_t slice_sizes[TG_MAX_RANK]; /* per operand dimension */
} tg_gather_shape;

/* Returns the shape of a gather or scatter `op` whose operand has `rank` dimensions and whose list
 * has the shape `list`. */
tg_gather_shape tg_gather_shape_of(const tg_op *op, int rank, const int64_t *list);

/* Whether the list has no dimension for this dimension of the operand. */
bool tg_gather_leaves_out(const tg_gather_shape *g, int operand_dim);

#endif
