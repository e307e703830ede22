/* The arrays of a call. */
#ifndef TG_API_ARRAYS_H
#define TG_API_ARRAYS_H

#include <stdbool.h>

#include "base/diag.h"
#include "ir/ir.h"
#include "ir/tensor.h"
#include "tilegrind/arrays.h"

/* The memory of each parameter, from the arrays of a call.  `data` and `given` have an entry per
 * parameter, all zero before.  TG_ERR_USAGE with all that is wrong. */
tg_status tg_api_set_data(const tg_kernel *kernel, const tg_array *arrays, size_t count,
                          void **data, bool *given, tg_diags *diags);

/* The dtype that DLPack calls so; TG_DT_COUNT where we have none. */
tg_dtype tg_api_dtype(tg_dldtype dtype);

/* An array as a tensor, which borrows its elements.  TG_ERR_USAGE, and *out is empty, where it is
 * not on the CPU, not row-major, of an unknown dtype, without data, or too large. */
tg_status tg_api_tensor_of(const tg_array *array, tg_tensor *out, tg_diags *diags);

/* A tensor as an array, which borrows elements and shape. */
tg_array tg_api_array_of(const char *name, tg_tensor *tensor);

#endif
