/* Chooses among the functions that isa_*.c provide.
 *
 * Every isa_*.c in this folder is compiled once for each instruction set below, with
 *     -DTG_ISA=<name> -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math
 * (none of which changes a value; never -ffast-math or a part of it) and
 *     baseline   nothing more; the only one on machines other than x86-64
 *     avx2       -mavx2 -mfma -mf16c
 *     avx512     -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2 -mfma -mf16c
 *                -mprefer-vector-width=512
 * and all objects are linked together. */
#include <stdlib.h>
#include <string.h>

#include "interp/elementwise/elementwise_impl.h"

extern const tg_elementwise tg_elementwise__baseline;
#if defined TG_X86_ISAS
extern const tg_elementwise tg_elementwise__avx2, tg_elementwise__avx512;
#endif

/* -- which instruction set -- */

static const tg_elementwise *widest(void)
{
#if defined TG_X86_ISAS
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return &tg_elementwise__avx512;
    if (avx2) return &tg_elementwise__avx2;
#endif
    return &tg_elementwise__baseline;
}

static const tg_elementwise *by_name(const char *isa)
{
    const tg_elementwise *const most = widest();
    if (strcmp(isa, "baseline") == 0) return &tg_elementwise__baseline;
#if defined TG_X86_ISAS
    if (strcmp(isa, "avx2") == 0 && most != &tg_elementwise__baseline) return &tg_elementwise__avx2;
#endif
    return strcmp(isa, most->isa) == 0 ? most : NULL;
}

const tg_elementwise *tg_elementwise_get(const char *isa)
{
    if (isa != NULL) return by_name(isa);
    const char *const asked = getenv("TILEGRIND_ISA");
    const tg_elementwise *const usable = asked != NULL ? by_name(asked) : NULL;
    return usable != NULL ? usable : widest();
}

const char *tg_elementwise_isa(const tg_elementwise *lanes) { return lanes->isa; }

/* -- which profile -- */

const char *tg_elementwise_profile(const tg_elementwise *lanes)
{
    return lanes->fast != NULL ? "fast" : "reference";
}

#ifdef TG_HAVE_SLEEF

extern const tg_elementwise tg_elementwise_fast__baseline;
#if defined TG_X86_ISAS
extern const tg_elementwise tg_elementwise_fast__avx2, tg_elementwise_fast__avx512;
#endif

/* SLEEF's variants for x86, also the one for single elements, are compiled with FMA and for
 * AVX2. */
static bool runs_sleef(void)
{
#if defined TG_X86_ISAS
    return widest() != &tg_elementwise__baseline;
#else
    return true;
#endif
}

const tg_elementwise *tg_elementwise_fast(const tg_elementwise *lanes, const char **missing)
{
    if (!runs_sleef()) {
        *missing = "this machine lacks AVX2 and FMA, which SLEEF's deterministic functions take";
        return NULL;
    }
#if defined TG_X86_ISAS
    if (strcmp(lanes->isa, "avx2") == 0) return &tg_elementwise_fast__avx2;
    if (strcmp(lanes->isa, "avx512") == 0) return &tg_elementwise_fast__avx512;
#endif
    return &tg_elementwise_fast__baseline;
}

#else

const tg_elementwise *tg_elementwise_fast(const tg_elementwise *lanes, const char **missing)
{
    (void)lanes;
    *missing = "this build has no SLEEF (Debian, Ubuntu: libsleef-dev)";
    return NULL;
}

#endif

/* -- which function -- */

static bool is_narrow_float(tg_dtype d) { return tg_is_float(d) && !tg_is_native(d); }

static tg_elementwise_fn *finish_of(const tg_elementwise *lanes, tg_dtype d)
{
    return is_narrow_float(d) ? lanes->round[d] : lanes->wrap[d];
}

/* Returns whether f32 or 8-bit results of `op` may not be values of a narrower dtype. */
static bool may_leave_dtype(tg_opcode op, tg_dtype d)
{
    switch (op) {
    case TG_OP_abs: return tg_is_signed(d) && tg_dtypes[d].bits < 8;
    case TG_OP_neg: /* some formats have no negative zero */
        return !is_narrow_float(d) || tg_dtypes[d].special == TG_SPECIAL_FNUZ ||
               tg_dtypes[d].special == TG_SPECIAL_E8M0;
    default: return !tg_op_is_closed(op);
    }
}

static tg_elementwise_fn *elementary_of(const tg_elementwise *lanes, tg_opcode op, tg_dtype d)
{
    if (d == TG_DT_f32 && lanes->fast != NULL && lanes->fast[op] != NULL) return lanes->fast[op];
    if (d == TG_DT_f64) return lanes->elementary->f64[op];
    return d == TG_DT_f32 ? lanes->elementary->f32[op] : lanes->elementary->f32_odd[op];
}

static tg_elementwise_fn *pow_int_of(const tg_elementwise *lanes, tg_dtype base, tg_dtype exponent)
{
    if (base == TG_DT_f64) return lanes->pow_int[exponent];
    return base == TG_DT_f32 ? lanes->pow_int_f32[exponent] : lanes->pow_int_odd[exponent];
}

static tg_elementwise_fn *fma_of(const tg_elementwise *lanes, tg_dtype d)
{
    return lanes->fma[d == TG_DT_f64 ? TG_FMA_f64 : d == TG_DT_f32 ? TG_FMA_f32 : TG_FMA_odd];
}

static tg_elementwise_fn *float_op(const tg_elementwise *lanes, tg_opcode op, tg_dtype d,
                                   tg_dtype second)
{
    if (op == TG_OP_pow && !tg_is_float(second)) return pow_int_of(lanes, d, second);
    if (op == TG_OP_fma) return fma_of(lanes, d);
    if (lanes->narrow[op][d] != NULL) return lanes->narrow[op][d];
    tg_elementwise_fn *const plain = lanes->floats[op][tg_carrier_of(d)];
    return plain != NULL ? plain : elementary_of(lanes, op, d);
}

static tg_elementwise_fn *int_op(const tg_elementwise *lanes, tg_opcode op, tg_dtype d)
{
    tg_elementwise_fn *const own = lanes->few_bits[op][d];
    return own != NULL ? own : lanes->ints[op][tg_carrier_of(d)];
}

static tg_elementwise_fn *select_of(const tg_elementwise *lanes, tg_dtype cases, tg_dtype which)
{
    static const uint8_t log2_of[9] = {[1] = 0, [2] = 1, [4] = 2, [8] = 3};
    const uint8_t size = log2_of[tg_carrier_bytes[tg_carrier_of(cases)]];
    return which == TG_DT_bool ? lanes->select_bool[size] : lanes->select_index[size];
}

tg_elementwise_call tg_elementwise_op(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype,
                                      tg_dtype second)
{
    tg_elementwise_call result = {NULL, NULL};
    if (op == TG_OP_select)
        result.compute = select_of(lanes, dtype, second);
    else if (tg_is_float(dtype))
        result.compute = float_op(lanes, op, dtype, second);
    else
        result.compute = int_op(lanes, op, dtype);
    if (result.compute != NULL && may_leave_dtype(op, dtype))
        result.finish = finish_of(lanes, dtype);
    return result;
}

tg_elementwise_call tg_elementwise_convert(const tg_elementwise *lanes, tg_dtype from, tg_dtype to)
{
    const tg_carrier source = tg_carrier_of(from);
    tg_elementwise_call result = {lanes->convert[source][tg_carrier_of(to)], NULL};
    if (from == to) return result;
    if (lanes->saturate[to][source] != NULL) {
        result.compute = lanes->saturate[to][source];
        return result;
    }
    if (is_narrow_float(to) && source == TG_C_f32) { /* only rounding is needed */
        result.compute = lanes->round[to];
        return result;
    }
    if (is_narrow_float(to) && lanes->convert_odd[source] != NULL)
        result.compute = lanes->convert_odd[source];
    result.finish = finish_of(lanes, to);
    return result;
}

tg_elementwise_fn *tg_elementwise_load(const tg_elementwise *lanes, tg_dtype dtype)
{
    return is_narrow_float(dtype) ? lanes->load[dtype] : lanes->wrap[dtype];
}

tg_elementwise_fn *tg_elementwise_store(const tg_elementwise *lanes, tg_dtype dtype)
{
    return is_narrow_float(dtype) ? lanes->store[dtype] : lanes->wrap[dtype];
}
