/* The elementary functions as rows of PTX, from the written forms that interp/elementwise/ runs: the same
 * operations, so the same bits.  docs/numerics.md says how they come about. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_FORMS_H
#define TG_GPU_BACKEND_ELEMENTWISE_FORMS_H

#include "ir/op.h"
#include "ir/type.h"

/* By operands and result, see interp/elementwise/elementary.h: F32_ODD is rounded to odd as f32, for
 * narrow floats in f32 carriers that are rounded to their dtype afterwards.  Those that end in a
 * type of integers are of pow alone, that type being its exponent's; wider exponents of an f32 base
 * go through tg_ptx_form_exponent. */
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

/* The rows that compute `op`, one instruction a line: a scope in braces with registers and labels
 * of its own, which may be repeated in one function.  $r, $a and $b stand for the registers of
 * result and operands: 32 or 64 bits wide as the type is, untyped (.b32) or typed; $r may be $a or
 * $b. Their names must begin with %, as no register's of the scope does.  A NaN result is
 * 0x7fc00000 or 0x7ff8000000000000.  Static text; NULL where there is no such form. */
const char *tg_ptx_form(tg_opcode op, tg_ptx_form_variant variant);

/* The text that a module must have once, before its functions, if it has a form of `op`: a table of
 * constants.  Static; NULL where a form needs none.  Equal texts are one pointer. */
const char *tg_ptx_form_table(tg_opcode op);

/* The rows that bring an exponent of pow, u32, i64 or u64, to the i32 of TG_PTX_FORM_F32_I32 and
 * TG_PTX_FORM_F32_ODD_I32: beyond i32 only how far and whether odd matters. $a is the exponent, $r
 * the i32. NULL for dtypes that i32 holds, whose exponents are extended, and for what is no
 * integer. */
const char *tg_ptx_form_exponent(tg_dtype exponent);

#endif
