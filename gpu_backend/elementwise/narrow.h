/* Floats narrower than f32: conversions between their f32 carrier and their own bits. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_NARROW_H
#define TG_GPU_BACKEND_ELEMENTWISE_NARROW_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/text/writer.h"
#include "ir/type.h"

static inline bool tg_ptx_is_narrow(tg_dtype dtype)
{
    return tg_is_float(dtype) && tg_dtypes[dtype].bits < 32;
}

/* Rounds any f32 to the nearest value of the format, ties to even (upward for f8e8m0fnu, which has
 * neither zero nor sign); values beyond its range as docs/semantics.md says. */
tg_ptx_reg tg_ptx_round_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

/* The same, as the format's bits in a .b32, zero-extended. */
tg_ptx_reg tg_ptx_encode_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

/* The value of an encoding; bits above the format's are ignored. */
tg_ptx_reg tg_ptx_decode_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits);

/* The bits of the greatest finite value, without the sign. */
uint32_t tg_ptx_greatest_narrow(tg_dtype dtype);

#endif
