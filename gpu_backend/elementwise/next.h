/* The neighbour of a float. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_NEXT_H
#define TG_GPU_BACKEND_ELEMENTWISE_NEXT_H

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* The float next to the first operand in the direction of the second. */
tg_ptx_reg tg_ptx_nextafter(const tg_ptx_lane_op *l);

#endif
