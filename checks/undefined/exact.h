/* Sums and products of integers without a limit: whether what a reduction, a scan or a dot leaves
 * is their true value. */
#ifndef TG_CHECKS_UNDEFINED_EXACT_H
#define TG_CHECKS_UNDEFINED_EXACT_H

#include "interp/state/machine.h"
#include "ir/view.h"

__extension__ typedef __int128 tg_i128;

/* A sum or a product that is being made. */
typedef struct tg_exact {
    bool is_product, is_zero,
        is_beyond; /* the last two of a product: of a factor 0, of more than 2^64 in magnitude */
    tg_i128 high, low; /* a sum: high * 2^64 + low; a product: low */
} tg_exact;

/* An empty one, of the op that is repeated: TG_OP_add or TG_OP_mul. */
tg_exact tg_exact_begin(tg_opcode step);

/* Adds an integer, or multiplies by it. */
void tg_exact_take(tg_exact *exact, int64_t value);

/* Adds a product. */
void tg_exact_add_product(tg_exact *exact, int64_t a, int64_t b);

/* Whether it is a value of the dtype.  What wraps around on its way and comes back is right in the
 * end, in whatever order it is made. */
bool tg_exact_fits(const tg_exact *exact, tg_dtype dtype);

/* Whether the instruction makes such sums or products of signed integers. */
bool tg_exact_may_fail(const tg_inst *inst);

/* Element `at` of signed carriers. */
int64_t tg_signed_at(const void *elements, tg_dtype dtype, int64_t at);

/* Whether the sum or product of all elements of the view wraps around. */
bool tg_exact_reduction_fails(const tg_inst *inst, const tg_view *lanes);

/* Whether the element of a dot in that batch, row and column does, or the sum with what is added to
 * it. */
bool tg_exact_dot_fails(const tg_machine *m, const struct tg_inst_dot *dot, int64_t batch,
                        int64_t row, int64_t column);

#endif
