#include "bounds/contract.h"

#include <string.h>

/* The columns of bounds/functions.def. */
enum { NONE, OPENCL, CUDA, XLA, TABLE_COUNT };

enum { KEPT, FLUSHED };

static const double functions[TABLE_COUNT][TG_OP_COUNT] = {
#define TG_FUNCTION(op, opencl, cuda, xla)                                                         \
    [OPENCL][TG_OP_##op] = opencl, [CUDA][TG_OP_##op] = cuda, [XLA][TG_OP_##op] = xla,
#include "bounds/functions.def"
};

static const tg_contract contracts[] = {
#define TG_CONTRACT(name, sums, ulp, elementary, table, subnormal, about, source)                  \
    {name, TG_SUM_##sums, ulp, elementary, functions[table], subnormal == FLUSHED, about, source},
#include "bounds/contracts.def"
};

double tg_contract_ulp(const tg_contract *contract, tg_opcode code, bool is_function)
{
    const double listed = contract->functions[code];
    if (listed > 0) return listed;
    return is_function ? contract->elementary : contract->ulp;
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
