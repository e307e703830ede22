/* The instruction cvt: conversion of one value. */
#ifndef TG_EMULATOR_CONVERT_H
#define TG_EMULATOR_CONVERT_H

#include "emulator/soft.h"
#include "emulator/type.h"

typedef struct tg_emu_conversion {
    tg_emu_type to, from;
    const tg_emu_format *to_format, *from_format; /* NULL: an integer */
    tg_emu_rounding rounding;
    bool is_integral;  /* .rni and the like: rounds to an integer first */
    bool is_saturated; /* .sat: integers to their range, floats to [0, 1] */
    bool is_finite;    /* .satfinite */
} tg_emu_conversion;

/* Converts the low bits of `bits`, of type `from`, to bits of `to`.  An integer result is extended
 * to 64 bits according to its sign. */
uint64_t tg_emu_convert(const tg_emu_conversion *conversion, uint64_t bits);

#endif
