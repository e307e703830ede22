/* Which dtypes numpy formats itself. */
#ifndef TG_REPORT_PRINT_IMPL_H
#define TG_REPORT_PRINT_IMPL_H

#include "ir/type.h"

/* Returns whether the dtype is built into numpy; other dtypes are extensions that format
 * themselves. */
static inline bool tg_is_numpys_float(tg_dtype dtype)
{
    return dtype == TG_DT_f16 || dtype == TG_DT_f32 || dtype == TG_DT_f64;
}
static inline bool tg_is_numpys(tg_dtype dtype)
{
    if (tg_is_float(dtype)) return tg_is_numpys_float(dtype);
    return tg_dtypes[dtype].bits >= 8 || dtype == TG_DT_bool;
}

#endif
