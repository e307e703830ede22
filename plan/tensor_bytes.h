/* The bytes of a tensor inside the memory of a parameter, as the op view_tensor describes them. */
#ifndef TG_PLAN_TENSOR_BYTES_H
#define TG_PLAN_TENSOR_BYTES_H

#include "plan/plan.h"

/* Where a byte that is not one of a tensor lies. */
typedef enum tg_tensor_side {
    TG_TENSOR_BEFORE,
    TG_TENSOR_BETWEEN,
    TG_TENSOR_BEHIND
} tg_tensor_side;

/* How many bytes of the tensor follow one another from `byte` of the parameter's memory on; 0: it is none of the tensor's. */
int64_t tg_tensor_run(const tg_op *tensor, int64_t byte);

/* The tensor through which an instruction accesses memory; NULL: none. */
const tg_op *tg_tensor_of(const tg_inst *inst);

/* Whether the body accesses the memory of `param` through a tensor that is not all of it. */
bool tg_tensor_is_part_of(const tg_plan *plan, uint32_t param);

tg_tensor_side tg_tensor_side_of(const tg_op *tensor, int64_t byte);

/* How many elements of `element_bytes` lie between the first one of the tensor and `byte`; negative before it. */
int64_t tg_tensor_element(const tg_op *tensor, int64_t byte, int64_t element_bytes);

#endif
