/* The kernel of bounds while it is built. */
#ifndef TG_CONFORMANCE_BOUND_IMPL_H
#define TG_CONFORMANCE_BOUND_IMPL_H

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

#endif
