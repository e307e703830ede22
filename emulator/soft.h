/* Software floats: arithmetic and conversions that are exact up to one rounding, in any direction
 * and to any format. */
#ifndef TG_EMULATOR_SOFT_H
#define TG_EMULATOR_SOFT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tg_emu_rounding {
    TG_EMU_RN,  /* to nearest, ties to even */
    TG_EMU_RZ,  /* toward zero */
    TG_EMU_RM,  /* toward minus infinity */
    TG_EMU_RP,  /* toward plus infinity */
    TG_EMU_RNA, /* to nearest, ties away from zero */
} tg_emu_rounding;

typedef struct tg_emu_format {
    unsigned fraction, exponent; /* bits */
    uint64_t nan;                /* the bits of a NaN result */
    bool has_inf;
    unsigned unused; /* bits below the fraction, always 0 */
} tg_emu_format;

extern const tg_emu_format tg_emu_f16, tg_emu_bf16, tg_emu_f32, tg_emu_f64, tg_emu_tf32,
    tg_emu_e4m3, tg_emu_e5m2;

typedef enum tg_emu_class { TG_EMU_ZERO, TG_EMU_FINITE, TG_EMU_INF, TG_EMU_NAN } tg_emu_class;

/* The value significand * 2^exponent.  The lowest bit of the significand may be sticky, that is,
 * represent all bits below it, if there are at least two bits between it and the rounding
 * position. */
typedef struct tg_emu_soft {
    tg_emu_class class;
    bool sign;
    int exponent;
    unsigned __int128 significand;
} tg_emu_soft;

tg_emu_soft tg_emu_unpack(const tg_emu_format *format, uint64_t bits);
tg_emu_soft tg_emu_soft_of_int(bool sign, uint64_t magnitude);

/* Rounds to the format, in the given direction.  is_finite: a value beyond the greatest finite one
 * becomes that one, not infinity. */
uint64_t tg_emu_pack(const tg_emu_format *format, const tg_emu_soft *value,
                     tg_emu_rounding rounding, bool is_finite);

/* Rounds a value that is neither NaN nor infinite to an integer; keeps its sign. */
tg_emu_soft tg_emu_soft_integral(const tg_emu_soft *value, tg_emu_rounding rounding);

/* Arithmetic on bits of the format. */
uint64_t tg_emu_soft_fma(const tg_emu_format *format, tg_emu_rounding rounding, uint64_t a,
                         uint64_t b, uint64_t c);
uint64_t tg_emu_soft_add(const tg_emu_format *format, tg_emu_rounding rounding, uint64_t a,
                         uint64_t b);
uint64_t tg_emu_soft_sub(const tg_emu_format *format, tg_emu_rounding rounding, uint64_t a,
                         uint64_t b);
uint64_t tg_emu_soft_mul(const tg_emu_format *format, tg_emu_rounding rounding, uint64_t a,
                         uint64_t b);
uint64_t tg_emu_soft_div(const tg_emu_format *format, tg_emu_rounding rounding, uint64_t a,
                         uint64_t b);
uint64_t tg_emu_soft_sqrt(const tg_emu_format *format, tg_emu_rounding rounding, uint64_t a);
uint64_t tg_emu_soft_rcp(const tg_emu_format *format, tg_emu_rounding rounding, uint64_t a);

#endif
