/* How the kernel of bounds is built. */
#ifndef TG_BOUNDS_IMPL_H
#define TG_BOUNDS_IMPL_H

#include "ir/build.h"

#define TG_NO_BOUND UINT32_MAX

typedef struct tg_bound {
    const tg_module *module;
    const tg_kernel *from;
    tg_build *to;           /* of the new kernel, in which values of `from` keep their places */
    tg_value_id *companion; /* of each value of `from`; TG_NO_BOUND: both profiles have the same */
    const tg_op *op;        /* of `from`, that is being looked at */
    tg_status status;       /* the first thing that went wrong; from then on nothing matters */
    tg_diags *diags;
} tg_bound;

/* f16, bf16, f32, f64: the dtypes that have companions. */
static inline bool tg_bound_is_real(tg_dtype dtype)
{
    return dtype == TG_DT_f16 || dtype == TG_DT_bf16 || dtype == TG_DT_f32 || dtype == TG_DT_f64;
}

#endif
