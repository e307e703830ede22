/* Products that name the instruction which multiplies: what it demands of its operands. */
#ifndef TG_PHYSICAL_PRODUCTS_H
#define TG_PHYSICAL_PRODUCTS_H

#include "physical/demand.h"
#include "physical/fragments.h"

/* A dot_general of two matrices, D (m, n) = A (m, k) B (k, n), or a dot_start. */
typedef struct tg_matrix_product {
    int64_t m, n, k;
    int bits; /* of an element of A and B */
    bool is_integer;
    int k_of_a, k_of_b; /* their dimension that is contracted */
} tg_matrix_product;

tg_matrix_product tg_matrix_product_of(const tg_kernel *kernel, const tg_op *op);

/* The registers that the instruction takes an operand from, 0 or 1, which is held as `is`: those, if they
 * are in the right threads, whatever their names, else those that it would want.  `*takes` is false if it
 * does not take the operand from registers, or if the kernel does not say where the result is held.
 * TG_ERR_UNSUPPORTED or TG_ERR_INVALID with the reason if the instruction cannot hold the result there, so
 * that no operands belong to it. */
tg_status tg_product_takes(const tg_kernel *kernel, const tg_op *op, uint32_t operand,
                           const tg_axe *is, bool *takes, tg_axe *out, tg_diags *diags);

/* Checks a dot_general or dot_start with an `instruction`. */
void tg_product_check(tg_demands *d, const tg_op *op);

#endif
