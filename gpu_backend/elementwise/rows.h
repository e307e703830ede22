/* Element-wise ops that need nothing but rows of PTX: rows.def. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_ROWS_H
#define TG_GPU_BACKEND_ELEMENTWISE_ROWS_H

#include <stdbool.h>

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"

/* Writes the op by its rows.  Returns false, and writes nothing, if it has none for the dtype. */
bool tg_ptx_rows(const tg_ptx_lane_op *l, tg_ptx_reg *out);

/* `op` on two registers, for the dtype of `l`; there must be rows for it. */
tg_ptx_reg tg_ptx_rows_of_two(const tg_ptx_lane_op *l, tg_opcode op, tg_ptx_reg a, tg_ptx_reg b);

#endif
