/* Rows of pieces of 16 bytes that a swizzle has permuted, compiled once per instruction set.  Two
 * neighbours stay neighbours, so that they move as one, swapped or not. */
#include "interp/blocks/isa_vec_impl.h"
#include "interp/blocks/kernels.h"
#include "interp/elementwise/isa_name.h"

typedef uint64_t pair __attribute__((vector_size(2 * TG_SWIZZLE_PIECE)));

enum { MOST_PAIRS = 4 };

/* Loads the row before it stores it: a load that follows a store to the same place of another page would
 * wait for it. */
TG_INLINE void move_row(unsigned char *dense, unsigned char *row, int pairs, unsigned mask,
                        bool is_swapped, bool puts)
{
    pair p[MOST_PAIRS];
    UNROLLED for (int i = 0; i < pairs; i++)
        memcpy(&p[i], puts ? dense + (size_t)i * sizeof *p : row + ((unsigned)i ^ mask) * sizeof *p,
               sizeof *p);
    UNROLLED for (int i = 0; i < pairs; i++)
    {
        if (is_swapped) p[i] = VEC_PICK(pair, p[i], p[i], 2, 3, 0, 1);
        memcpy(puts ? row + ((unsigned)i ^ mask) * sizeof *p : dense + (size_t)i * sizeof *p, &p[i],
               sizeof *p);
    }
}

/* Moves whole turns of rows: in each, every k comes in its order, so that it is a constant here.
 * Returns how many rows that are. */
TG_INLINE int64_t move_turns(const tg_swizzled_rows *rows, unsigned char *dense, int pieces,
                             bool puts)
{
    const int64_t turn = rows->repeat * rows->kinds;
    const int32_t *first = rows->runs;
    int64_t done = 0;
    if (!turn) return 0;
    for (; done + turn <= rows->count; done += turn) UNROLLED for (int k = 0; k < pieces; k++)
        {
            if (k == rows->kinds) break;
            for (int64_t i = 0; i < rows->repeat; i++, first += pieces) {
                move_row(dense, rows->data + *first * rows->element_bytes - k * TG_SWIZZLE_PIECE,
                         pieces / 2, (unsigned)k / 2, k % 2, puts);
                dense += pieces * TG_SWIZZLE_PIECE;
            }
        }
    return done;
}

TG_INLINE void move_rows(const tg_swizzled_rows *rows, unsigned char *dense, int pieces, bool puts)
{
    int64_t r = move_turns(rows, dense, pieces, puts);
    dense += r * pieces * TG_SWIZZLE_PIECE;
    for (; r < rows->count; r++, dense += pieces * TG_SWIZZLE_PIECE) {
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
