/* The numbers of a warpgroup's product: what bytes of factors are, and how a sum is made of them. */
#ifndef TG_EMULATOR_WGMMA_SUM_H
#define TG_EMULATOR_WGMMA_SUM_H

#include "emulator/mma.h"
#include "emulator/wgmma_form.h"

/* Rows of A and columns of B of a warp's part, as bytes along k. */
typedef struct tg_emu_wgmma_bytes {
    unsigned char lhs[TG_EMU_WGMMA_ROWS][TG_EMU_WGMMA_BYTES];
    unsigned char rhs[TG_EMU_WGMMA_MOST][TG_EMU_WGMMA_BYTES];
} tg_emu_wgmma_bytes;

/* The same as numbers, those of integers exact as well. */
typedef struct tg_emu_wgmma_values {
    unsigned k;
    float lhs[TG_EMU_WGMMA_ROWS][TG_EMU_MMA_MOST], rhs[TG_EMU_WGMMA_MOST][TG_EMU_MMA_MOST];
} tg_emu_wgmma_values;

void tg_emu_wgmma_read_values(const tg_emu_wgmma_form *form, const tg_emu_wgmma_bytes *bytes,
                              tg_emu_wgmma_values *out);

/* Element (row, column) of D, as bits of f32, f16 or s32, from those of what it adds to. */
uint32_t tg_emu_wgmma_sum(const tg_emu_wgmma_form *form, tg_emu_mma_sum how,
                          const tg_emu_wgmma_values *values, unsigned row, unsigned column,
                          uint32_t addend);

#endif
