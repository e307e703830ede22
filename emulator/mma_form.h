/* The forms of mma.sync: D (m, n) = A (m, k) B (k, n) + C (m, n), of a warp. */
#ifndef TG_EMULATOR_MMA_FORM_H
#define TG_EMULATOR_MMA_FORM_H

#include "emulator/module_impl.h"

typedef enum tg_emu_mma_factor {
    TG_EMU_MMA_F16,
    TG_EMU_MMA_BF16,
    TG_EMU_MMA_TF32,
    TG_EMU_MMA_E4M3,
    TG_EMU_MMA_E5M2,
    TG_EMU_MMA_S8,
    TG_EMU_MMA_U8,
    TG_EMU_MMA_F64
} tg_emu_mma_factor;

typedef enum tg_emu_mma_result {
    TG_EMU_MMA_TO_F32,
    TG_EMU_MMA_TO_F16,
    TG_EMU_MMA_TO_S32,
    TG_EMU_MMA_TO_F64
} tg_emu_mma_result;

/* The data of an instruction.  Its operands: the registers of A, of B, of C; its results: those of D. */
typedef struct tg_emu_mma_form {
    tg_emu_mma_factor lhs, rhs;
    tg_emu_mma_result result;
    unsigned k;
    unsigned a, b, c; /* registers of a lane */
    bool saturates;   /* integers, instead of wrapping around */
} tg_emu_mma_form;

static inline unsigned tg_emu_mma_factor_bytes(tg_emu_mma_factor factor)
{
    if (factor == TG_EMU_MMA_F64) return 8;
    return factor == TG_EMU_MMA_TF32 ? 4 : factor <= TG_EMU_MMA_BF16 ? 2 : 1;
}

/* m16n8kK, and m8n8k4 of f64 */
tg_emu_exec_fn tg_emu_exec_mma, tg_emu_exec_mma_f64;

#endif
