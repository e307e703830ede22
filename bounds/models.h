/* Which error model counts. */
#ifndef TG_BOUNDS_MODELS_H
#define TG_BOUNDS_MODELS_H

#include "bounds/model.h"

/* Returns the model of the contract or, without one, of profile fast. */
const tg_bound_model *tg_bound_model_of(const tg_bound *b);

#endif
