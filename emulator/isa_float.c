/* Float forms, lane by lane. */
#include "emulator/isa_impl.h"

static inline uint32_t bits_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline uint64_t bits_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline float float_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline double float_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float canonical_f32(float value)
{
    return float_f32(value != value ? 0x7fffffff : bits_f32(value));
}
static inline double canonical_f64(double value)
{
    return float_f64(value != value ? UINT64_C(0x7ff8000000000000) : bits_f64(value));
}

/* Floats by their bits: `key` orders them as integers, -0 below +0. */
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

/* f16 and bf16 differ in the bits of inf only. */
static inline int32_t key_16(uint32_t a)
{
    return a & 0x8000 ? -(int32_t)(a & 0x7fff) - 1 : (int32_t)a;
}
static inline uint32_t pick_16(uint32_t a, uint32_t b, bool is_a, uint32_t inf, bool nan)
{
    bool a_nan = (a & 0x7fff) > inf, b_nan = (b & 0x7fff) > inf;
    if ((a_nan && b_nan) || (nan && (a_nan || b_nan))) return 0x7fff;
    return b_nan || (!a_nan && is_a) ? a : b;
}
static inline uint32_t least_16(uint32_t a, uint32_t b, uint32_t inf, bool nan)
{
    return pick_16(a, b, key_16(a) < key_16(b), inf, nan);
}
static inline uint32_t greatest_16(uint32_t a, uint32_t b, uint32_t inf, bool nan)
{
    return pick_16(a, b, key_16(a) > key_16(b), inf, nan);
}

#define FORM1(id, name, D, A, expr) TG_EMU_HANDLER1(id, D, A, expr)
#define FORM2(id, name, D, A, B, expr) TG_EMU_HANDLER2(id, D, A, B, expr)
#define FORM3(id, name, D, A, B, C, expr) TG_EMU_HANDLER3(id, D, A, B, C, expr)
#include "emulator/forms_float.def"

#define FORM1(id, name, D, A, expr) {name, {TG_PTX_##D, TG_PTX_##A}, id, 0},
#define FORM2(id, name, D, A, B, expr) {name, {TG_PTX_##D, TG_PTX_##A, TG_PTX_##B}, id, 0},
#define FORM3(id, name, D, A, B, C, expr)                                                          \
    {name, {TG_PTX_##D, TG_PTX_##A, TG_PTX_##B, TG_PTX_##C}, id, 0},
static const tg_emu_form forms[] = {
#include "emulator/forms_float.def"
};

tg_emu_form_list TG_EMU_ISA_NAME(tg_emu_forms_float)(void)
{
    return (tg_emu_form_list){forms, sizeof forms / sizeof *forms};
}
