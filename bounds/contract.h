/* Contracts: what an implementation of a kernel may do to its numbers.
 *
 * A contract is a promise about each single operation.  From it and the kernel follows, for each
 * element of an output, how far a conforming result may be from the exact one. */
#ifndef TG_BOUNDS_CONTRACT_H
#define TG_BOUNDS_CONTRACT_H

#include "ir/op.h"

/* In the place of a dtype: any. */
enum { TG_ANY_DTYPE = TG_DT_COUNT };

/* At most so many ranges of the operand have figures of their own. */
enum { TG_MOST_RANGES = 8 };

/* The order of the additions in a sum. */
typedef enum tg_sum_order {
    TG_SUM_TREE,   /* pairs, pairs of pairs, ...: n elements in ceil(log2 n) levels */
    TG_SUM_ANY,    /* any */
    TG_SUM_BLOCKED /* blocks of so many elements in any order, then the blocks in any order */
} tg_sum_order;

/* What becomes of NaN. */
typedef enum tg_nan_rule {
    TG_NAN_STRICT, /* operations have NaN where exact arithmetic has it, and nowhere else */
    TG_NAN_REDUCE, /* reductions by max and min may leave NaN out */
    TG_NAN_SKIP,   /* max and min of a NaN and a number may be the number */
    TG_NAN_ANY     /* nothing is promised where an operation has a NaN as operand or result */
} tg_nan_rule;

/* The error of an op where the size of its first operand x is in [from, to]:
 * (ulp + ulp_per_operand |x|) units in the last place of the result, and
 * absolute + absolute_per_operand |x|.  An op has figures for ranges that follow one another. */
typedef struct tg_accuracy {
    const char *contract; /* NULL: the one that has the row */
    tg_opcode op;
    tg_dtype dtype; /* of the result; TG_ANY_DTYPE: those without a row of their own */
    double from, to;
    double ulp, ulp_per_operand, absolute, absolute_per_operand;
    const char *source; /* NULL: there is none */
} tg_accuracy;

/* The format in which terms are added, or to which operands are rounded. */
typedef struct tg_format {
    int exp_bits, man_bits; /* 0 and 0: that of the result */
    bool truncates;         /* rounds to one of both neighbours, not to the nearer one */
} tg_format;

/* In which format the terms of sums or of products of matrices are added. */
typedef struct tg_accumulator {
    const char *contract; /* NULL: the one that has the row */
    bool of_dot;
    tg_dtype operands; /* TG_ANY_DTYPE: those without a row of their own, but not f64 */
    tg_format format;
    /* So many terms are added in one step, after all were cut to the lowest bit of the greatest of
     * them; 0: terms are added one by one. */
    int aligned;
    const char *source;
} tg_accumulator;

/* To which format operands of products of matrices may be rounded, unless the op asks for the
 * highest precision. */
typedef struct tg_operand_format {
    const char *contract;
    tg_dtype dtype;
    tg_format format;
    const char *source;
} tg_operand_format;

typedef struct tg_contract {
    const char *name;
    tg_sum_order sums; /* of reduce_sum; the terms of a dot product are always in any order */
    double ulp;        /* add, sub, mul, div, sqrt, conversions; 0.5: rounded to nearest */
    double elementary; /* the other functions of one or two numbers, in ULP */
    /* Of each op the figure of a published table, which counts instead; 0: it has none. */
    const double *functions;
    bool narrow_in_f32; /* functions of narrower dtypes are computed in f32, and rounded */
    bool flushes;       /* numbers below the least normal one may be taken for 0 */
    const char *about, *source;
    tg_nan_rule nan;
    int64_t block; /* elements of a block, for TG_SUM_BLOCKED */
    /* Figures that count before those above. */
    const tg_accuracy *accuracies;
    const tg_accumulator *accumulators;
    const tg_operand_format *operands;
    size_t accuracy_count, accumulator_count, operand_count;
} tg_contract;

/* The contract of that name (bounds/contracts.def); NULL: there is none. */
const tg_contract *tg_contract_find(const char *name);

/* The error of an operation in ULP of the dtype: of a function, or of one that is usually rounded
 * to nearest.  Not of one that has rows of tg_accuracy. */
double tg_contract_ulp(const tg_contract *contract, tg_opcode code, bool is_function,
                       tg_dtype dtype);

/* Whether contracts may list an op by ranges: a function of floats, element by element. */
bool tg_contract_may_list(tg_opcode code);

/* Finds the rows of an op of a dtype, in the order of the table: those of that dtype or, if there
 * are none, those of any.  Returns their number, at most TG_MOST_RANGES. */
size_t tg_contract_accuracies(const tg_contract *contract, tg_opcode code, tg_dtype dtype,
                              const tg_accuracy *out[TG_MOST_RANGES]);

/* The accumulator of sums or of products of matrices of a dtype, or NULL: f32 of products of
 * matrices, f64 of those of f64, and the result's dtype of sums. */
const tg_accumulator *tg_contract_accumulator(const tg_contract *contract, bool of_dot,
                                              tg_dtype operands);

/* To what operands of products of matrices may be rounded, or NULL: they are not. */
const tg_operand_format *tg_contract_operand(const tg_contract *contract, tg_dtype dtype);

/* Whether the contract lets subnormal numbers of a dtype be taken for 0: of those as wide as f32 in
 * range, as narrower ones are computed in f32. */
bool tg_contract_flushes(const tg_contract *contract, tg_dtype dtype);

/* The contracts in the order of the table; NULL after the last. */
const tg_contract *tg_contract_at(size_t i);

#endif
