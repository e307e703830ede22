/* Reads contracts from JSON.  docs/bounds.md describes the members, docs/contract.schema.json the
 * form. */
#ifndef TG_LOADERS_CONTRACT_JSON_H
#define TG_LOADERS_CONTRACT_JSON_H

#include "base/arena.h"
#include "base/diag.h"
#include "bounds/contract.h"

/* A contract of a text.  Owns all that the contract points to. */
typedef struct tg_contract_text {
    tg_arena arena;
    tg_contract contract;
} tg_contract_text;

/* Reads a contract.  Returns TG_ERR_SYNTAX for what is not JSON, TG_ERR_INVALID for members that are
 * unknown, missing or out of range, each reported with its path and byte offset, or
 * TG_ERR_NO_MEMORY.  The caller ends with tg_contract_text_free, also after a failure. */
tg_status tg_contract_text_read(const char *text, size_t length, tg_contract_text *out,
                                tg_diags *diags);

void tg_contract_text_free(tg_contract_text *read);

#endif
