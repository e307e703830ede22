#include "physical/overlap.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "layout/print.h"
#include "layout/where.h"

/* "(0,1) and (2,1) are both in lane 3, reg 1" */
static void put_shared(tg_text *text, const tg_type *type, const tg_shared_place *shared)
{
    tg_shape shape, index;
    bool any = false;
    tg_held_shape(type, &shape);
    tg_shape_coordinate(&shape, shared->element[0], &index);
    tg_text_put(text, "elements ");
    tg_shape_print(&index, text);
    tg_shape_coordinate(&shape, shared->element[1], &index);
    tg_text_put(text, " and ");
    tg_shape_print(&index, text);
    tg_text_put(text, " are both at ");
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (!shared->at.at[a]) continue;
        tg_text_add(text, "%s%s %lld", any ? ", " : "", tg_axes[a].name,
                    (long long)shared->at.at[a]);
        any = true;
    }
    if (!any) tg_text_put(text, "the origin");
}

/* Returns a text of what overlaps; NULL if nothing does, or in `diags` why it is not known. */
static char *find_overlap(const tg_type *type, const tg_axe *layout, tg_diags *diags)
{
    bool injective;
    tg_shared_place shared;
    tg_text text = {0};
    if (tg_axe_is_injective(layout, &injective, &shared, diags) != TG_OK || injective) return NULL;
    tg_axe_print(layout, &text);
    tg_text_put(&text, ": ");
    put_shared(&text, type, &shared);
    char *finished = tg_text_finish(&text);
    if (!finished) tg_no_memory(diags);
    return finished;
}

void tg_overlap_check_param(tg_demands *d, uint32_t index)
{
    const tg_param *param = &d->held.kernel->params[index];
    tg_diags diags = {0};
    if (!param->layout) return;
    char *found = find_overlap(&param->ref, param->layout, &diags);
    if (found)
        tg_problem_tell_param(d->problems, TG_PROBLEM_OVERLAP, index,
                              "two elements of %s are at one place as %s", param->name, found);
    else if (diags.worst == TG_ERR_NO_MEMORY)
        d->problems->failed = true;
    else if (diags.count)
        tg_problem_tell_param(d->problems, TG_PROBLEM_UNCHECKED, index, "%s: %s", param->name,
                              diags.list[0].message);
    free(found);
    tg_diags_free(&diags);
}

static void check_value(tg_demands *d, const tg_op *op, tg_value_id v, const char *what)
{
    const tg_value *value = &d->held.kernel->values[v];
    tg_diags diags = {0};
    if (!value->layout) return;
    char *found = find_overlap(&value->type, value->layout, &diags);
    if (found)
        tg_problem_tell(d->problems, TG_PROBLEM_OVERLAP, op,
                        "two elements of %s of %s are at one place as %s", what,
                        tg_ops[op->code].name, found);
    else if (diags.count)
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, what, &diags);
    free(found);
    tg_diags_free(&diags);
}

void tg_overlap_check(tg_demands *d, const tg_op *op)
{
    char what[32];
    for (uint32_t i = 0; i < op->out_count; i++) {
        snprintf(what, sizeof what, "result %u", i);
        check_value(d, op, op->out[i], what);
    }
    for (uint32_t r = 0; r < op->region_count; r++)
        for (uint32_t a = 0; a < op->regions[r].arg_count; a++) {
            snprintf(what, sizeof what, "argument %u", a);
            check_value(d, op, op->regions[r].args[a], what);
        }
}
