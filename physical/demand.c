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
    if (tg_want_check(want, why, &diags) != TG_OK)
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, what, &diags);
    else if (why[0])
        tg_problem_tell(d->problems, TG_PROBLEM_MISMATCH, op, "%s of %s %s", what,
                        tg_ops[op->code].name, why);
    tg_diags_free(&diags);
    return !why[0];
}
