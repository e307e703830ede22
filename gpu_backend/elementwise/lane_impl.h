/* What the makers of lanes share. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_LANE_IMPL_H
#define TG_GPU_BACKEND_ELEMENTWISE_LANE_IMPL_H

#include <stdio.h>

#include "gpu_backend/elementwise/lane.h"

/* A lane in the making; `imm`, `second`, `count` and `in` as tg_ptx_lane has them. */
typedef struct tg_ptx_lane_op {
    tg_ptx_writer *w;
    tg_opcode op;
    tg_dtype dtype, second;
    int64_t imm;
    uint32_t count;
    const tg_ptx_reg *in;
} tg_ptx_lane_op;

/* -- rows (text/template.c) -- */

/* One row whose result is a new register of `class`, which stands for $:
 * tg_ptx_value(w, TG_PTX_B32, "shl.b32 $, %s, %d;", x.name, 4). */
TG_PRINTF(3, 4)
tg_ptx_reg tg_ptx_value(tg_ptx_writer *w, tg_ptx_class class, const char *format, ...);

/* The rows of `text` with its placeholders (rows.def) filled in; the result is a new register of
 * `result`. */
tg_ptx_reg tg_ptx_expand(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_class result, const char *text,
                         uint32_t count, const tg_ptx_reg *in);

/* Type of the register that holds a carrier: "u32", "s32", "u64", "s64", "f32" or "f64"; and untyped. */
const char *tg_ptx_type(tg_dtype dtype);
const char *tg_ptx_untyped(tg_dtype dtype);

static inline bool tg_ptx_is_wide(tg_dtype dtype)
{
    return tg_carrier_bytes[tg_carrier_of(dtype)] == 8;
}

/* -- canonical form -- */

/* An int's low bits extended, a float carried as f32 rounded to its own format; others as they are. */
tg_ptx_reg tg_ptx_finish(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

/* An int of up to 32 bits from the low bits of a .b32. */
tg_ptx_reg tg_ptx_wrap(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

/* -- narrow floats (narrow.c) -- */

static inline bool tg_ptx_is_narrow(tg_dtype dtype)
{
    return tg_is_float(dtype) && tg_dtypes[dtype].bits < 32;
}

/* Any f32 to the nearest value of the format, ties to even (f8e8m0fnu, which has neither zero nor sign:
 * upward); beyond its range as docs/semantics.md says. */
tg_ptx_reg tg_ptx_round_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

/* The same as the format's bits in a .b32, zeros above. */
tg_ptx_reg tg_ptx_encode_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

/* The value of bits; those above the format's do not matter. */
tg_ptx_reg tg_ptx_decode_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits);

/* Bits of the greatest finite value, its sign apart. */
uint32_t tg_ptx_greatest_narrow(tg_dtype dtype);

/* -- ops that rows alone do not say; tg_ptx_lane has checked that they exist -- */

tg_ptx_reg tg_ptx_select(const tg_ptx_lane_op *l);           /* select.c */
tg_ptx_reg tg_ptx_clamp(const tg_ptx_lane_op *l);            /* likewise */
tg_ptx_reg tg_ptx_integer_pow(const tg_ptx_lane_op *l);      /* pow.c */
tg_ptx_reg tg_ptx_round(const tg_ptx_lane_op *l);            /* round.c */
tg_ptx_reg tg_ptx_reduce_precision(const tg_ptx_lane_op *l); /* likewise */
tg_ptx_reg tg_ptx_rem_float(const tg_ptx_lane_op *l);        /* rem.c */
tg_ptx_reg tg_ptx_nextafter(const tg_ptx_lane_op *l);        /* next.c */

/* An elementary function by its form (elementary.c).  False, and nothing written, where the op is none
 * or has none on the dtype. */
bool tg_ptx_elementary(const tg_ptx_lane_op *l, tg_ptx_reg *out);

#endif
