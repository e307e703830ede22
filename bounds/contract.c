#include "bounds/contract.h"

#include <string.h>

static const tg_contract contracts[] = {
#define TG_CONTRACT(name, sums, ulp, elementary, about, source)                                    \
    {name, TG_SUM_##sums, ulp, elementary, about, source},
#include "bounds/contracts.def"
};

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
