#include "checks/undefined/values.h"

/* Returns the bitwise op that the op is on bits, if there is one. */
static tg_opcode bits_op(tg_opcode op, tg_dtype dtype)
{
    if (dtype == TG_DT_bool && op == TG_OP_max) return TG_OP_or;
    if (dtype == TG_DT_bool && op == TG_OP_min) return TG_OP_and;
    return op;
}

bool tg_absorbing_byte(tg_opcode op, tg_dtype dtype, unsigned *byte)
{
    const int bits = tg_dtypes[dtype].bits;
    const tg_opcode on_bits = bits_op(op, dtype);
    *byte = 0;
    if (on_bits == TG_OP_and) return true;
    /* Signed ints of less than 8 bits are sign-extended to the byte of the carrier, others are
     * zero-extended. */
    *byte = bits >= 8 || tg_is_signed(dtype) ? 0xff : (1U << bits) - 1;
    return on_bits == TG_OP_or;
}

bool tg_group_op_needs_values(const tg_group_op *op)
{
    unsigned byte;
    return op->op == TG_OP_select || tg_is_shift(op->op) ||
           tg_absorbing_byte(op->op, op->dtype, &byte);
}
