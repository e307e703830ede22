/* The forms of wgmma.mma_async: D (64, n) is A (64, k) B (k, n), or that and what D was; a row of A and a column
 * of B have 32 bytes. */
#ifndef TG_EMULATOR_WGMMA_FORM_H
#define TG_EMULATOR_WGMMA_FORM_H

#include "emulator/module_impl.h"

enum {
    TG_EMU_WGMMA_BYTES = 32, /* of a row of A */
    TG_EMU_WGMMA_ROWS = 16,  /* of a warp's part */
    TG_EMU_WGMMA_MOST = 256, /* columns */
    TG_EMU_WGMMA_LHS_REGISTERS = 4
};

typedef enum tg_emu_wgmma_factor {
    TG_EMU_WGMMA_F16,
    TG_EMU_WGMMA_BF16,
    TG_EMU_WGMMA_TF32,
    TG_EMU_WGMMA_E4M3,
    TG_EMU_WGMMA_E5M2,
    TG_EMU_WGMMA_S8,
    TG_EMU_WGMMA_U8
} tg_emu_wgmma_factor;

typedef enum tg_emu_wgmma_result {
    TG_EMU_WGMMA_TO_F32,
    TG_EMU_WGMMA_TO_F16,
    TG_EMU_WGMMA_TO_S32
} tg_emu_wgmma_result;

/* The data of an instruction.  Its operands: in[0] the descriptor of B, in[1] whether D is read, then the
 * descriptor of A or its registers. */
typedef struct tg_emu_wgmma_form {
    tg_emu_wgmma_factor lhs, rhs;
    tg_emu_wgmma_result result;
    uint32_t columns;
    bool in_registers;               /* A */
    bool lhs_mn_major, rhs_mn_major; /* in shared memory */
    bool lhs_negated, rhs_negated;
    bool saturates; /* integers, instead of wrapping around */
    tg_emu_slot *sum;
    uint32_t sum_count;
} tg_emu_wgmma_form;

enum { TG_EMU_WGMMA_RHS, TG_EMU_WGMMA_ADDS, TG_EMU_WGMMA_LHS };

static inline unsigned tg_emu_wgmma_factor_bytes(tg_emu_wgmma_factor factor)
{
    return factor == TG_EMU_WGMMA_TF32 ? 4 : factor <= TG_EMU_WGMMA_BF16 ? 2 : 1;
}

#endif
