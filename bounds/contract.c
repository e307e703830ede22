#include "bounds/contract.h"

#include <math.h>
#include <string.h>

/* The columns of bounds/functions.def. */
enum { NONE, OPENCL, CUDA, XLA, TABLE_COUNT };

enum { KEPT, FLUSHED, OWN, IN_F32 };

static const double functions[TABLE_COUNT][TG_OP_COUNT] = {
#define TG_FUNCTION(op, opencl, cuda, xla)                                                         \
    [OPENCL][TG_OP_##op] = opencl, [CUDA][TG_OP_##op] = cuda, [XLA][TG_OP_##op] = xla,
#include "bounds/functions.def"
};

static const tg_contract contracts[] = {
#define TG_CONTRACT(name, sums, ulp, elementary, table, subnormal, narrow, about, source)          \
    {name,                                                                                         \
     TG_SUM_##sums,                                                                                \
     ulp,                                                                                          \
     elementary,                                                                                   \
     functions[table],                                                                             \
     narrow == IN_F32,                                                                             \
     subnormal == FLUSHED,                                                                         \
     about,                                                                                        \
     source},
#include "bounds/contracts.def"
};

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

bool tg_contract_flushes(const tg_contract *contract, tg_dtype dtype)
{
    return contract && contract->flushes && tg_is_float(dtype) &&
           tg_dtypes[dtype].exp_bits >= tg_dtypes[TG_DT_f32].exp_bits &&
           tg_dtypes[dtype].man_bits > 0;
}

const tg_contract *tg_contract_at(size_t i)
{
    return i < sizeof contracts / sizeof *contracts ? &contracts[i] : NULL;
}

const tg_contract *tg_contract_find(const char *name)
{
    for (size_t i = 0; tg_contract_at(i); i++)
        if (strcmp(contracts[i].name, name) == 0) return &contracts[i];
    return NULL;
}
