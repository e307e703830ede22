/* Whether the numbers of rows are evenly spaced, compiled once per instruction set. */
#include "interp/blocks/isa_vec_impl.h"
#include "interp/blocks/kernels.h"
#include "interp/elementwise/isa_name.h"

/* Two chains of vectors, so that one addition need not wait for another. */
enum { CHAINS = 2, TURN = CHAINS * LANES_u64 };

/* Returns bits that are set where a number differs; `lanes` is what the first ones of a row differ by
 * from `first`. */
TG_INLINE uint64_t row_differs(const tg_spaced_rows *r, const int64_t *row, uint64_t first,
                               const vec_u64 *lanes)
{
    const uint64_t step = (uint64_t)r->step;
    vec_u64 wanted[CHAINS], differs = {0};
    uint64_t any = 0;
    int64_t i = 0;
    UNROLLED for (int c = 0; c < CHAINS; c++) wanted[c] = lanes[c] + first;
    for (; i + TURN <= r->count; i += TURN) UNROLLED for (int c = 0; c < CHAINS; c++)
        {
            differs |= load_u64((const uint64_t *)row + i + c * LANES_u64) ^ wanted[c];
            wanted[c] += TURN * step;
        }
    for (; i < r->count; i++) any |= (uint64_t)row[i] ^ (first + (uint64_t)i * step);
    UNROLLED for (int lane = 0; lane < LANES_u64; lane++) any |= differs[lane];
    return any;
}

bool TG_ISA_NAME(tg_rows_are_spaced)(const tg_spaced_rows *r)
{
    vec_u64 lanes[CHAINS];
    uint64_t first = (uint64_t)r->first;
    const int64_t *row = r->rows;
    for (int lane = 0; lane < TURN; lane++)
        lanes[lane / LANES_u64][lane % LANES_u64] = (uint64_t)lane * (uint64_t)r->step;
    for (int64_t n = 0; n < r->row_count; n++) {
        if (row_differs(r, row, first, lanes)) return false;
        row += r->row_apart;
        first += (uint64_t)r->row_step;
    }
    return true;
}
