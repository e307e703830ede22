/* The op convert: any dtype to any other, rounded once. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_CONVERT_H
#define TG_GPU_BACKEND_ELEMENTWISE_CONVERT_H

#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* Rounds once, saturates and wraps as ops.def says.  May return the same register. */
tg_ptx_reg tg_ptx_convert(tg_ptx_writer *w, tg_dtype from, tg_dtype to, tg_ptx_reg in);

#endif
