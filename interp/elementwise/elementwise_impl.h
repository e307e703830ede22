/* Shared by the per-ISA sources of this folder: the loop macros, the tables that they fill, the
 * names.
 *
 * Files named isa_*.c are compiled once per instruction set, with -DTG_ISA=<isa> and the flags
 * listed in elementwise.c; every external name in them is made by TG_ISA_NAME, so that the objects
 * can be linked together. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTWISE_IMPL_H
#define TG_INTERP_ELEMENTWISE_ELEMENTWISE_IMPL_H

#include <string.h>

#include "base/float_bits.h"
#include "interp/elementwise/elementary.h"
#include "interp/elementwise/isa_name.h"
#include "interp/elementwise/elementwise.h"

typedef tg_elementwise_fn *tg_by_carrier[TG_C_COUNT];
typedef tg_elementwise_fn *tg_by_dtype[TG_DT_COUNT];

/* The functions of fma: of f32, of f64, and of narrow floats in f32 by round-to-odd. */
enum { TG_FMA_f32, TG_FMA_f64, TG_FMA_odd, TG_FMA_COUNT };

/* Entries are NULL if there is no function. */
struct tg_elementwise {
    const char *isa;
    const tg_by_carrier *ints;   /* [op]: carriers b8 to u64 */
    const tg_by_carrier *floats; /* [op]: carriers f32 and f64 */
    const tg_by_dtype
        *few_bits; /* [op]: ints of 2 and 4 bits, if the 8-bit function is wrong for them */
    const tg_by_dtype *narrow;      /* [op]: narrow floats, if the f32 function is wrong for them */
    tg_elementwise_fn *const *wrap; /* [dtype]: finish of ints of 2 and 4 bits */
    tg_elementwise_fn *const *round;       /* [dtype]: finish of narrow floats */
    tg_elementwise_fn *const *load;        /* [dtype] */
    tg_elementwise_fn *const *store;       /* [dtype] */
    const tg_by_carrier *convert;          /* [from][to]: from carrier to carrier, rounded once */
    tg_elementwise_fn *const *convert_odd; /* [from]: to f32 by round-to-odd, if f32 is not exact */
    const tg_by_carrier *saturate;         /* [to dtype][from]: floats to ints of 2 and 4 bits */
    tg_elementwise_fn *const *select_bool; /* [log2 of the element size in bytes] */
    tg_elementwise_fn *const *select_index;
    tg_elementwise_fn *const *pow_int;     /* [dtype of the exponent]: base f64 */
    tg_elementwise_fn *const *pow_int_f32; /* as pow_int with base f32 */
    tg_elementwise_fn *const *pow_int_odd; /* as pow_int_f32, rounded to odd */
    tg_elementwise_fn *const *fma;         /* [TG_FMA_*] */
    const tg_elementary *elementary;
    tg_elementwise_fn *const
        *fast; /* [op]: f32 in place of `elementary`; NULL: none, profile reference */
};

#ifdef TG_ISA
extern const tg_by_carrier TG_ISA_NAME(tg_elementwise_ints)[TG_OP_COUNT];
extern const tg_by_carrier TG_ISA_NAME(tg_elementwise_floats)[TG_OP_COUNT];
extern const tg_by_dtype TG_ISA_NAME(tg_elementwise_few_bits)[TG_OP_COUNT];
extern const tg_by_dtype TG_ISA_NAME(tg_elementwise_narrow)[TG_OP_COUNT];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_wrap)[TG_DT_COUNT];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_round)[TG_DT_COUNT];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_load_narrow)[TG_DT_COUNT];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_store_narrow)[TG_DT_COUNT];
extern const tg_by_carrier TG_ISA_NAME(tg_elementwise_carriers)[TG_C_COUNT];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_carriers_odd)[TG_C_COUNT];
extern const tg_by_carrier TG_ISA_NAME(tg_elementwise_saturate)[TG_DT_COUNT];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_select_bool)[4];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_select_index)[4];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_pow_int)[TG_DT_COUNT];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_pow_int_f32)[TG_DT_COUNT];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_pow_int_odd)[TG_DT_COUNT];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_fma)[TG_FMA_COUNT];
extern tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_fast_f32)[TG_OP_COUNT];
extern const tg_elementwise TG_ISA_NAME(tg_elementwise), TG_ISA_NAME(tg_elementwise_fast);
#endif

/* The next loop has no dependence between lanes, although dst may be one of the sources. */
#if defined __clang__
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined __GNUC__
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LANES_INDEPENDENT
#endif

#define LANES_EACH(i, count) LANES_INDEPENDENT for (size_t i = 0; i < (count); i++)

/* Every one of these functions names its unused parameters. */
#define LANES_UNUSED() ((void)splat, (void)imm)

/* For functions whose format argument must be folded into the loop as a constant. */
#if defined __GNUC__
#define LANES_INLINE static inline __attribute__((always_inline))
#else
#define LANES_INLINE static inline
#endif

/* f64 to f32 by round-to-odd: truncated towards zero, with the last bit set if anything was cut off.
 * Rounding that to a format with at least two bits less is the same as rounding the source once. */
LANES_INLINE float lanes_f64_as_odd_f32(double a)
{
    const float near = (float)a;
    const double back = (double)near;
    const uint32_t outside =
        f64_of_bits(bits_of_f64(back) & INT64_MAX) > f64_of_bits(bits_of_f64(a) & INT64_MAX);
    return f32_of_bits((bits_of_f32(near) - outside) | (back != a));
}

#define LANES_ARGS void *dst, const void *const *src, unsigned splat, size_t count, int64_t imm

/* static tg_elementwise_fn name: R from T by `f`, a function or macro of one argument. */
#define LANES_1(name, R, T, f)                                                                     \
    static void name(LANES_ARGS)                                                                   \
    {                                                                                              \
        R *const r = dst;                                                                          \
        const T *const a = src[0];                                                                 \
        LANES_UNUSED();                                                                            \
        if (splat & 1) {                                                                           \
            const R all = f(a[0]);                                                                 \
            LANES_EACH(i, count) r[i] = all;                                                       \
        } else {                                                                                   \
            LANES_EACH(i, count) r[i] = f(a[i]);                                                   \
        }                                                                                          \
    }

/* static tg_elementwise_fn name: R from two T by `f`, a function or macro of two arguments.  A
 * count of one is by far the most frequent (index arithmetic), so it comes before the vector
 * loops. */
#define LANES_2(name, R, T, f)                                                                     \
    static void name(LANES_ARGS)                                                                   \
    {                                                                                              \
        R *const r = dst;                                                                          \
        const T *const a = src[0], *const b = src[1];                                              \
        LANES_UNUSED();                                                                            \
        if (count == 0) return;                                                                    \
        const T a0 = a[0], b0 = b[0];                                                              \
        if (count == 1) {                                                                          \
            r[0] = f(a0, b0);                                                                      \
        } else if ((splat & 3) == 0) {                                                             \
            LANES_EACH(i, count) r[i] = f(a[i], b[i]);                                             \
        } else if ((splat & 3) == 1) {                                                             \
            LANES_EACH(i, count) r[i] = f(a0, b[i]);                                               \
        } else if ((splat & 3) == 2) {                                                             \
            LANES_EACH(i, count) r[i] = f(a[i], b0);                                               \
        } else {                                                                                   \
            const R all = f(a0, b0);                                                               \
            LANES_EACH(i, count) r[i] = all;                                                       \
        }                                                                                          \
    }

/* static tg_elementwise_fn name: operands (lo, x, hi) of type T; x as a splat is rare and has no
 * loop of its own. */
#define LANES_CLAMP(name, T, max, min)                                                             \
    static void name(LANES_ARGS)                                                                   \
    {                                                                                              \
        T *const r = dst;                                                                          \
        const T *const lo = src[0], *const x = src[1], *const hi = src[2];                         \
        LANES_UNUSED();                                                                            \
        if (count == 0) return;                                                                    \
        const T lo0 = lo[0], hi0 = hi[0];                                                          \
        if (splat & 2) {                                                                           \
            const T x0 = x[0];                                                                     \
            LANES_EACH(i, count)                                                                   \
            {                                                                                      \
                const T l = splat & 1 ? lo0 : lo[i], h = splat & 4 ? hi0 : hi[i];                  \
                r[i] = min(max(x0, l), h);                                                         \
            }                                                                                      \
        } else if ((splat & 5) == 5) {                                                             \
            LANES_EACH(i, count) r[i] = min(max(x[i], lo0), hi0);                                  \
        } else if ((splat & 5) == 4) {                                                             \
            LANES_EACH(i, count) r[i] = min(max(x[i], lo[i]), hi0);                                \
        } else if ((splat & 5) == 1) {                                                             \
            LANES_EACH(i, count) r[i] = min(max(x[i], lo0), hi[i]);                                \
        } else {                                                                                   \
            LANES_EACH(i, count) r[i] = min(max(x[i], lo[i]), hi[i]);                              \
        }                                                                                          \
    }

/* static tg_elementwise_fn name: `f` with its two operands exchanged. */
#define LANES_SWAPPED(name, f)                                                                     \
    static void name(LANES_ARGS)                                                                   \
    {                                                                                              \
        const void *const swapped[2] = {src[1], src[0]};                                           \
        f(dst, swapped, (splat >> 1 & 1) | (splat & 1) << 1, count, imm);                          \
    }

/* static tg_elementwise_fn name: integer_pow over type T, with the exponent `imm`: one * a^... by
 * repeated squaring from the lowest bit with `mul`, and `inverse` of the power if the exponent is
 * negative. */
enum { LANES_STRIP = 128 };
#define LANES_INTEGER_POW(name, T, mul, inverse)                                                   \
    static void name(LANES_ARGS)                                                                   \
    {                                                                                              \
        T *const r = dst;                                                                          \
        const T *const a = src[0];                                                                 \
        const uint64_t exponent = imm < 0 ? 0 - (uint64_t)imm : (uint64_t)imm;                     \
        T base[LANES_STRIP], power[LANES_STRIP];                                                   \
        for (size_t at = 0; at < count; at += LANES_STRIP) {                                       \
            const size_t n = count - at < LANES_STRIP ? count - at : LANES_STRIP;                  \
            for (size_t i = 0; i < n; i++) {                                                       \
                base[i] = a[splat & 1 ? 0 : at + i];                                               \
                power[i] = (T)1;                                                                   \
            }                                                                                      \
            for (uint64_t bits = exponent; bits != 0; bits >>= 1) {                                \
                if (bits & 1) LANES_EACH(i, n) power[i] = mul(power[i], base[i]);                  \
                if (bits > 1) LANES_EACH(i, n) base[i] = mul(base[i], base[i]);                    \
            }                                                                                      \
            if (imm < 0) LANES_EACH(i, n) power[i] = inverse(power[i]);                            \
            memcpy(r + at, power, n * sizeof(T));                                                  \
        }                                                                                          \
    }

#endif
