#include "verify/ops.h"

#include <inttypes.h>

#include "verify/attrs.h"
#include "verify/instruction.h"
#include "verify/numeric.h"
#include "verify/layout.h"
#include "verify/report.h"
#include "verify/rules.h"

/* -- counts -- */

static bool check_count(const tg_verifier *v, const char *what, uint32_t found, int least, int most)
{
    if (most == TG_ANY_COUNT) most = TG_MAX_OPERANDS;
    if (found >= (uint32_t)least && found <= (uint32_t)most) return true;
    const char *bound = least == most ? "" : found < (uint32_t)least ? "at least " : "at most ";
    return tg_illegal(v, "has %" PRIu32 " %s, but takes %s%d", found, what, bound,
                      found < (uint32_t)least ? least : most);
}

static bool check_counts(const tg_verifier *v)
{
    const tg_op *op = v->op;
    const tg_op_info *info = &tg_ops[op->code];
    const bool any_results = info->out_count == TG_ANY_COUNT;
    const bool any_regions = info->region_count == TG_ANY_COUNT;
    bool ok = check_count(v, "operands", op->in_count, info->in_min, info->in_max);
    ok &= check_count(v, "results", op->out_count, any_results ? 0 : info->out_count,
                      info->out_count);
    ok &= check_count(v, "regions", op->region_count, any_regions ? 1 : info->region_count,
                      info->region_count);
    return ok;
}

/* Params, scoped, alloc and views make refs; only the first operands of ops on memory take them. */
static bool check_refs(const tg_verifier *v)
{
    const tg_opcode code = v->op->code;
    const uint32_t refs = tg_op_ref_count(code);
    bool ok = true;
    for (uint32_t i = 0; i < v->op->in_count; i++) {
        const tg_type *type = tg_in(v, i);
        const bool wants_ref = i < refs;
        const bool takes_both = wants_ref && tg_ops[code].refs[i] & TG_OR_VALUE;
        if (type->is_ref != wants_ref && !takes_both)
            ok = tg_mistyped(v, "operand %" PRIu32 " is %s, but must be a %s", i,
                             tg_show(type).text, wants_ref ? "ref" : "value; load it first");
    }
    for (uint32_t i = 0; i < v->op->out_count; i++) {
        const tg_type *type = tg_out(v, i);
        const bool gives_ref = tg_op_gives_ref(code);
        if (type->is_ref != gives_ref)
            ok = tg_mistyped(v, "result %" PRIu32 " is %s, but must be a %s", i, tg_show(type).text,
                             gives_ref ? "ref" : "value");
    }
    return ok;
}

/* -- ops and regions -- */

/* Index maps are evaluated before the body, any number of times and in any order. */
static void check_index_map_op(const tg_verifier *v)
{
    const unsigned traits = tg_ops[v->op->code].traits;
    if (v->op->code == TG_OP_program_id)
        tg_illegal(v, "is not allowed in an index map, whose arguments are the program ids");
    else if (v->op->code == TG_OP_cancel_launch ||
             traits & (TG_TRAIT_WRITES | TG_TRAIT_ATOMIC | TG_TRAIT_REPORTS))
        tg_illegal(v, "has an effect, which is not allowed in an index map");
}

static void check_nested_regions(const tg_verifier *v)
{
    tg_path regions = {v->at, "regions", 0};
    for (uint32_t r = 0; r < v->op->region_count; r++) {
        tg_path here = {&regions, NULL, r};
        tg_verifier inside = tg_verifier_at(v, &here);
        for (uint32_t a = 0; a < v->op->regions[r].arg_count; a++)
            tg_verify_place(&inside, v->op->regions[r].args[a], "argument", a);
        inside.op = NULL;
        inside.depth++;
        tg_verify_region(&inside, &v->op->regions[r]);
    }
}

static void check_op(const tg_verifier *v)
{
    if ((unsigned)v->op->code >= TG_OP_COUNT) {
        tg_fail(v->diags, TG_ERR_INVALID, v->at, "no operation has the number %d",
                (int)v->op->code);
        return;
    }
    if (v->op->loc >= v->module->loc_count)
        tg_illegal(v, "loc is %" PRIu32 ", but there are %" PRIu32 " locations", v->op->loc,
                   v->module->loc_count - 1);
    bool ok = tg_verify_attrs(v);
    ok &= check_counts(v);
    ok &= check_refs(v);
    for (uint32_t i = 0; ok && i < v->op->out_count; i++)
        ok = tg_verify_place(v, v->op->out[i], "result", i);
    if (v->in_index_map) check_index_map_op(v);
    if (ok) tg_verify_rule(v);
    if (ok) tg_verify_instruction(v);
    if (ok) tg_verify_numeric(v);
    check_nested_regions(v);
}

void tg_verify_region(const tg_verifier *v, const tg_region *region)
{
    if (v->depth > TG_MAX_NESTING) {
        tg_illegal(v, "regions are nested deeper than %d", TG_MAX_NESTING);
        return;
    }
    tg_path ops = {v->at, "ops", 0};
    for (uint32_t i = 0; i < region->op_count; i++) {
        tg_path here = {&ops, NULL, i};
        tg_verifier inside = tg_verifier_at(v, &here);
        inside.op = &region->ops[i];
        check_op(&inside);
    }
}
