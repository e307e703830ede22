/* Loads and stores of elements at an address in shared or global memory. */
#ifndef TG_GPU_BACKEND_EMIT_MEMORY_H
#define TG_GPU_BACKEND_EMIT_MEMORY_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* "shared" or "global".  Static, as are the type names below. */
const char *tg_ptx_space_name(tg_ptx_space space);

/* The type of the ld and st that move a carrier. */
const char *tg_ptx_carrier_type(tg_dtype dtype);

/* The type of the ld and st that move `bytes` bytes: 1, 2, 4 or 8. */
const char *tg_ptx_bits_type(int bytes);

/* Load and store a carrier at address + displacement, in a slot or in an instruction's temporary
 * memory. */
tg_ptx_reg tg_ptx_load_carrier(tg_ptx_emitter *em, tg_ptx_space space, tg_dtype dtype,
                               tg_ptx_reg address, int64_t displacement);
void tg_ptx_store_carrier(tg_ptx_emitter *em, tg_ptx_space space, tg_dtype dtype,
                          tg_ptx_reg address, int64_t displacement, tg_ptx_reg value);

/* Stores an element in memory representation: its bits, in .b32 or .b64. */
void tg_ptx_store_bits(tg_ptx_emitter *em, tg_ptx_space space, int bytes, tg_ptx_reg address,
                       tg_ptx_reg bits);

#endif
