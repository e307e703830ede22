/* Contracts: what an implementation of a kernel may do to its numbers.
 *
 * A contract is a promise about each single operation.  From it and the kernel follows, for each
 * element of an output, how far a conforming result may be from the exact one. */
#ifndef TG_BOUNDS_CONTRACT_H
#define TG_BOUNDS_CONTRACT_H

#include "ir/op.h"

/* The order of the additions in a sum. */
typedef enum tg_sum_order {
    TG_SUM_TREE, /* pairs, pairs of pairs, ...: n elements in ceil(log2 n) levels */
    TG_SUM_ANY   /* any */
} tg_sum_order;

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
} tg_contract;

/* The contract of that name (bounds/contracts.def); NULL: there is none. */
const tg_contract *tg_contract_find(const char *name);

/* The error of an operation in ULP of the dtype: of a function, or of one that is usually rounded
 * to nearest. */
double tg_contract_ulp(const tg_contract *contract, tg_opcode code, bool is_function,
                       tg_dtype dtype);

/* Whether the contract lets subnormal numbers of a dtype be taken for 0: of those as wide as f32 in
 * range, as narrower ones are computed in f32. */
bool tg_contract_flushes(const tg_contract *contract, tg_dtype dtype);

/* The contracts in the order of the table; NULL after the last. */
const tg_contract *tg_contract_at(size_t i);

#endif
