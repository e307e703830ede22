/* Sums and products of integers without overflow, to find out whether the result of a reduction, a
 * scan or a dot is the true value. */
#ifndef TG_CHECKS_UNDEFINED_EXACT_H
#define TG_CHECKS_UNDEFINED_EXACT_H

#include "interp/state/machine.h"
#include "ir/view.h"

__extension__ typedef __int128 tg_i128;

/* A sum or a product under construction. */
typedef struct tg_exact {
    /* is_zero and is_beyond, of a product: a factor is 0; the magnitude exceeds 2^64. */
    bool is_product, is_zero, is_beyond;
    tg_i128 high, low; /* a sum: high * 2^64 + low; a product: low */
} tg_exact;

/* Returns an empty one, for the op that is repeated: TG_OP_add or TG_OP_mul. */
tg_exact tg_exact_begin(tg_opcode step);

/* Adds an integer to a sum, or multiplies a product by it. */
void tg_exact_take(tg_exact *exact, int64_t value);

/* Adds the product of two integers to a sum. */
void tg_exact_add_product(tg_exact *exact, int64_t a, int64_t b);

/* Returns whether the result is a value of the dtype.  Intermediate results may wrap around: the
 * final result is right if it fits, in any order of the additions. */
bool tg_exact_fits(const tg_exact *exact, tg_dtype dtype);

/* Returns whether the instruction computes such sums or products of signed integers. */
bool tg_exact_may_fail(const tg_inst *inst);

/* Returns element `at` of signed carriers. */
int64_t tg_signed_at(const void *elements, tg_dtype dtype, int64_t at);

/* Returns whether the sum or product of all elements of the view wraps around. */
bool tg_exact_reduction_fails(const tg_inst *inst, const tg_view *lanes);

/* Returns whether an element of a dot wraps around, given its batch, row and column; or its sum
 * with what the dot adds to it. */
bool tg_exact_dot_fails(const tg_machine *m, const struct tg_inst_dot *dot, int64_t batch,
                        int64_t row, int64_t column);

#endif
