/* Which scratch is held in tensor memory (instructions/tcgen05.h), and what its products are. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_TCGEN05_PLAN_H
#define TG_GPU_BACKEND_INSTRUCTIONS_TCGEN05_PLAN_H

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/ptx.h"

/* Bytes of k that one tcgen05.mma multiplies. */
enum { TG_PTX_TENSOR_STEP = 32 };

/* How a product is made. */
typedef struct tg_ptx_tensor_product {
    int64_t m, n, k;
    int64_t bytes; /* of an element of a factor */
    int64_t steps; /* of k in all, and of those whose factors are copied together */
    int64_t together;
    const char *kind; /* "f16" */
    uint32_t formats; /* the dtypes of sum and factors, as the instruction descriptor has them */
} tg_ptx_tensor_product;

/* Whether tcgen05 can make it: shapes and dtypes. */
bool tg_ptx_tensor_can(const tg_ptx_emitter *em, const struct tg_inst_async *product,
                       tg_ptx_tensor_product *out);

/* Columns of a scratch in tensor memory, of a block's part of it. */
int64_t tg_ptx_tensor_columns(const tg_param *param);

/* Sets em->tensor if anything is to be held there.  The teams and the profile must be known.  Returns false if
 * memory runs out. */
bool tg_ptx_tensor_find(tg_ptx_emitter *em, const tg_ptx_options *options);

#endif
