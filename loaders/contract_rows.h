/* Reads the lists of contracts: errors by ranges, accumulators, formats of operands. */
#ifndef TG_LOADERS_CONTRACT_ROWS_H
#define TG_LOADERS_CONTRACT_ROWS_H

#include "bounds/contract.h"
#include "loaders/json_value.h"

/* Reads the lists of a contract, each of which may be missing, into the arena.  Reports problems
 * and returns false. */
bool tg_contract_read_rows(tg_json_reader *r, const cJSON *root, tg_contract *out);

#endif
