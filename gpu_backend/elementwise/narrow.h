/* Floats narrower than f32: between the f32 that carries them and their own bits. */
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

/* Any f32 to the nearest value of the format, ties to even (f8e8m0fnu, which has neither zero nor
 * sign: upward); beyond its range as docs/semantics.md says. */
tg_ptx_reg tg_ptx_round_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

/* The same as the format's bits in a .b32, zeros above. */
tg_ptx_reg tg_ptx_encode_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

/* The value of bits; those above the format's do not matter. */
tg_ptx_reg tg_ptx_decode_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits);

/* Bits of the greatest finite value, its sign apart. */
uint32_t tg_ptx_greatest_narrow(tg_dtype dtype);

#endif
