/* One element of a matrix unit's product: c + a[0] b[0] + ... + a[k-1] b[k-1] in f32.
 *
 * PTX promises that products are at least as precise as f32's, and leaves open in which order and with which rounding they
 * are added.  So there are several ways here, each such as some chip has or may have; a program that relies on one shows it
 * by another. */
#ifndef TG_EMULATOR_MMA_H
#define TG_EMULATOR_MMA_H

#include <stddef.h>
#include <stdint.h>

typedef enum tg_emu_mma_sum {
    /* As published of Hopper: all terms are cut off at 25 bits below the leading bit of the greatest product or c, toward
     * zero, and added exactly; the sum is cut off to f32. */
    TG_EMU_MMA_WHOLE,
    /* As published of Ampere: so, with 24 bits, first the lower half of k, then the upper one with that as its c. */
    TG_EMU_MMA_HALVES,
    /* A chain of additions in f32, each rounded to nearest, k descending. */
    TG_EMU_MMA_CHAIN,
    TG_EMU_MMA_SUM_COUNT
} tg_emu_mma_sum;

/* Operands are exact in f32; k is at most TG_EMU_MMA_MOST.  NaN is 0x7fffffff. */
enum { TG_EMU_MMA_MOST = 16 };
float tg_emu_mma(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c);

#endif
