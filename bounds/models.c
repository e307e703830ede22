#include "bounds/models.h"

#include "bounds/contract_model.h"
#include "bounds/profile_model.h"

const tg_bound_model *tg_bound_model_of(const tg_bound *b)
{
    return b->contract ? &tg_contract_model : &tg_profile_model;
}
