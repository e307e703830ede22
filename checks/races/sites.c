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
