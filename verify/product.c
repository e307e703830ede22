/* The rule of products beside the threads: matrices (m, n), (m, k) and (k, n); scales (m, s) and (n, s); and
 * the selection of a sparse left factor (m, k / 2). */
#include "verify/own_rules.h"

#include <inttypes.h>

#include "ir/product.h"
#include "verify/common.h"

static bool check_matrix(const tg_verifier *v, uint32_t operand)
{
    const tg_type *type = tg_in(v, operand);
    if (!tg_verify_domain(v, operand, TG_DOMAIN_NUM)) return false;
    if (type->rank == 2) return true;
    return tg_mistyped(v, "operand %" PRIu32 " is %s, but must be a matrix", operand,
                       tg_show(type).text);
}

/* The columns of the left factor, with those that a sparse one leaves out. */
static int64_t columns_of(const tg_verifier *v)
{
    const int64_t columns = tg_in(v, 1)->shape[1];
    return tg_product_selection(v->op) ? columns * TG_SPARSE_GROUP / TG_SPARSE_KEPT : columns;
}

static bool check_shapes(const tg_verifier *v)
{
    const tg_type *sum = tg_in(v, 0), *lhs = tg_in(v, 1), *rhs = tg_in(v, 2);
    if (columns_of(v) == rhs->shape[0] && sum->shape[0] == lhs->shape[0] &&
        sum->shape[1] == rhs->shape[1])
        return true;
    return tg_mistyped(v, "%s times %s has not the shape of %s", tg_show(lhs).text,
                       tg_show(rhs).text, tg_show(sum).text);
}

static void check_dtypes(const tg_verifier *v)
{
    for (uint32_t i = 1; i < 3; i++)
        if (tg_is_float(tg_in(v, i)->dtype) != tg_is_float(tg_in(v, 0)->dtype))
            tg_mistyped(v, "operand %" PRIu32 " is %s, but must hold %s like the sum", i,
                        tg_show(tg_in(v, i)).text,
                        tg_is_float(tg_in(v, 0)->dtype) ? "floats" : "integers");
}

/* The scales of a factor, of which dimension `kept` is that of the sum. */
static void check_scales(const tg_verifier *v, uint32_t operand, uint32_t factor, int kept)
{
    const tg_type *scales = tg_in(v, operand), *of = tg_in(v, factor);
    const int64_t blocks = scales->shape[1];
    if (!tg_is_float(scales->dtype) || !tg_is_float(of->dtype))
        tg_mistyped(v, "operand %" PRIu32 " is %s, but scales and what they scale must hold floats",
                    operand, tg_show(scales).text);
    if (scales->shape[0] != of->shape[kept] || blocks == 0 || of->shape[1 - kept] % blocks)
        tg_mistyped(v, "operand %" PRIu32 " is %s, which are no scales of %s", operand,
                    tg_show(scales).text, tg_show(of).text);
}

static void check_selection(const tg_verifier *v, uint32_t operand)
{
    const tg_type *selection = tg_in(v, operand), *lhs = tg_in(v, 1);
    const bool is_right = selection->dtype == TG_DT_u2 && selection->shape[0] == lhs->shape[0] &&
                          selection->shape[1] == lhs->shape[1];
    if (!is_right || lhs->shape[1] % TG_SPARSE_KEPT)
        tg_mistyped(v, "operand %" PRIu32 " is %s, which does not select elements of %s", operand,
                    tg_show(selection).text, tg_show(lhs).text);
}

void tg_verify_op_dot_start(const tg_verifier *v)
{
    const uint32_t scales = tg_product_scales(v->op), selection = tg_product_selection(v->op);
    bool ok = true;
    for (uint32_t i = 0; i < v->op->in_count; i++) ok &= check_matrix(v, i);
    if (!ok || !check_shapes(v)) return;
    check_dtypes(v);
    if (scales) check_scales(v, scales, 1, 0);
    if (scales) check_scales(v, scales + 1, 2, 1);
    if (selection) check_selection(v, selection);
}
