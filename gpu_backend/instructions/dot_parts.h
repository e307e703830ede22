/* What all variants of a matrix product share: its sides, one multiply-add, and the end of a
 * sum. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_PARTS_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"
#include "plan/plan.h"

/* One side of a product as a stack of matrices.  Its rows appear in the result; k runs along the
 * other dimension.  Strides are in elements, in the order stack, row, k. */
typedef struct tg_ptx_dot_side {
    const tg_operand *o;
    int64_t rows, stride[3];
    tg_ptx_space space;
    int64_t displacement; /* bytes from the slot's address to the first element */
    bool is_one;          /* all elements are one value */
} tg_ptx_dot_side;

tg_ptx_dot_side tg_ptx_dot_lhs(const tg_ptx_emitter *em, const struct tg_inst_dot *dot);
tg_ptx_dot_side tg_ptx_dot_rhs(const tg_ptx_emitter *em, const struct tg_inst_dot *dot);

/* sum = left * right + sum, rounded once.  `sum` is in the register class of acc. */
void tg_ptx_multiply_add(tg_ptx_emitter *em, tg_dtype acc, tg_ptx_reg sum, tg_ptx_reg left,
                         tg_ptx_reg right);

/* Adds the element of the addend, if the product has one, and stores the sum.
 *   index   of the element: stack, row, column (.b32); those of extent 1 are not read */
void tg_ptx_dot_finish(tg_ptx_emitter *em, const struct tg_inst_dot *dot, const tg_ptx_reg *index,
                       tg_ptx_reg sum);

#endif
