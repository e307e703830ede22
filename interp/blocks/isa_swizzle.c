/* Rows of pieces of 16 bytes that a swizzle has permuted, compiled once per instruction set.  Two
 * neighbours stay neighbours, so that they move as one, swapped or not. */
#include "interp/blocks/isa_vec_impl.h"
#include "interp/blocks/kernels.h"
#include "interp/elementwise/isa_name.h"

typedef uint64_t pair __attribute__((vector_size(2 * TG_SWIZZLE_PIECE)));

TG_INLINE void move_row(unsigned char *dense, unsigned char *row, int pairs, unsigned mask,
                        bool is_swapped, bool puts)
{
    UNROLLED for (int i = 0; i < pairs; i++)
    {
        unsigned char *const at = row + ((unsigned)i ^ mask) * sizeof(pair);
        unsigned char *const straight = dense + (size_t)i * sizeof(pair);
        pair p;
        memcpy(&p, puts ? straight : at, sizeof p);
        if (is_swapped) p = VEC_PICK(pair, p, p, 2, 3, 0, 1);
        memcpy(puts ? at : straight, &p, sizeof p);
    }
}

TG_INLINE void move_rows(const tg_swizzled_rows *rows, unsigned char *dense, int pieces, bool puts)
{
    for (int64_t r = 0; r < rows->count; r++, dense += pieces * TG_SWIZZLE_PIECE) {
        const int64_t first = rows->runs[r * pieces] * rows->element_bytes;
        const unsigned mask = (unsigned)(first / TG_SWIZZLE_PIECE) % (unsigned)pieces;
        unsigned char *const row = rows->data + first - mask * TG_SWIZZLE_PIECE;
        if (mask % 2)
            move_row(dense, row, pieces / 2, mask / 2, true, puts);
        else
            move_row(dense, row, pieces / 2, mask / 2, false, puts);
    }
}

TG_INLINE void move(const tg_swizzled_rows *rows, unsigned char *dense, bool puts)
{
    switch (rows->pieces) {
    case 2: move_rows(rows, dense, 2, puts); return;
    case 4: move_rows(rows, dense, 4, puts); return;
    case 8: move_rows(rows, dense, 8, puts); return;
    default: break;
    }
}

static void get(const tg_swizzled_rows *rows, unsigned char *dense) { move(rows, dense, false); }
static void put(const tg_swizzled_rows *rows, unsigned char *dense) { move(rows, dense, true); }

tg_swizzle_fn *const TG_ISA_NAME(tg_swizzle_moves)[] = {get, put};
