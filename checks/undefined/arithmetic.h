/* Where arithmetic may go wrong, and where it does: signed integers that wrap around, floats
 * converted to integers that cannot hold them.  What becomes of such results is the business of
 * shadows (undefined.c). */
#ifndef TG_CHECKS_UNDEFINED_ARITHMETIC_H
#define TG_CHECKS_UNDEFINED_ARITHMETIC_H

#include "checks/undefined/kind.h"
#include "plan/plan.h"

/* The instructions of a plan in which it may. */
typedef struct tg_arithmetic {
    const tg_plan *plan;
    /* Per instruction NULL, or of a group per op and then per input whether its values are asked
     * for. */
    bool **body;
    bool ***maps;   /* likewise, per param */
    bool is_needed; /* there is such an instruction */
} tg_arithmetic;

/* `kind` is not TG_SHADOW_UNDEFINED.  For TG_SHADOW_OVERFLOW only those count whose results may
 * become part of an address.  False without memory; in either case to be freed. */
bool tg_arithmetic_init(tg_arithmetic *arithmetic, const tg_plan *plan, tg_shadow_kind kind);
void tg_arithmetic_free(tg_arithmetic *arithmetic);

/* Not NULL where something can go wrong; of a group: per lane and then per input whether its values
 * are asked for. */
const bool *tg_arithmetic_ops(const tg_arithmetic *arithmetic, const tg_inst *inst);

/* Whether the op can give a wrong result of this kind at all. */
bool tg_arithmetic_may_fail(const tg_group_op *op, tg_shadow_kind kind);

/* Whether it does, for element `at` of its operands, which are carriers. */
bool tg_arithmetic_fails(const tg_group_op *op, const void *const *operands, size_t at);

/* For any of the first `count`. */
bool tg_arithmetic_any_fails(const tg_group_op *op, const void *const *operands, size_t count);

#endif
