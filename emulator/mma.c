#include "emulator/mma.h"

#include "base/aligned_sum.h"
#include "emulator/canonical.h"
#include "emulator/soft.h"

static float chain(size_t k, const float *a, const float *b, float c)
{
    while (k-- > 0) c = (float)((double)c + (double)a[k] * (double)b[k]);
    return c;
}

float tg_emu_mma(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c)
{
    const size_t half = k / 2;
    switch (how) {
    case TG_EMU_MMA_WHOLE: return tg_aligned_sum(TG_HOPPER_BITS, k, a, b, c);
    case TG_EMU_MMA_HALVES:
        c = tg_aligned_sum(24, half, a, b, c);
        return tg_aligned_sum(24, half, a + half, b + half, c);
    default: return canonical_f32(chain(k, a, b, c));
    }
}

float tg_emu_mma_fp8(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c)
{
    if (how != TG_EMU_MMA_WHOLE) return tg_emu_mma(how, k, a, b, c);
    const float sum = tg_aligned_sum(TG_HOPPER_FP8_BITS, k, a, b, c);
    const uint32_t dropped = (1u << (23 - TG_HOPPER_FP8_BITS)) - 1;
    return sum == sum ? f32_of_bits(bits_of_f32(sum) & ~dropped) : sum;
}

/* Two of four neighbours along k, from `first` on. */
static float sum_of_pairs(size_t k, size_t first, const float *a, const float *b, float c)
{
    float x[TG_EMU_MMA_MOST], y[TG_EMU_MMA_MOST];
    size_t count = 0;
    for (size_t i = first; i < k; i += i % 2 ? 3 : 1, count++) {
        x[count] = a[i];
        y[count] = b[i];
    }
    return tg_aligned_sum(TG_HOPPER_BITS, count, x, y, c);
}

float tg_emu_mma_sync_fp8(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c)
{
    if (how != TG_EMU_MMA_WHOLE) return tg_emu_mma(how, k, a, b, c);
    return canonical_f32(sum_of_pairs(k, 2, a, b, sum_of_pairs(k, 0, a, b, 0)) + c);
}

uint32_t tg_emu_mma_to_f16(double value)
{
    const tg_emu_soft soft = tg_emu_unpack(&tg_emu_f64, bits_of_f64(value));
    return (uint32_t)tg_emu_pack(&tg_emu_f16, &soft, TG_EMU_RN, false);
}

uint32_t tg_emu_mma_in_f16(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c)
{
    return tg_emu_mma_to_f16(how == TG_EMU_MMA_WHOLE
                                 ? tg_aligned_sum_exact(TG_HOPPER_BITS, k, a, b, c)
                                 : (double)tg_emu_mma(how, k, a, b, c));
}

tg_emu_mma_sum tg_emu_mma_way(bool is_published, uint64_t seed)
{
    return is_published ? TG_EMU_MMA_WHOLE : (tg_emu_mma_sum)(seed % TG_EMU_MMA_SUM_COUNT);
}

/* ---- factors ---- */

float tg_emu_mma_f16(uint32_t half)
{
    const uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 1023;
    if (exponent == 31) return f32_of_bits(sign | 0x7f800000 | mantissa << 13);
    if (exponent) return f32_of_bits(sign | (exponent + 112) << 23 | mantissa << 13);
    const float value = (float)mantissa * 0x1p-24f;
    return sign ? -value : value;
}

float tg_emu_mma_tf32(uint32_t bits)
{
    const float whole = f32_of_bits(bits);
    return whole == whole ? f32_of_bits(bits & 0xffffe000) : whole;
}
