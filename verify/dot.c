/* The rule of dot_general.  The result has the batch dimensions, then the free dimensions of the
 * left operand, then those of the right operand. */
#include "verify/own_rules.h"

#include <inttypes.h>

#include "verify/common.h"

typedef struct side {
    const char *what;
    uint32_t operand;
    tg_attr_id contract, batch;
} side;

static const side lhs = {"the left operand", 0, TG_ATTR_lhs_contract, TG_ATTR_lhs_batch};
static const side rhs = {"the right operand", 1, TG_ATTR_rhs_contract, TG_ATTR_rhs_batch};

static bool check_side(const tg_verifier *v, const side *s)
{
    const int rank = tg_in(v, s->operand)->rank;
    bool ok = tg_verify_dims(v, s->contract, rank, TG_ANY_ORDER, s->what);
    ok &= tg_verify_dims(v, s->batch, rank, TG_ANY_ORDER, s->what);
    if (!ok) return false;
    for (int d = 0; d < rank; d++)
        if (tg_has_dim(v->op, s->contract, d) && tg_has_dim(v->op, s->batch, d))
            ok = tg_illegal(v, "dimension %d of %s is both contracted and batch", d, s->what);
    return ok;
}

/* Checks that the two lists have as many dimensions, and that each pair has equal extents. */
static bool check_pairs(const tg_verifier *v, tg_attr_id left, tg_attr_id right)
{
    const tg_attr *a = tg_op_attr(v->op, left), *b = tg_op_attr(v->op, right);
    bool ok = true;
    if (!tg_verify_length(v, right, a->count)) return false;
    for (int64_t i = 0; i < a->count; i++)
        if (tg_in(v, 0)->shape[a->as.ints[i]] != tg_in(v, 1)->shape[b->as.ints[i]])
            ok = tg_mistyped(v,
                             "dimension %" PRId64 " of %s and dimension %" PRId64
                             " of %s must agree (%s, %s)",
                             a->as.ints[i], tg_show(tg_in(v, 0)).text, b->as.ints[i],
                             tg_show(tg_in(v, 1)).text, tg_attrs[left].name, tg_attrs[right].name);
    return ok;
}

static bool append_free(const tg_verifier *v, const side *s, tg_type *out)
{
    const tg_type *operand = tg_in(v, s->operand);
    for (int d = 0; d < operand->rank; d++) {
        if (tg_has_dim(v->op, s->contract, d) || tg_has_dim(v->op, s->batch, d)) continue;
        if (out->rank == TG_MAX_RANK)
            return tg_mistyped(v, "the result would have more than %d dimensions", TG_MAX_RANK);
        out->shape[out->rank++] = operand->shape[d];
    }
    return true;
}

/* Operands and result are all floats or all integers, each of any width. */
static void check_dtypes(const tg_verifier *v)
{
    const tg_type *a = tg_in(v, 0), *b = tg_in(v, 1), *r = tg_out(v, 0);
    bool ok = tg_verify_domain(v, 0, TG_DOMAIN_NUM);
    ok &= tg_verify_domain(v, 1, TG_DOMAIN_NUM);
    if (!ok) return;
    if (tg_is_float(a->dtype) != tg_is_float(b->dtype))
        tg_mistyped(v, "the operands are %s and %s, but both must hold floats or both integers",
                    tg_show(a).text, tg_show(b).text);
    else if (r->dtype == TG_DT_bool || tg_is_float(r->dtype) != tg_is_float(a->dtype))
        tg_mistyped(v, "the result is %s, but must hold %s like the operands", tg_show(r).text,
                    tg_is_float(a->dtype) ? "floats" : "integers");
}

void tg_verify_op_dot_general(const tg_verifier *v)
{
    tg_type expected = {.dtype = tg_out(v, 0)->dtype};
    check_dtypes(v);
    bool ok = check_side(v, &lhs);
    ok &= check_side(v, &rhs);
    if (!ok) return;
    ok = check_pairs(v, TG_ATTR_lhs_contract, TG_ATTR_rhs_contract);
    ok &= check_pairs(v, TG_ATTR_lhs_batch, TG_ATTR_rhs_batch);
    if (!ok) return;
    const tg_attr *batch = tg_op_attr(v->op, TG_ATTR_lhs_batch);
    for (int64_t i = 0; i < batch->count; i++)
        expected.shape[expected.rank++] = tg_in(v, 0)->shape[batch->as.ints[i]];
    if (append_free(v, &lhs, &expected) && append_free(v, &rhs, &expected))
        tg_verify_result(v, &expected);
}
