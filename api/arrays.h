/* The arrays of a call. */
#ifndef TG_API_ARRAYS_H
#define TG_API_ARRAYS_H

#include <stdbool.h>

#include "base/diag.h"
#include "ir/ir.h"
#include "tilegrind/tilegrind.h"

/* The memory of each parameter, from the arrays of a call.  `data` and `given` have an entry per parameter, all
 * zero before.  TG_ERR_USAGE with all that is wrong. */
tg_status tg_api_set_data(const tg_kernel *kernel, const tg_array *arrays, size_t count,
                          void **data, bool *given, tg_diags *diags);

#endif
