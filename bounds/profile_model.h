/* The error model of profiles: fast against reference. */
#ifndef TG_BOUNDS_PROFILE_MODEL_H
#define TG_BOUNDS_PROFILE_MODEL_H

#include "bounds/model.h"

extern const tg_bound_model tg_profile_model;

#endif
