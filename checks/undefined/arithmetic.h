/* Where arithmetic may go wrong, and where it does: signed integers that wrap around, and floats
 * that are converted to integers that cannot hold them.  Shadows follow such results
 * (undefined.c). */
#ifndef TG_CHECKS_UNDEFINED_ARITHMETIC_H
#define TG_CHECKS_UNDEFINED_ARITHMETIC_H

#include "checks/undefined/kind.h"
#include "plan/plan.h"

/* The instructions of a plan in which arithmetic may go wrong. */
typedef struct tg_arithmetic {
    const tg_plan *plan;
    /* Per instruction: NULL, or, for a group, flags per op and input: whether the values of the
     * input are needed. */
    bool **body;
    bool ***maps;   /* likewise, per param */
    bool is_needed; /* there is such an instruction */
} tg_arithmetic;

/* `kind` is not TG_SHADOW_UNDEFINED.  For TG_SHADOW_OVERFLOW, only instructions count whose results
 * may become part of an address.  Returns false if memory runs out.  The caller calls
 * tg_arithmetic_free in either case. */
bool tg_arithmetic_init(tg_arithmetic *arithmetic, const tg_plan *plan, tg_shadow_kind kind);
void tg_arithmetic_free(tg_arithmetic *arithmetic);

/* Returns NULL if nothing can go wrong in the instruction.  For a group, returns flags per op and
 * input: whether the values of the input are needed. */
const bool *tg_arithmetic_ops(const tg_arithmetic *arithmetic, const tg_inst *inst);

/* Returns whether the op can give a wrong result of this kind at all. */
bool tg_arithmetic_may_fail(const tg_group_op *op, tg_shadow_kind kind);

/* Returns whether the result for element `at` of the operands, which are carriers, is wrong. */
bool tg_arithmetic_fails(const tg_group_op *op, const void *const *operands, size_t at);

/* Returns whether the result for any of the first `count` elements is wrong. */
bool tg_arithmetic_any_fails(const tg_group_op *op, const void *const *operands, size_t count);

#endif
