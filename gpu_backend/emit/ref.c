#include "gpu_backend/emit/ref.h"

#include <stddef.h>

#include "gpu_backend/emit/uniform.h"
#include "ir/type.h"

void tg_ptx_ref_set_whole(tg_ptx_ref *ref, int rank, const int64_t *shape)
{
    ref->is_inside = tg_ptx_known(1);
    ref->through = NULL;
    tg_dense_strides(rank, shape, ref->stride);
    for (int d = 0; d < rank; d++) {
        ref->low[d] = tg_ptx_known(0);
        ref->shape[d] = ref->high[d] = tg_ptx_known(shape[d]);
    }
}
