/* Values that shadow rules read: for which ops, and which values decide a result. */
#ifndef TG_CHECKS_UNDEFINED_VALUES_H
#define TG_CHECKS_UNDEFINED_VALUES_H

#include "plan/plan.h"

/* Returns whether the rule for the shadow of the op's result reads the values of its operands. */
bool tg_group_op_needs_values(const tg_group_op *op);

/* Returns whether one value of a byte in an operand decides the byte of the result alone, and sets
 * *byte to that value. */
bool tg_absorbing_byte(tg_opcode op, tg_dtype dtype, unsigned *byte);

static inline bool tg_is_shift(tg_opcode op)
{
    return op == TG_OP_shift_left || op == TG_OP_shift_right_logical ||
           op == TG_OP_shift_right_arithmetic;
}

/* Returns an element in its carrier as bits, zero-extended. */
static inline uint64_t tg_carrier_bits(const void *elements, size_t bytes, int64_t at)
{
    switch (bytes) {
    case 1: return ((const uint8_t *)elements)[at];
    case 2: return ((const uint16_t *)elements)[at];
    case 4: return ((const uint32_t *)elements)[at];
    default: return ((const uint64_t *)elements)[at];
    }
}

#endif
