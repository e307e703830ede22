/* The lane functions that a form of gpu_backend/elementwise/forms.h must agree with, and the comparison. */
#ifndef TG_TESTS_PTX_FORMS_LANES_H
#define TG_TESTS_PTX_FORMS_LANES_H

#include <math.h>
#include <string.h>

#include "gpu_backend/elementwise/forms.h"
#include "base/float_bits.h"
#include "interp/elementwise/elementary.h"
#include "interp/elementwise/elementwise.h"
#include "tests/ptx_rows.h"

static const char *const variant_names[TG_PTX_FORM_VARIANT_COUNT] = {
    "F32", "F32_ODD", "F64", "F32_I32", "F32_ODD_I32", "F64_I32", "F64_U32", "F64_I64", "F64_U64"};

/* Carriers of result and first operand, and of the second operand where there is one. */
static const tg_dtype base_of[TG_PTX_FORM_VARIANT_COUNT] = {TG_DT_f32, TG_DT_f32, TG_DT_f64,
                                                            TG_DT_f32, TG_DT_f32, TG_DT_f64,
                                                            TG_DT_f64, TG_DT_f64, TG_DT_f64};
static const tg_dtype second_of[TG_PTX_FORM_VARIANT_COUNT] = {TG_DT_f32, TG_DT_f32, TG_DT_f64,
                                                              TG_DT_i32, TG_DT_i32, TG_DT_i32,
                                                              TG_DT_u32, TG_DT_i64, TG_DT_u64};

/* The widest set of this machine. */
static const tg_elementary *elementary_set(void)
{
    const char *const isa = tg_elementwise_isa(tg_elementwise_get(NULL));
    (void)isa;
#if defined __x86_64__
    if (strcmp(isa, "avx512") == 0) return &tg_elementary__avx512;
    if (strcmp(isa, "avx2") == 0) return &tg_elementary__avx2;
#endif
    return &tg_elementary__baseline;
}

/* NULL where the library has no such function. */
static tg_elementwise_fn *lanes_of(tg_opcode op, tg_ptx_form_variant v)
{
    const tg_elementary *const set = elementary_set();
    if (v == TG_PTX_FORM_F32) return set->f32[op];
    if (v == TG_PTX_FORM_F32_ODD) return set->f32_odd[op];
    if (v == TG_PTX_FORM_F64) return set->f64[op];
    if (op != TG_OP_pow) return NULL;
    if (v == TG_PTX_FORM_F32_I32) return set->f32_pow_int;
    if (v == TG_PTX_FORM_F32_ODD_I32) return set->f32_odd_pow_int;
    if (v == TG_PTX_FORM_F64_I32) return set->f64_pow_int;
    return tg_elementwise_op(tg_elementwise_get(NULL), op, TG_DT_f64, second_of[v]).compute;
}

/* Values of `bits` 32 or 64 bits in elements of 64. */
static bool is_32(tg_dtype d) { return tg_dtypes[d].bits == 32; }

static void narrow_lanes(tg_dtype d, void *to, const uint64_t *from)
{
    for (int i = 0; i < PTX_ROWS_LANES; i++) {
        if (is_32(d))
            ((uint32_t *)to)[i] = (uint32_t)from[i];
        else
            ((uint64_t *)to)[i] = from[i];
    }
}

/* A lane that differs, or -1.  All bits count, those of a NaN too. */
static int differing_lane(tg_ptx_form_variant v, const uint64_t *rows, const void *lanes)
{
    for (int i = 0; i < PTX_ROWS_LANES; i++) {
        const uint64_t want =
            is_32(base_of[v]) ? ((const uint32_t *)lanes)[i] : ((const uint64_t *)lanes)[i];
        if (rows[i] != want) return i;
    }
    return -1;
}

/* Runs rows and lanes on one strip; the lane that differs, or -1, and both results. */
static int compare_strip(ptx_rows *rows, tg_elementwise_fn *lanes, tg_ptx_form_variant v,
                         const uint64_t *a, const uint64_t *b, uint64_t *got, uint64_t *want,
                         const char **error)
{
    uint64_t x[PTX_ROWS_LANES], y[PTX_ROWS_LANES];
    const void *const src[2] = {x, y};
    narrow_lanes(base_of[v], x, a);
    narrow_lanes(second_of[v], y, b);
    lanes(want, src, 0, PTX_ROWS_LANES, 0);
    *error = ptx_rows_run(rows, got, a, b);
    return *error != NULL ? 0 : differing_lane(v, got, want);
}

#endif
