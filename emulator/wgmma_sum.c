#include "emulator/wgmma_sum.h"

#include <string.h>

#include "base/float_bits.h"
#include "emulator/soft.h"

/* ---- factors ---- */

static float converted(const tg_emu_format *from, uint64_t bits)
{
    const tg_emu_soft value = tg_emu_unpack(from, bits);
    return f32_of_bits((uint32_t)tg_emu_pack(&tg_emu_f32, &value, TG_EMU_RN, false));
}

static float value_of(tg_emu_wgmma_factor factor, const unsigned char *at)
{
    uint32_t bits = 0;
    memcpy(&bits, at, tg_emu_wgmma_factor_bytes(factor));
    switch (factor) {
    case TG_EMU_WGMMA_F16: return tg_emu_mma_f16(bits);
    case TG_EMU_WGMMA_BF16: return f32_of_bits(bits << 16);
    case TG_EMU_WGMMA_TF32: return tg_emu_mma_tf32(bits);
    case TG_EMU_WGMMA_E4M3: return converted(&tg_emu_e4m3, bits);
    case TG_EMU_WGMMA_E5M2: return converted(&tg_emu_e5m2, bits);
    case TG_EMU_WGMMA_S8: return (float)(int8_t)bits;
    default: return (float)bits;
    }
}

static void read_row(tg_emu_wgmma_factor factor, bool is_negated, const unsigned char *bytes,
                     unsigned k, float *out)
{
    for (unsigned i = 0; i < k; i++) {
        const float value = value_of(factor, bytes + i * tg_emu_wgmma_factor_bytes(factor));
        out[i] = is_negated ? -value : value;
    }
}

void tg_emu_wgmma_read_values(const tg_emu_wgmma_form *f, const tg_emu_wgmma_bytes *bytes,
                              tg_emu_wgmma_values *out)
{
    out->k = TG_EMU_WGMMA_BYTES / tg_emu_wgmma_factor_bytes(f->lhs);
    for (unsigned i = 0; i < TG_EMU_WGMMA_ROWS; i++)
        read_row(f->lhs, f->lhs_negated, bytes->lhs[i], out->k, out->lhs[i]);
    for (unsigned j = 0; j < f->columns; j++)
        read_row(f->rhs, f->rhs_negated, bytes->rhs[j], out->k, out->rhs[j]);
}

/* ---- sums ---- */

static uint32_t sum_of_integers(bool saturates, unsigned k, const float *a, const float *b,
                                uint32_t addend)
{
    int64_t sum = (int32_t)addend;
    for (unsigned i = 0; i < k; i++) sum += (int64_t)a[i] * (int64_t)b[i];
    if (saturates && sum > INT32_MAX) sum = INT32_MAX;
    if (saturates && sum < INT32_MIN) sum = INT32_MIN;
    return (uint32_t)sum;
}

uint32_t tg_emu_wgmma_sum(const tg_emu_wgmma_form *f, tg_emu_mma_sum how,
                          const tg_emu_wgmma_values *v, unsigned row, unsigned column,
                          uint32_t addend)
{
    const float *a = v->lhs[row], *b = v->rhs[column];
    if (f->result == TG_EMU_WGMMA_TO_S32) return sum_of_integers(f->saturates, v->k, a, b, addend);
    const bool is_f16 = f->result == TG_EMU_WGMMA_TO_F16;
    const float c = is_f16 ? tg_emu_mma_f16(addend) : f32_of_bits(addend);
    if (tg_emu_wgmma_factor_bytes(f->lhs) == 1) {
        const float sum = tg_emu_mma_fp8(how, v->k, a, b, c);
        return is_f16 ? tg_emu_mma_to_f16((double)sum) : bits_of_f32(sum);
    }
    return is_f16 ? tg_emu_mma_in_f16(how, v->k, a, b, c)
                  : bits_of_f32(tg_emu_mma(how, v->k, a, b, c));
}
