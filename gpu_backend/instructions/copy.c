/* Copies of views: plain ones, and those to or from a part selected at run time. */
#include "gpu_backend/instructions/insts.h"

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/scalar.h"
#include "gpu_backend/emit/slot.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

void tg_ptx_inst_copy(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_copy *copy = inst->as.copy;
    tg_ptx_reg index[TG_MAX_RANK];
    if (tg_ptx_count(&copy->from) == 0) return;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, tg_ptx_count(&copy->from));
    tg_ptx_unravel(em, loop.element, copy->from.rank, copy->from.shape, index);
    tg_ptx_store(em, &copy->to, index, tg_ptx_load(em, &copy->from, index));
    tg_ptx_loop_end(em, &loop);
}

/* Bytes from the first element of the whole to that of the part.  Clamps each start so that the
 * part lies inside. */
static tg_ptx_uniform distance(tg_ptx_emitter *em, const struct tg_inst_dynamic *dynamic)
{
    const tg_operand *whole = &dynamic->whole;
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(whole->dtype)];
    tg_ptx_uniform sum = tg_ptx_known(0);
    for (int d = 0; d < whole->rank; d++) {
        tg_ptx_uniform start = tg_ptx_scalar(em, &dynamic->starts[d]);
        start = tg_ptx_max(em, start, tg_ptx_known(0));
        start = tg_ptx_min(em, start, tg_ptx_known(whole->shape[d] - dynamic->part.shape[d]));
        sum =
            tg_ptx_add(em, sum, tg_ptx_mul(em, start, whole->stride[TG_STORAGE_DENSE][d] * bytes));
    }
    return sum;
}

void tg_ptx_inst_dynamic(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_dynamic *dynamic = inst->as.dynamic;
    const tg_operand *whole = &dynamic->whole, *part = &dynamic->part;
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(whole->dtype)];
    tg_ptx_reg index[TG_MAX_RANK];
    if (tg_ptx_count(part) == 0) return;
    const bool is_one = tg_ptx_is_one(em, whole);
    tg_ptx_reg first = {0};
    if (!is_one)
        first =
            tg_ptx_uniform_reg(em, tg_ptx_add(em, tg_ptx_held(tg_ptx_slot_address(em, whole->slot)),
                                              distance(em, dynamic)));
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, tg_ptx_count(part));
    tg_ptx_unravel(em, loop.element, part->rank, part->shape, index);
    const int64_t displacement = whole->offset[TG_STORAGE_DENSE] * bytes;
    const tg_ptx_space space = tg_ptx_slot_space(em, whole->slot);
    if (is_one) {
        tg_ptx_store(em, part, index, tg_ptx_load(em, whole, index));
    } else {
        const tg_ptx_strided s = {part->rank, part->shape, whole->stride[TG_STORAGE_DENSE]};
        const tg_ptx_reg at = tg_ptx_address_of(em, first, &s, index, bytes);
        if (dynamic->is_update)
            tg_ptx_store_carrier(em, space, whole->dtype, at, displacement,
                                 tg_ptx_load(em, part, index));
        else
            tg_ptx_store(em, part, index,
                         tg_ptx_load_carrier(em, space, whole->dtype, at, displacement));
    }
    tg_ptx_loop_end(em, &loop);
}
