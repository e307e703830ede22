/* Block mappings: which part of a param's array a program gets. */
#ifndef TG_VERIFY_MAPPING_H
#define TG_VERIFY_MAPPING_H

#include "verify/impl.h"

/* Whether the block of `p`, a param that lies at v->at, can be used at all. */
bool tg_verify_block(const tg_verifier *v, const tg_param *p);

/* The type of the reference to one block of the param's array. */
tg_type tg_block_ref(const tg_param *p);

/* Checks the index map of `p`, a param of v->kernel that lies at v->at, if it has one. */
void tg_verify_index_map(const tg_verifier *v, const tg_param *p);

#endif
