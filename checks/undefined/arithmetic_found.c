#include "checks/undefined/arithmetic_found.h"

#include <stdio.h>

#include "checks/undefined/origins.h"

static tg_dtype result_of(const tg_trail *t)
{
    switch (t->inst->kind) {
    case TG_I_GROUP: return t->inst->as.group->ops[t->op_number].second;
    case TG_I_DOT: return t->inst->as.dot->acc;
    default: return t->inst->as.reduce->out.dtype;
    }
}

static void describe(const tg_undefined *all, const tg_trail *first, const char *what,
                     tg_found *found)
{
    uint32_t loc;
    const char *const op = tg_ops[tg_trail_op(first, &loc)].name;
    const char *const dtype = tg_dtypes[result_of(first)].name;
    const char *const format = all->kind == TG_SHADOW_OVERFLOW
                                   ? "%s: a result does not fit %s and wraps around; %s"
                                   : "%s: the operand is out of the range of %s, or NaN; %s";
    snprintf(found->message, sizeof found->message, format, op, dtype, what);
}

void tg_arithmetic_found(tg_undefined *all, uint32_t trail, const char *what, tg_found *found)
{
    const tg_trail first = tg_trails_get(&all->trails, tg_trail_first_op(all, trail));
    found->kind = all->kind == TG_SHADOW_OVERFLOW ? TG_FINDING_INTEGER_OVERFLOW
                                                  : TG_FINDING_FLOAT_TO_INT_RANGE;
    found->related[0] = (tg_found_related){.role = "goes into",
                                           .param = found->param,
                                           .at = {.op = found->at.op, .loc = found->at.loc}};
    found->related_count = 1;
    found->param = NULL; /* one finding per faulty op, whatever depends on it */
    found->has_elements = false;
    if (first.kind != TG_TRAIL_OP) { /* too many trails: the op is not known */
        snprintf(found->message, sizeof found->message, "arithmetic has gone wrong; %s", what);
        return;
    }
    tg_trail_relate(all, trail, found);
    found->related_count -= 2; /* without the origin and the op itself */
    found->at.op = tg_trail_op(&first, &found->at.loc);
    found->other = 0;
    describe(all, &first, what, found);
}
