#include "bounds/contract.h"

#include <math.h>
#include <string.h>

/* The columns of bounds/functions.def. */
enum { NONE, OPENCL, CUDA, XLA, TPU, TOSA, TABLE_COUNT };

enum { KEPT, FLUSHED, OWN, IN_F32, NEAREST, TRUNCATED };

enum { TG_DT_any = TG_ANY_DTYPE };

static const double functions[TABLE_COUNT][TG_OP_COUNT] = {
#define TG_FUNCTION(op, opencl, cuda, xla, tpu, tosa)                                              \
    [OPENCL][TG_OP_##op] = opencl, [CUDA][TG_OP_##op] = cuda, [XLA][TG_OP_##op] = xla,             \
    [TPU][TG_OP_##op] = tpu, [TOSA][TG_OP_##op] = tosa,
#include "bounds/functions.def"
};

static const tg_accuracy accuracies[] = {
#define TG_ACCURACY(contract, op, dtype, from, to, ulp, ulp_per, absolute, absolute_per, source)   \
    {contract,     TG_OP_##op, (tg_dtype)TG_DT_##dtype, from, to, ulp, ulp_per, absolute,          \
     absolute_per, source},
#include "bounds/accuracies.def"
};

static const tg_accumulator accumulators[] = {
#define TG_ACCUMULATOR(contract, of_dot, operands, exp_bits, man_bits, rounding, aligned, source)  \
    {contract, of_dot, (tg_dtype)TG_DT_##operands, {exp_bits, man_bits, rounding == TRUNCATED},    \
     aligned,  source},
#include "bounds/accumulators.def"
};

static const tg_operand_format operand_formats[] = {
#define TG_OPERAND(contract, dtype, exp_bits, man_bits, rounding, source)                          \
    {contract, TG_DT_##dtype, {exp_bits, man_bits, rounding == TRUNCATED}, source},
#include "bounds/accumulators.def"
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const tg_contract contracts[] = {
#define TG_CONTRACT(id, order, basic, other, table, subnormal, narrow, nans, what, where)          \
    {.name = id,                                                                                   \
     .sums = TG_SUM_##order,                                                                       \
     .ulp = basic,                                                                                 \
     .elementary = other,                                                                          \
     .functions = functions[table],                                                                \
     .narrow_in_f32 = (narrow) == IN_F32,                                                          \
     .flushes = (subnormal) == FLUSHED,                                                            \
     .about = what,                                                                                \
     .source = where,                                                                              \
     .nan = TG_NAN_##nans,                                                                         \
     .accuracies = accuracies,                                                                     \
     .accumulators = accumulators,                                                                 \
     .operands = operand_formats,                                                                  \
     .accuracy_count = COUNT(accuracies),                                                          \
     .accumulator_count = COUNT(accumulators),                                                     \
     .operand_count = COUNT(operand_formats)},
#include "bounds/contracts.def"
};

/* Returns whether a row that names a contract, or NULL, is one of this contract. */
static bool is_row_of(const tg_contract *contract, const char *name)
{
    return !name || strcmp(name, contract->name) == 0;
}

double tg_contract_ulp(const tg_contract *contract, tg_opcode code, bool is_function,
                       tg_dtype dtype)
{
    const double listed = contract->functions[code] > 0 ? contract->functions[code]
                          : is_function                 ? contract->elementary
                                                        : contract->ulp;
    const int missing = tg_dtypes[TG_DT_f32].man_bits - tg_dtypes[dtype].man_bits;
    if (!is_function || !contract->narrow_in_f32 || missing <= 0) return listed;
    return 0.5 + ldexp(listed, -missing);
}

bool tg_contract_may_list(tg_opcode code)
{
    switch (code) {
    case TG_OP_add:
    case TG_OP_sub:
    case TG_OP_mul:
    case TG_OP_square:
    case TG_OP_div:
    case TG_OP_sqrt:
    case TG_OP_rsqrt:
    case TG_OP_cbrt:
    case TG_OP_exp:
    case TG_OP_exp2:
    case TG_OP_expm1:
    case TG_OP_log:
    case TG_OP_log2:
    case TG_OP_log1p:
    case TG_OP_pow:
    case TG_OP_sin:
    case TG_OP_cos:
    case TG_OP_tan:
    case TG_OP_asin:
    case TG_OP_acos:
    case TG_OP_atan:
    case TG_OP_atan2:
    case TG_OP_sinh:
    case TG_OP_cosh:
    case TG_OP_tanh:
    case TG_OP_asinh:
    case TG_OP_acosh:
    case TG_OP_atanh:
    case TG_OP_logistic:
    case TG_OP_erf:
    case TG_OP_erf_inv: return true;
    default: return false;
    }
}

size_t tg_contract_accuracies(const tg_contract *contract, tg_opcode code, tg_dtype dtype,
                              const tg_accuracy *out[TG_MOST_RANGES])
{
    size_t count = 0;
    for (size_t i = 0; i < contract->accuracy_count && count < TG_MOST_RANGES; i++) {
        const tg_accuracy *row = &contract->accuracies[i];
        if (row->op == code && row->dtype == dtype && is_row_of(contract, row->contract))
            out[count++] = row;
    }
    if (count > 0 || dtype == (tg_dtype)TG_ANY_DTYPE) return count;
    return tg_contract_accuracies(contract, code, (tg_dtype)TG_ANY_DTYPE, out);
}

const tg_accumulator *tg_contract_accumulator(const tg_contract *contract, bool of_dot,
                                              tg_dtype operands)
{
    const tg_accumulator *found = NULL;
    for (size_t i = 0; i < contract->accumulator_count; i++) {
        const tg_accumulator *row = &contract->accumulators[i];
        if (row->of_dot != of_dot || !is_row_of(contract, row->contract)) continue;
        if (row->operands == operands) return row;
        if (row->operands == (tg_dtype)TG_ANY_DTYPE && operands != TG_DT_f64) found = row;
    }
    return found;
}

const tg_operand_format *tg_contract_operand(const tg_contract *contract, tg_dtype dtype)
{
    for (size_t i = 0; i < contract->operand_count; i++) {
        const tg_operand_format *row = &contract->operands[i];
        if (row->dtype == dtype && is_row_of(contract, row->contract)) return row;
    }
    return NULL;
}

bool tg_contract_flushes(const tg_contract *contract, tg_dtype dtype)
{
    return contract && contract->flushes && tg_is_float(dtype) &&
           tg_dtypes[dtype].exp_bits >= tg_dtypes[TG_DT_f32].exp_bits &&
           tg_dtypes[dtype].man_bits > 0;
}

const tg_contract *tg_contract_at(size_t i) { return i < COUNT(contracts) ? &contracts[i] : NULL; }

const tg_contract *tg_contract_find(const char *name)
{
    for (size_t i = 0; tg_contract_at(i); i++)
        if (strcmp(contracts[i].name, name) == 0) return &contracts[i];
    return NULL;
}
