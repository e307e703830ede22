/* Whether the numbers of a row are evenly spaced, compiled once per instruction set. */
#include "interp/blocks/isa_vec_impl.h"
#include "interp/blocks/kernels.h"
#include "interp/elementwise/isa_name.h"

/* In two chains, so that one addition need not wait for another. */
bool TG_ISA_NAME(tg_row_is_spaced)(const int64_t *row, int64_t count, int64_t first, int64_t step)
{
    enum { CHAINS = 2, LANES = CHAINS * LANES_u64 };
    vec_u64 wanted[CHAINS], other = {0};
    uint64_t others = 0;
    int64_t i = 0;
    for (int lane = 0; lane < LANES; lane++)
        wanted[lane / LANES_u64][lane % LANES_u64] =
            (uint64_t)first + (uint64_t)lane * (uint64_t)step;
    for (; i + LANES <= count; i += LANES)
        for (int c = 0; c < CHAINS; c++) {
            vec_u64 found;
            memcpy(&found, row + i + c * LANES_u64, sizeof found);
            other |= found ^ wanted[c];
            wanted[c] += (uint64_t)LANES * (uint64_t)step;
        }
    for (; i < count; i++)
        others |= (uint64_t)row[i] ^ ((uint64_t)first + (uint64_t)i * (uint64_t)step);
    for (int lane = 0; lane < LANES_u64; lane++) others |= other[lane];
    return !others;
}
