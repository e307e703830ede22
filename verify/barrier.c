#include "verify/own_rules.h"

#include <inttypes.h>

#include "verify/common.h"

static void check_barrier(const tg_verifier *v)
{
    const tg_type *type = tg_in(v, 0);
    if (type->dtype != TG_DT_barrier || type->rank != 0)
        tg_mistyped(v, "operand 0 is %s, but must be ref<barrier[]>", tg_show(type).text);
}

void tg_verify_op_barrier_arrive(const tg_verifier *v) { check_barrier(v); }

void tg_verify_op_barrier_expect(const tg_verifier *v)
{
    const tg_type *bytes = tg_in(v, 1);
    check_barrier(v);
    if (bytes->rank != 0 || bytes->dtype != TG_DT_i32)
        tg_mistyped(v, "operand 1 is %s, but must be i32[]", tg_show(bytes).text);
}

void tg_verify_op_dot_arrive(const tg_verifier *v) { check_barrier(v); }

void tg_verify_op_collective(const tg_verifier *v)
{
    const tg_attr *along = tg_op_attr(v->op, TG_ATTR_along);
    if (!tg_verify_dims(v, TG_ATTR_along, v->kernel->axis_count, TG_ASCENDING, "the grid")) return;
    for (int64_t i = 0; i < along->count; i++)
        if (v->kernel->axes[along->as.ints[i]].semantics != TG_SEMANTICS_THREAD)
            tg_illegal(v, "along names axis %" PRId64 ", which is no axis of threads",
                       along->as.ints[i]);
}

void tg_verify_op_barrier_wait(const tg_verifier *v)
{
    check_barrier(v);
    tg_check_followers(v);
}
