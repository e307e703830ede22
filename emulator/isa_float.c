/* Float forms, lane by lane. */
#include "emulator/canonical.h"
#include "emulator/isa_impl.h"
#include "emulator/half_bits.h"

/* Ordering floats by their bits: `key` maps them to integers in the same order, with -0 below
 * +0. */
#define ORDER(K, U, S, SIGN, INF, NAN)                                                             \
    static inline S key_##K(U a) { return (S)(a & SIGN ? ~a ^ SIGN : a); }                         \
    static inline bool is_nan_##K(U a) { return (a & ~SIGN) > INF; }                               \
    static inline U pick_##K(U a, U b, bool is_a, bool nan)                                        \
    {                                                                                              \
        U either = is_nan_##K(a) ? (is_nan_##K(b) ? NAN : b) : (is_nan_##K(b) ? a : is_a ? a : b); \
        return nan && (is_nan_##K(a) || is_nan_##K(b)) ? NAN : either;                             \
    }                                                                                              \
    static inline U least_##K(U a, U b, bool nan)                                                  \
    {                                                                                              \
        return pick_##K(a, b, key_##K(a) < key_##K(b), nan);                                       \
    }                                                                                              \
    static inline U greatest_##K(U a, U b, bool nan)                                               \
    {                                                                                              \
        return pick_##K(a, b, key_##K(a) > key_##K(b), nan);                                       \
    }
ORDER(f32, uint32_t, int32_t, UINT32_C(0x80000000), UINT32_C(0x7f800000), UINT32_C(0x7fffffff))
ORDER(f64, uint64_t, int64_t, UINT64_C(0x8000000000000000), UINT64_C(0x7ff0000000000000),
      UINT64_C(0x7ff8000000000000))

static inline float xor_signs(uint32_t a, uint32_t b, uint32_t magnitude)
{
    if (is_nan_f32(magnitude)) return f32_of_bits(magnitude);
    return f32_of_bits(magnitude | ((a ^ b) & UINT32_C(0x80000000)));
}
static inline uint32_t xor_signs_16(uint32_t a, uint32_t b, uint32_t magnitude, uint32_t inf)
{
    return magnitude > inf ? magnitude : magnitude | ((a ^ b) & 0x8000);
}

/* Below the normal range, adding 0.5 rounds to multiples of 2^-24.  Elsewhere half of the last bit
 * is added, less one if that bit is even, and the rest is truncated. */
static inline uint32_t f16_of_f32(uint32_t a)
{
    const uint32_t magnitude = a & 0x7fffffff, sign = a >> 16 & 0x8000;
    const uint32_t small = bits_of_f32(f32_of_bits(magnitude) + 0.5f) - 0x3f000000;
    const uint32_t normal = ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - (112 << 10);
    const uint32_t finite = magnitude < 0x38800000 ? small : normal;
    return magnitude > 0x7f800000 ? 0x7fff : sign | (magnitude >= 0x47800000 ? 0x7c00 : finite);
}

static inline uint32_t bf16_of_f32(uint32_t a)
{
    return (a & 0x7fffffff) > 0x7f800000 ? 0x7fff : (a + 0x7fff + (a >> 16 & 1)) >> 16;
}

#define FORM1(id, name, D, A, expr) TG_EMU_HANDLER1(id, D, A, expr)
#define FORM2(id, name, D, A, B, expr) TG_EMU_HANDLER2(id, D, A, B, expr)
#define FORM3(id, name, D, A, B, C, expr) TG_EMU_HANDLER3(id, D, A, B, C, expr)
#include "emulator/forms_float.def"

#define FORM1(id, name, D, A, expr) {name, id, 0, {TG_EMU_##D, TG_EMU_##A}},
#define FORM2(id, name, D, A, B, expr) {name, id, 0, {TG_EMU_##D, TG_EMU_##A, TG_EMU_##B}},
#define FORM3(id, name, D, A, B, C, expr)                                                          \
    {name, id, 0, {TG_EMU_##D, TG_EMU_##A, TG_EMU_##B, TG_EMU_##C}},
static const tg_emu_form forms[] = {
#include "emulator/forms_float.def"
};

tg_emu_form_list TG_EMU_ISA_NAME(tg_emu_forms_float)(void)
{
    return (tg_emu_form_list){forms, sizeof forms / sizeof *forms};
}
