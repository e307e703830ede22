#include "physical/demand.h"

void tg_demand_failed(tg_demands *d, const tg_op *op, tg_problem_kind kind, const char *what,
                      const tg_diags *diags)
{
    const char *why = diags->count ? diags->list[0].message : "memory ran out";
    if (diags->worst == TG_ERR_NO_MEMORY)
        d->problems->failed = true;
    else
        tg_problem_tell(d->problems, kind, op, "%s of %s%s: %s", what, tg_ops[op->code].name,
                        kind == TG_PROBLEM_UNCHECKED ? " is not checked" : "", why);
}

bool tg_demand_want(tg_demands *d, const tg_op *op, const char *what, const tg_want *want)
{
    char why[TG_WANT_TEXT];
    tg_diags diags = {0};
    const tg_status status = tg_want_check(want, why, &diags);
    /* Of one in tensor memory and one in registers no place is the same. */
    const bool is_invalid = status == TG_ERR_INVALID;
    if (status != TG_OK)
        tg_demand_failed(d, op, is_invalid ? TG_PROBLEM_MISMATCH : TG_PROBLEM_UNCHECKED, what,
                         &diags);
    else if (why[0])
        tg_problem_tell(d->problems, TG_PROBLEM_MISMATCH, op, "%s of %s %s", what,
                        tg_ops[op->code].name, why);
    tg_diags_free(&diags);
    return !is_invalid && !why[0];
}
