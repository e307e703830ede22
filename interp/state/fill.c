#include "interp/state/fill.h"

#include "interp/state/order.h"
#include "ir/bits.h"

/* Fills with arbitrary elements of the dtype, each with random bits of its own. */
static void fill_with_random_bits(const tg_launch *launch, void *to, tg_dtype dtype, size_t count,
                                  bool is_carrier)
{
    const size_t size =
        is_carrier ? tg_carrier_bytes[tg_carrier_of(dtype)] : tg_dtypes[dtype].bytes;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = tg_random(launch->undefined_seed, i) >> (64 - tg_dtypes[dtype].bits);
        if (is_carrier && tg_is_float(dtype))
            tg_bits_to_carrier(dtype, bits, (unsigned char *)to + i * size);
        else
            tg_bits_store(dtype, bits, (unsigned char *)to + i * size);
    }
}

void tg_launch_fill(const tg_launch *launch, void *to, tg_dtype dtype, size_t count)
{
    if (launch->undefined_seed && !tg_is_semaphore(dtype))
        fill_with_random_bits(launch, to, dtype, count, true);
    else
        tg_setting_fill_carrier(&launch->setting, to, dtype, count);
}

void tg_launch_fill_memory(const tg_launch *launch, void *to, tg_dtype dtype, size_t count)
{
    if (launch->undefined_seed && !tg_is_semaphore(dtype))
        fill_with_random_bits(launch, to, dtype, count, false);
    else
        tg_setting_fill_memory(&launch->setting, to, dtype, count);
}
