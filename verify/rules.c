#include "verify/rules.h"

#include <inttypes.h>

#include "verify/common.h"
#include "verify/own_rules.h"

static bool check_operands_agree(const tg_verifier *v)
{
    const tg_type *first = tg_in(v, 0);
    bool ok = tg_verify_domain(v, 0, tg_ops[v->op->code].domain);
    for (uint32_t i = 1; i < v->op->in_count; i++)
        if (!tg_same_type(tg_in(v, i), first))
            ok = tg_mistyped(v, "operand %" PRIu32 " is %s, but operand 0 is %s; they must agree",
                             i, tg_show(tg_in(v, i)).text, tg_show(first).text);
    return ok;
}

static void check_same(const tg_verifier *v)
{
    if (check_operands_agree(v)) tg_verify_result(v, tg_in(v, 0));
}

static void check_predicate(const tg_verifier *v)
{
    if (!check_operands_agree(v)) return;
    tg_type expected = *tg_in(v, 0);
    expected.dtype = TG_DT_bool;
    tg_verify_result(v, &expected);
}

static void check_retype(const tg_verifier *v)
{
    tg_type expected = *tg_in(v, 0);
    expected.dtype = tg_out(v, 0)->dtype;
    if (tg_verify_domain(v, 0, tg_ops[v->op->code].domain)) tg_verify_result(v, &expected);
}

static void check_reduce(const tg_verifier *v)
{
    const tg_type *operand = tg_in(v, 0);
    bool ok = tg_verify_domain(v, 0, tg_ops[v->op->code].domain);
    ok &= tg_verify_dims(v, TG_ATTR_axes, operand->rank, TG_ASCENDING, "the operand");
    if (!ok) return;
    tg_type expected = {.dtype = operand->dtype};
    for (int d = 0; d < operand->rank; d++)
        if (!tg_has_dim(v->op, TG_ATTR_axes, d))
            expected.shape[expected.rank++] = operand->shape[d];
    tg_verify_result(v, &expected);
}

static void check_scan(const tg_verifier *v)
{
    int axis;
    check_same(v);
    tg_verify_axis(v, tg_in(v, 0), &axis);
}

/* The rules of single ops.  If a row of ops.def has the rule OWN but no function, this does not
 * compile. */
typedef void own_check(const tg_verifier *v);
static own_check *const own_checks[TG_OP_COUNT] = {
#define OF_SAME(id)
#define OF_PREDICATE(id)
#define OF_RETYPE(id)
#define OF_REDUCE(id)
#define OF_SCAN(id)
#define OF_OWN(id) [TG_OP_##id] = tg_verify_op_##id,
#define TG_OP(id, in_min, in_max, out, regions, rule, ...) OF_##rule(id)
#include "ir/ops.def"
};

void tg_verify_rule(const tg_verifier *v)
{
    switch (tg_ops[v->op->code].rule) {
    case TG_RULE_SAME: check_same(v); break;
    case TG_RULE_PREDICATE: check_predicate(v); break;
    case TG_RULE_RETYPE: check_retype(v); break;
    case TG_RULE_REDUCE: check_reduce(v); break;
    case TG_RULE_SCAN: check_scan(v); break;
    case TG_RULE_OWN: own_checks[v->op->code](v); break;
    }
}
