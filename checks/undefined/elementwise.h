/* Shadow rules of element-wise ops. */
#ifndef TG_CHECKS_UNDEFINED_ELEMENTWISE_H
#define TG_CHECKS_UNDEFINED_ELEMENTWISE_H

#include "checks/undefined/step_trail.h"

/* One element-wise op over a strip. */
typedef struct tg_group_op_shadow {
    const tg_group_op *op;
    const uint32_t *words[TG_MAX_OP_INPUTS]; /* NULL: all elements are defined */
    const void *values[TG_MAX_OP_INPUTS];    /* carriers, if tg_group_op_needs_values */
    uint32_t *out;                           /* may be one of `words` */
    size_t count;
} tg_group_op_shadow;

/* Computes the words of the results of the op.  At least one operand has words. */
void tg_group_op_rule(const tg_group_op_shadow *shadow, tg_step_trail *step);

#endif
