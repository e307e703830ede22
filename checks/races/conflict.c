#include "checks/races/conflict.h"

int tg_race_rank(const tg_race_conflict *c)
{
    const bool writes = tg_race_kind_of(c->sides[0].site) == TG_RACE_WRITE &&
                        tg_race_kind_of(c->sides[1].site) == TG_RACE_WRITE;
    return writes ? c->differs ? 1 : 0 : 2;
}

int64_t tg_race_first_program(const tg_race_conflict *c)
{
    const int64_t a = c->sides[0].program, b = c->sides[1].program;
    return a < b ? a : b;
}
