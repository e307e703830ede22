/* Fills tensors by a rule instead of from a file. */
#ifndef TG_LOADERS_FILL_H
#define TG_LOADERS_FILL_H

#include "ir/tensor.h"

typedef enum tg_tensor_fill { TG_FILL_ZEROS, TG_FILL_ONES, TG_FILL_IOTA } tg_tensor_fill;

/* Sets every element to 0, to 1, or to its row-major index converted to the dtype (ints wrap,
 * floats round to nearest even and overflow to inf or NaN, a bool is true except for the first).
 * Returns TG_ERR_INVALID for zeros and iota of f8e8m0fnu, which has no zero; the elements are then
 * unchanged. */
tg_status tg_fill_tensor(tg_tensor_fill fill, tg_tensor *tensor);

#endif
