#include "gpu_backend/instructions/whole.h"

#include "ir/type.h"

void tg_ptx_whole_begin(tg_ptx_emitter *em, const tg_async_place *place, tg_ptx_whole *out)
{
    const tg_type *type = &place->type;
    for (int d = 0; d < type->rank; d++)
        out->dims[d] = (tg_access_dim){
            .kind = TG_INDEX_SLICE, .size = type->shape[d], .stride = 1, .result_dim = d};
    out->plan = (tg_access_plan){.ref = place->ref,
                                 .dtype = type->dtype,
                                 .rank = type->rank,
                                 .dims = out->dims,
                                 .result = *type};
    out->walk = tg_ptx_walk_access(em, &out->plan);
    /* elements beyond the run-time length are absent; they need no legality test */
    for (int d = 0; d < type->rank; d++) out->walk.dims[d].is_legal = true;
}
