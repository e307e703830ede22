#include "checks/races/sites.h"

uint32_t tg_race_code_count(const tg_plan *plan) { return plan->kernel->param_count + 1; }

const tg_code *tg_race_code(const tg_plan *plan, uint32_t i)
{
    return i == 0 ? &plan->body : &plan->mappings[i - 1].code;
}

uint32_t tg_race_site(const tg_plan *plan, const tg_inst *inst, tg_race_kind kind)
{
    uint32_t base = 0;
    for (uint32_t i = 0;; i++) {
        const tg_code *code = tg_race_code(plan, i);
        if (inst >= code->list && inst < code->list + code->count)
            return (base + (uint32_t)(inst - code->list)) * TG_RACE_KINDS + (uint32_t)kind;
        base += code->count;
    }
}

const tg_inst *tg_race_inst(const tg_plan *plan, uint32_t site)
{
    uint32_t number = site / TG_RACE_KINDS;
    for (uint32_t i = 0;; i++) {
        const tg_code *code = tg_race_code(plan, i);
        if (number < code->count) return &code->list[number];
        number -= code->count;
    }
}

/* ---- conflicts ---- */

/* The width of the elements of an atomic in bytes, and its scope.  Atomics of other instructions have the width
 * of what they are done to, and all see them. */
typedef struct strength {
    size_t width; /* 0: any */
    bool is_of_cta;
} strength;

static strength strength_of(const tg_plan *plan, uint32_t site)
{
    const struct tg_inst_access *atomic = tg_inst_atomic(tg_race_inst(plan, site));
    if (!atomic) return (strength){0, false};
    return (strength){tg_dtypes[atomic->access.dtype].bytes, atomic->scope == TG_SCOPE_CTA};
}

tg_race_weakness tg_race_weakness_of(const tg_plan *plan, uint32_t a, uint32_t b,
                                     bool is_one_program)
{
    const strength x = strength_of(plan, a), y = strength_of(plan, b);
    if (x.width && y.width && x.width != y.width) return TG_RACE_OTHER_WIDTH;
    return !is_one_program && (x.is_of_cta || y.is_of_cta) ? TG_RACE_SCOPE : TG_RACE_STRONG;
}

static bool reads(uint32_t site)
{
    return tg_race_kind_of(site) == TG_RACE_READ || tg_race_kind_of(site) == TG_RACE_ATOMIC_READ;
}

bool tg_sites_conflict(const tg_plan *plan, uint32_t a, uint32_t b, bool is_one_program)
{
    if (reads(a) && reads(b)) return false;
    if (!tg_race_is_atomic(a) || !tg_race_is_atomic(b)) return true;
    return tg_race_weakness_of(plan, a, b, is_one_program) != TG_RACE_STRONG;
}

bool tg_sites_subsume(const tg_plan *plan, uint32_t after, uint32_t before)
{
    if (after == before || tg_race_kind_of(after) == TG_RACE_WRITE) return true;
    if (tg_race_kind_of(after) != tg_race_kind_of(before)) return false;
    if (!tg_race_is_atomic(after)) return true;
    const strength x = strength_of(plan, after), y = strength_of(plan, before);
    return x.width == y.width && (x.is_of_cta || !y.is_of_cta);
}
