#include "bounds/contract.h"

#include <string.h>

/* The columns of bounds/functions.def. */
enum { NONE, OPENCL, CUDA, TABLE_COUNT };

static const double functions[TABLE_COUNT][TG_OP_COUNT] = {[OPENCL] =
                                                               {
#define TG_FUNCTION(op, opencl, cuda) [TG_OP_##op] = opencl,
#include "bounds/functions.def"
                                                               },
                                                           [CUDA] = {
#define TG_FUNCTION(op, opencl, cuda) [TG_OP_##op] = cuda,
#include "bounds/functions.def"
                                                           }};

static const tg_contract contracts[] = {
#define TG_CONTRACT(name, sums, ulp, elementary, table, about, source)                             \
    {name, TG_SUM_##sums, ulp, elementary, functions[table], about, source},
#include "bounds/contracts.def"
};

double tg_contract_ulp(const tg_contract *contract, tg_opcode code, bool is_function)
{
    const double listed = contract->functions[code];
    if (listed > 0) return listed;
    return is_function ? contract->elementary : contract->ulp;
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
