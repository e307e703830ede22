/* Operands of multiplications in the registers of the threads that perform them. */
#ifndef TG_PHYSICAL_FRAGMENTS_H
#define TG_PHYSICAL_FRAGMENTS_H

#include "layout/axe.h"

typedef enum tg_multiplier { TG_MULTIPLIER_mma, TG_MULTIPLIER_wgmma } tg_multiplier;
typedef enum tg_matrix { TG_MATRIX_A, TG_MATRIX_B, TG_MATRIX_D } tg_matrix;

/* The part of an operand that one instruction takes. */
typedef struct tg_fragment_tile {
    int64_t rows, columns;
    const char *layout; /* of that part, row-major */
} tg_fragment_tile;

/* Finds the row of physical/fragments.def; NULL if there is none: an operand that is not in registers, or
 * elements that the instruction does not take. */
const tg_fragment_tile *tg_fragment_find(tg_multiplier multiplier, int bits, tg_matrix matrix);

/* The layout of a matrix of tiles, each laid out within as the tile says, and where `is` has it.
 * TG_ERR_INVALID if the tiles do not make up the matrix, TG_ERR_UNSUPPORTED if they cannot be told apart in
 * `is`. */
tg_status tg_fragment_tiled(const tg_fragment_tile *tile, int64_t rows, int64_t columns,
                            const tg_axe *is, tg_axe *out, tg_diags *diags);

/* D (m, n) += A (m, k) B (k, n), of elements of A and B of `bits`. */
typedef struct tg_product_size {
    tg_multiplier multiplier;
    int bits;
    int64_t m, n, k;
} tg_product_size;

/* The layouts that a multiplication wants, so that the threads that hold an element of D hold what it is
 * made of.  `d` is the layout of D: its tiles of one instruction may be in any warps, or warpgroups, and
 * registers, of which several may have the same tile.
 *
 *   D       tiles where those of `d` are, laid out within as the instruction does
 *   A, B    tiles in all warps that have a tile of D of the same rows, or columns; registers are
 *           numbered tile by tile, and the numbers of a tile are no demand
 *
 * TG_ERR_INVALID with the reason if the sizes are no multiples of the instruction's; TG_ERR_UNSUPPORTED if
 * no tiles of D can be told apart in `d`. */
tg_status tg_fragment_want(const tg_product_size *size, tg_matrix matrix, const tg_axe *d,
                           tg_axe *out, tg_diags *diags);

#endif
