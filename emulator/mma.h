/* One element of a matrix unit's product: c + a[0] b[0] + ... + a[k-1] b[k-1] in f32.
 *
 * PTX promises products at least as precise as those of f32, and leaves open the order and rounding
 * of the additions.  So the emulator has several ways to add, each of which some chip uses or may
 * use.  A program that relies on one of them gives different results with another. */
#ifndef TG_EMULATOR_MMA_H
#define TG_EMULATOR_MMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tg_emu_mma_sum {
    /* As published for Hopper, and seen on an H200: all terms are truncated, toward zero, 25 bits below the leading bit
     * of the greatest product or c, and added exactly; the sum is truncated to f32. */
    TG_EMU_MMA_WHOLE,
    /* As published for Ampere: the same with 24 bits, first for the lower half of k; that sum is
     * the c of the upper half. */
    TG_EMU_MMA_HALVES,
    /* A chain of additions in f32, each rounded to nearest, k descending. */
    TG_EMU_MMA_CHAIN,
    TG_EMU_MMA_SUM_COUNT
} tg_emu_mma_sum;

/* Computes one element.  Operands are exact in f32; k is at most TG_EMU_MMA_MOST.  A NaN result is
 * 0x7fffffff. */
enum { TG_EMU_MMA_MOST = 32 };
float tg_emu_mma(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c);

/* The same of fp8 factors in wgmma: as published for Hopper, and seen on an H200, terms are truncated 13 bits below the leading one, and
 * the sum keeps 13 fraction bits. */
float tg_emu_mma_fp8(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c);

/* The same of fp8 factors in mma.sync, which Hopper makes of two products of f16, as seen on an H200: first those with k mod 4 < 2, from 0,
 * to which the others are added; c is added last, and rounded to nearest. */
float tg_emu_mma_sync_fp8(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c);

/* tg_emu_mma whose sum is f16, as bits: on Hopper rounded once, from the exact sum of the truncated terms, as seen on an H200. */
uint32_t tg_emu_mma_in_f16(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c);

/* The bits of the nearest f16. */
uint32_t tg_emu_mma_to_f16(double value);

/* A launch's way: that of `--tensor-core`, or one that the seed selects. */
tg_emu_mma_sum tg_emu_mma_way(bool is_published, uint64_t seed);

/* Factors from their bits.  The low 13 bits of a tf32 are ignored, but NaN stays NaN. */
float tg_emu_mma_f16(uint32_t half);
float tg_emu_mma_tf32(uint32_t bits);

#endif
