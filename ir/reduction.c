#include "ir/reduction.h"

#include <math.h>
#include <string.h>

tg_opcode tg_reduction_step(tg_opcode op) { return tg_ops[op].step; }

tg_opcode tg_atomic_op(int64_t kind)
{
    static const tg_opcode ops[] = {TG_OP_COUNT, TG_OP_add, TG_OP_max, TG_OP_min,
                                    TG_OP_and,   TG_OP_or,  TG_OP_xor};
    return ops[kind];
}

/* The greatest value of a float dtype; infinity if it has one. */
static double greatest_float(const tg_dtype_info *info)
{
    const int top = (1 << info->exp_bits) - 1 - info->bias;
    switch (info->special) {
    case TG_SPECIAL_FN: return ldexp(2.0 - ldexp(2.0, -info->man_bits), top);
    case TG_SPECIAL_FINITE:
    case TG_SPECIAL_FNUZ: return ldexp(2.0 - ldexp(1.0, -info->man_bits), top);
    case TG_SPECIAL_E8M0: return ldexp(1.0, top - 1);
    default: return (double)INFINITY;
    }
}

static double float_of_nothing(tg_opcode step, const tg_dtype_info *info)
{
    const double greatest = greatest_float(info);
    const bool positive = info->special == TG_SPECIAL_E8M0;
    switch (step) {
    case TG_OP_mul: return 1;
    case TG_OP_max: return positive ? ldexp(1.0, -info->bias) : -greatest;
    case TG_OP_min: return greatest;
    default: return 0;
    }
}

static uint64_t bits_of_nothing(tg_opcode step, const tg_dtype_info *info)
{
    const uint64_t ones = UINT64_MAX >> (64 - info->bits);
    const bool is_signed = info->kind == TG_KIND_SINT;
    switch (step) {
    case TG_OP_mul: return 1;
    case TG_OP_and: return is_signed ? UINT64_MAX : ones;
    case TG_OP_max: return is_signed ? ~(ones >> 1) : 0;
    case TG_OP_min: return is_signed ? ones >> 1 : ones;
    default: return 0;
    }
}

void tg_reduction_of_nothing(tg_opcode step, tg_dtype dtype, void *out)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    const double real = float_of_nothing(step, info);
    const float single = (float)real;
    const uint64_t bits = bits_of_nothing(step, info);
    switch (info->carrier) {
    case TG_C_f32: memcpy(out, &single, sizeof single); break;
    case TG_C_f64: memcpy(out, &real, sizeof real); break;
    case TG_C_i64:
    case TG_C_u64: *(uint64_t *)out = bits; break;
    case TG_C_i32:
    case TG_C_u32: *(uint32_t *)out = (uint32_t)bits; break;
    case TG_C_i16:
    case TG_C_u16: *(uint16_t *)out = (uint16_t)bits; break;
    default: *(uint8_t *)out = (uint8_t)bits; break;
    }
}
