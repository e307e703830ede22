/* Checks block mappings: which part of a param's array a program gets. */
#ifndef TG_VERIFY_MAPPING_H
#define TG_VERIFY_MAPPING_H

#include "verify/impl.h"

/* Checks that other code can use the block of `p`, a param at the path v->at. */
bool tg_verify_block(const tg_verifier *v, const tg_param *p);

/* Returns the type of the reference to one block of the param's array. */
tg_type tg_block_ref(const tg_param *p);

/* Checks the index map of `p`, a param of v->kernel at the path v->at, if it has one. */
void tg_verify_index_map(const tg_verifier *v, const tg_param *p);

#endif
