/* Reads single members of contracts. */
#ifndef TG_LOADERS_CONTRACT_MEMBER_H
#define TG_LOADERS_CONTRACT_MEMBER_H

#include "loaders/json_value.h"

/* Reads a number in [least, most]. */
bool tg_contract_number(tg_json_reader *r, const cJSON *item, const tg_path *at, double least,
                        double most, double *out);

/* Reads the member `source` of a figure into the arena; NULL where it is null: there is none. */
bool tg_contract_source(tg_json_reader *r, const cJSON *object, const tg_path *at,
                        const char **out);

/* Returns the place of the member `key`, a string, in a list that ends with NULL, or -1. */
int tg_contract_choice(tg_json_reader *r, const cJSON *object, const tg_path *at, const char *key,
                       const char *const *choices);

#endif
