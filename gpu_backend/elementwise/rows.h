/* Element-wise ops that are rows of PTX and nothing else: rows.def. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_ROWS_H
#define TG_GPU_BACKEND_ELEMENTWISE_ROWS_H

#include <stdbool.h>

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"

/* The op by its rows.  False, and nothing written, where it has none on the dtype. */
bool tg_ptx_rows(const tg_ptx_lane_op *l, tg_ptx_reg *out);

/* `op` of two registers, on the dtype of `l`, on which it must have rows. */
tg_ptx_reg tg_ptx_rows_of_two(const tg_ptx_lane_op *l, tg_opcode op, tg_ptx_reg a, tg_ptx_reg b);

#endif
