/* The elementary functions as rows of PTX, generated from the C functions that interp/elementwise/
 * runs: the same operations, so the same bits.  docs/numerics.md describes the functions. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_FORMS_H
#define TG_GPU_BACKEND_ELEMENTWISE_FORMS_H

#include "ir/op.h"
#include "ir/type.h"

/* Variants by operands and result, see interp/elementwise/elementary.h.  F32_ODD is rounded to odd
 * as f32, for narrow floats in f32 carriers, which are rounded to their dtype afterwards.  The
 * variants that end in an integer type are for pow only; the type is that of the exponent.  For an
 * f32 base, wider exponents go through tg_ptx_form_exponent. */
typedef enum tg_ptx_form_variant {
    TG_PTX_FORM_F32,
    TG_PTX_FORM_F32_ODD,
    TG_PTX_FORM_F64,
    TG_PTX_FORM_F32_I32,
    TG_PTX_FORM_F32_ODD_I32,
    TG_PTX_FORM_F64_I32,
    TG_PTX_FORM_F64_U32,
    TG_PTX_FORM_F64_I64,
    TG_PTX_FORM_F64_U64,
    TG_PTX_FORM_VARIANT_COUNT
} tg_ptx_form_variant;

/* The rows that compute `op`, one instruction per line: a scope in braces with registers and labels
 * of its own, which may be repeated in one function.  $r, $a and $b stand for the registers of the
 * result and the operands: 32 or 64 bits wide like the type, untyped (.b32) or typed.  $r may be $a
 * or $b.  Their names must begin with %, unlike those of the scope's registers.  A NaN result is
 * 0x7fc00000 or 0x7ff8000000000000.  Static text; NULL if there is no such variant. */
const char *tg_ptx_form(tg_opcode op, tg_ptx_form_variant variant);

/* The text that a module must have once, before its functions, if it has a variant of `op`: a table
 * of constants.  Static; NULL if none is needed.  Equal texts are the same pointer. */
const char *tg_ptx_form_table(tg_opcode op);

/* The rows that convert an exponent of pow (u32, i64 or u64) to the i32 of TG_PTX_FORM_F32_I32 and
 * TG_PTX_FORM_F32_ODD_I32.  Beyond the range of i32, only the magnitude and whether it is odd
 * matter.  $a is the exponent, $r the i32.  NULL for dtypes that i32 holds, whose exponents are
 * just extended, and for dtypes that are not integers. */
const char *tg_ptx_form_exponent(tg_dtype exponent);

#endif
