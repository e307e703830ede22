/* The elementary functions on runs of elements: exp to pow.  docs/numerics.md gives their accuracy.
 *
 * f32 results are correctly rounded; f32_odd results are the exact values rounded to f32 by
 * round-to-odd (truncated; the last bit is set if anything was cut off), so that rounding them
 * again to f16, bf16 or fp8 gives the exact value rounded once.  f64 results are within 1 ULP, by a
 * fixed sequence of operations.  All instruction sets give the same bits.  NaN operands and
 * undefined results give one quiet NaN, 0x7fc00000 or 0x7ff8000000000000. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_H

#include "interp/elementwise/elementwise.h"

/* One instruction set's functions by op; NULL for ops that are not elementary functions.  Operands
 * of f32_odd are f32 carriers that hold f16, bf16 or fp8 values; its result is infinite if f64
 * overflows, and the greatest f32 if only f32 does.  The exponents of *_pow_int are i32, the bases
 * and results f32 or f64. */
typedef struct tg_elementary {
    tg_elementwise_fn *f32[TG_OP_COUNT], *f32_odd[TG_OP_COUNT], *f64[TG_OP_COUNT];
    tg_elementwise_fn *f32_pow_int, *f32_odd_pow_int, *f64_pow_int;
} tg_elementary;

extern const tg_elementary tg_elementary__baseline, tg_elementary__avx2, tg_elementary__avx512;

#endif
