#include "tilegrind/random.h"

#include "base/splitmix.h"

static uint64_t word(uint64_t start, size_t i)
{
    return tg_splitmix(start + (i + 1) * TG_SPLITMIX_STEP);
}

void tg_random_words(uint64_t start, size_t count, uint64_t *out)
{
    for (size_t i = 0; i < count; i++) out[i] = word(start, i);
}

void tg_random_integers(uint64_t start, size_t count, int64_t least, int64_t most, int64_t *out)
{
    const uint64_t size = (uint64_t)most - (uint64_t)least + 1;
    for (size_t i = 0; i < count; i++)
        out[i] = least + (int64_t)((word(start, i) >> 32) * size >> 32);
}

void tg_random_uniform(uint64_t start, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (double)(int64_t)((word(start, i) >> 32) + 1) * 0x1p-32;
}

/* A sum s of four numbers from 0 to 65535 has the mean 2 * 65535 and a variance of 4 (2^32 - 1) / 12;
 * the factor is sqrt(3) / 2 to 16 bits, so that each product is exact. */
void tg_random_normal(uint64_t start, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t z = word(start, i), pairs = (z & UINT64_C(0x0000FFFF0000FFFF)) +
                                                   (z >> 16 & UINT64_C(0x0000FFFF0000FFFF));
        const int64_t sum = (int64_t)((pairs & UINT32_MAX) + (pairs >> 32));
        out[i] = (double)(2 * sum - 4 * 65535) * (56756 * 0x1p-32);
    }
}
