/* The rule of products beside the threads: matrices (m, n), (m, k) and (k, n). */
#include "verify/own_rules.h"

#include <inttypes.h>

#include "verify/common.h"

static bool check_matrix(const tg_verifier *v, uint32_t operand)
{
    const tg_type *type = tg_in(v, operand);
    if (!tg_verify_domain(v, operand, TG_DOMAIN_NUM)) return false;
    if (type->rank == 2) return true;
    return tg_mistyped(v, "operand %" PRIu32 " is %s, but must be a matrix", operand,
                       tg_show(type).text);
}

static void check_shapes(const tg_verifier *v)
{
    const tg_type *sum = tg_in(v, 0), *lhs = tg_in(v, 1), *rhs = tg_in(v, 2);
    if (lhs->shape[1] != rhs->shape[0] || sum->shape[0] != lhs->shape[0] ||
        sum->shape[1] != rhs->shape[1])
        tg_mistyped(v, "%s times %s has not the shape of %s", tg_show(lhs).text, tg_show(rhs).text,
                    tg_show(sum).text);
}

static void check_dtypes(const tg_verifier *v)
{
    for (uint32_t i = 1; i < 3; i++)
        if (tg_is_float(tg_in(v, i)->dtype) != tg_is_float(tg_in(v, 0)->dtype))
            tg_mistyped(v, "operand %" PRIu32 " is %s, but must hold %s like the sum", i,
                        tg_show(tg_in(v, i)).text,
                        tg_is_float(tg_in(v, 0)->dtype) ? "floats" : "integers");
}

void tg_verify_op_dot_start(const tg_verifier *v)
{
    bool ok = true;
    for (uint32_t i = 0; i < 3; i++) ok &= check_matrix(v, i);
    if (!ok) return;
    check_shapes(v);
    check_dtypes(v);
}
