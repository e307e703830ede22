/* Carriers as bits: constants, undefined values, and memory representations.
 *
 * A function that takes a register may return that same register. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_BITS_H
#define TG_GPU_BACKEND_ELEMENTWISE_BITS_H

#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* A constant; `carrier` points to its value in the carrier type. */
tg_ptx_reg tg_ptx_constant(tg_ptx_writer *w, tg_dtype dtype, const void *carrier);

/* The undefined value of the dtype as a carrier (docs/semantics.md), bit for bit. */
tg_ptx_reg tg_ptx_undefined(tg_ptx_writer *w, tg_dtype dtype);

/* The same bits as a carrier of another dtype, to which they are bitcast. */
tg_ptx_reg tg_ptx_undefined_as(tg_ptx_writer *w, tg_dtype dtype, tg_dtype seen_as);

/* Convert between an element's memory representation and its carrier.  The representation is in the
 * low bytes of a .b32 register, or of a .b64 for 8 bytes.  Higher bits are ignored, except for a
 * bool, whose byte is 0 or 1. */
tg_ptx_reg tg_ptx_from_memory(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits);
tg_ptx_reg tg_ptx_to_memory(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg carrier);

/* Convert between a carrier and its bits, .b32 or .b64 by its size. */
tg_ptx_reg tg_ptx_bits(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg carrier);
tg_ptx_reg tg_ptx_of_bits(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits);

#endif
