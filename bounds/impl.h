/* The state of building the kernel of bounds. */
#ifndef TG_BOUNDS_IMPL_H
#define TG_BOUNDS_IMPL_H

#include "ir/build.h"

#define TG_NO_BOUND UINT32_MAX

typedef struct tg_bound {
    const tg_module *module;
    const tg_kernel *from;
    /* The new kernel; values of `from` keep their numbers in it. */
    tg_build *to;
    /* Of each value of `from`; TG_NO_BOUND: the value is the same in both profiles. */
    tg_value_id *companion;
    const tg_op *op; /* the current op of `from` */
    /* The first error; after it, results do not matter. */
    tg_status status;
    tg_diags *diags;
} tg_bound;

/* f16, bf16, f32, f64: the dtypes that have companions. */
static inline bool tg_bound_is_real(tg_dtype dtype)
{
    return dtype == TG_DT_f16 || dtype == TG_DT_bf16 || dtype == TG_DT_f32 || dtype == TG_DT_f64;
}

#endif
