#include "emulator/mma.h"

#include "base/aligned_sum.h"
#include "emulator/canonical.h"

static float chain(size_t k, const float *a, const float *b, float c)
{
    while (k-- > 0) c = (float)((double)c + (double)a[k] * (double)b[k]);
    return c;
}

float tg_emu_mma(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c)
{
    const size_t half = k / 2;
    switch (how) {
    case TG_EMU_MMA_WHOLE: return tg_aligned_sum(25, k, a, b, c);
    case TG_EMU_MMA_HALVES:
        c = tg_aligned_sum(24, half, a, b, c);
        return tg_aligned_sum(24, half, a + half, b + half, c);
    default: return canonical_f32(chain(k, a, b, c));
    }
}
