/* Rows of PTX from templates: in these texts, $ and a name after it stand for registers, types and
 * constants. */
#ifndef TG_GPU_BACKEND_TEXT_TEMPLATE_H
#define TG_GPU_BACKEND_TEXT_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* Writes one row whose result is a new register of `class`; $ stands for that register:
 * tg_ptx_result(w, TG_PTX_B32, "shl.b32 $, %s, %d;", x.name, 4). */
TG_PRINTF(3, 4)
tg_ptx_reg tg_ptx_result(tg_ptx_writer *w, tg_ptx_class class, const char *format, ...);

/* Writes the rows of `text` with its placeholders (listed in elementwise/rows.def) replaced:
 * operands by the `count` registers `in`, types and constants according to `dtype`.  Returns the
 * result, a new register of class `result`. */
tg_ptx_reg tg_ptx_expand(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_class result, const char *text,
                         uint32_t count, const tg_ptx_reg *in);

/* The type of the register that holds a carrier: "u32", "s32", "u64", "s64", "f32" or "f64";
 * untyped, "b32" or "b64".  Static. */
const char *tg_ptx_type(tg_dtype dtype);
const char *tg_ptx_untyped(tg_dtype dtype);

/* Whether the carrier has 64 bits. */
static inline bool tg_ptx_is_wide(tg_dtype dtype)
{
    return tg_carrier_bytes[tg_carrier_of(dtype)] == 8;
}

#endif
