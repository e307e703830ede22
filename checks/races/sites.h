/* Sites: what an op of a kernel does to memory, as a number.  The number is that of the
 * instruction, counted through the body and then the index maps, times TG_RACE_KINDS, plus the kind
 * of access. */
#ifndef TG_CHECKS_RACES_SITES_H
#define TG_CHECKS_RACES_SITES_H

#include "plan/plan.h"

/* The kind of access. */
typedef enum tg_race_kind {
    TG_RACE_READ,
    TG_RACE_WRITE,
    TG_RACE_ATOMIC,
    TG_RACE_ATOMIC_READ,
    TG_RACE_KINDS
} tg_race_kind;

static inline tg_race_kind tg_race_kind_of(uint32_t site)
{
    return (tg_race_kind)(site % TG_RACE_KINDS);
}

static inline bool tg_race_is_atomic(uint32_t site)
{
    return tg_race_kind_of(site) >= TG_RACE_ATOMIC;
}

/* The instruction lists of the plan: the body, then the index map of each parameter. */
uint32_t tg_race_code_count(const tg_plan *plan);
const tg_code *tg_race_code(const tg_plan *plan, uint32_t i);

/* Return the site of an instruction, and the instruction of a site. */
uint32_t tg_race_site(const tg_plan *plan, const tg_inst *inst, tg_race_kind kind);
const tg_inst *tg_race_inst(const tg_plan *plan, uint32_t site);

/* Why two atomics on one place are none for each other. */
typedef enum tg_race_weakness {
    TG_RACE_STRONG,
    TG_RACE_OTHER_WIDTH,
    TG_RACE_SCOPE
} tg_race_weakness;
tg_race_weakness tg_race_weakness_of(const tg_plan *plan, uint32_t a, uint32_t b,
                                     bool is_one_program);

/* Returns whether accesses by two ops to one place conflict if nothing orders them; `is_one_program`: by threads of
 * one program. */
bool tg_sites_conflict(const tg_plan *plan, uint32_t a, uint32_t b, bool is_one_program);

/* Returns whether everything that conflicts with an access by `before` conflicts with one by `after` as well. */
bool tg_sites_subsume(const tg_plan *plan, uint32_t after, uint32_t before);

#endif
