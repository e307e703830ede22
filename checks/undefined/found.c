#include "checks/undefined/found.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "checks/undefined/arithmetic_found.h"
#include "checks/undefined/origins.h"
#include "checks/undefined/slots.h"

void tg_shadow_found(tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                     const tg_param *param, uint32_t word, const char *format, ...)
{
    tg_undefined *all = tg_shadow_of(m)->all;
    if (all->kind == TG_SHADOW_OVERFLOW && kind != TG_FINDING_UNDEFINED_ADDRESS) return;
    tg_found found = {.kind = kind,
                      .param = param,
                      .at = {.op = inst ? inst->op : TG_OP_COUNT,
                             .loc = inst ? inst->loc : all->plan->kernel->loc,
                             .has_program = true},
                      .program_index = m->program_index,
                      .count = 1,
                      .other = tg_origin_number(all, tg_word_trail(word))};
    char what[160], origin[TG_ORIGIN_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    memcpy(found.at.program, m->program, sizeof found.at.program);
    if (all->kind == TG_SHADOW_UNDEFINED) {
        snprintf(found.message, sizeof found.message, "%s is undefined: it comes from %s", what,
                 tg_origin_print(all, tg_word_trail(word), origin));
        tg_trail_relate(all, tg_word_trail(word), &found);
    } else {
        snprintf(origin, sizeof origin, "%s goes by it", what);
        tg_arithmetic_found(all, tg_word_trail(word), origin, &found);
    }
    tg_findings_add(m->launch->findings, &found);
}

static const tg_param *param_of(const tg_machine *m, const tg_access_plan *a)
{
    return a->root == UINT32_MAX ? NULL : &m->launch->plan->kernel->params[a->root];
}

void tg_shadow_bad_mask(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, uint32_t word)
{
    tg_shadow_found(m, TG_FINDING_UNDEFINED_ADDRESS, inst, param_of(m, a), word,
                    "the mask by which %s chooses elements of %s", tg_ops[inst->op].name,
                    tg_memory_name(tg_shadow_of(m)->all, a->root));
}

void tg_shadow_bad_position(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, int dim,
                            uint32_t word)
{
    tg_shadow_found(m, TG_FINDING_UNDEFINED_ADDRESS, inst, param_of(m, a), word,
                    "the index of %s in dimension %d of %s", tg_ops[inst->op].name, dim,
                    tg_memory_name(tg_shadow_of(m)->all, a->root));
}

uint32_t tg_shadow_positions(tg_machine *m, const tg_inst *inst, const tg_access_plan *a)
{
    uint32_t first = 0;
    for (int d = 0; tg_shadow_of(m)->flagged && d < a->rank; d++) {
        const tg_access_dim *dim = &a->dims[d];
        if (!dim->has_operand || (dim->kind == TG_INDEX_AT && a->has_arrays)) continue;
        const uint32_t word = tg_shadow_scalar(tg_shadow_of(m), &dim->operand);
        if (!word) continue;
        tg_shadow_bad_position(m, inst, a, d, word);
        if (!first) first = word;
    }
    return first;
}
