#include "interp/blocks/kernels.h"

#include <string.h>

#define KERNELS(isa)                                                                               \
    {                                                                                              \
        tg_tile_kernels__##isa, tg_sum_rows__##isa, tg_max_rows__##isa, tg_min_rows__##isa,        \
            tg_swizzle_moves__##isa, tg_rows_are_spaced__##isa                                     \
    }

const tg_block_kernels *tg_block_kernels_of(const tg_elementwise *lanes)
{
    static const tg_block_kernels baseline = KERNELS(baseline);
#if defined TG_X86_ISAS
    static const tg_block_kernels avx2 = KERNELS(avx2), avx512 = KERNELS(avx512);
    const char *isa = tg_elementwise_isa(lanes);
    if (strcmp(isa, "avx512") == 0) return &avx512;
    if (strcmp(isa, "avx2") == 0) return &avx2;
#else
    (void)lanes;
#endif
    return &baseline;
}
