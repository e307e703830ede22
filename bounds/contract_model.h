/* The error model of contracts: an implementation against exact arithmetic. */
#ifndef TG_BOUNDS_CONTRACT_MODEL_H
#define TG_BOUNDS_CONTRACT_MODEL_H

#include "bounds/model.h"

extern const tg_bound_model tg_contract_model;

#endif
