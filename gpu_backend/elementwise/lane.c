#include "gpu_backend/elementwise/lane.h"

#include <stddef.h>

#include "gpu_backend/elementwise/elementary.h"
#include "gpu_backend/elementwise/fma.h"
#include "gpu_backend/elementwise/next.h"
#include "gpu_backend/elementwise/pow.h"
#include "gpu_backend/elementwise/rem.h"
#include "gpu_backend/elementwise/round.h"
#include "gpu_backend/elementwise/rows.h"
#include "gpu_backend/elementwise/select.h"
#include "ir/op.h"
#include "ir/type.h"

typedef tg_ptx_reg maker(const tg_ptx_lane_op *l);

/* Ops with a function of their own: on all dtypes of their domain, or only on floats. */
static maker *const on_all[TG_OP_COUNT] = {
    [TG_OP_select] = tg_ptx_select,
    [TG_OP_clamp] = tg_ptx_clamp,
    [TG_OP_integer_pow] = tg_ptx_integer_pow,
};
static maker *const on_floats[TG_OP_COUNT] = {
    [TG_OP_round] = tg_ptx_round,         [TG_OP_reduce_precision] = tg_ptx_reduce_precision,
    [TG_OP_rem] = tg_ptx_rem_float,       [TG_OP_fma] = tg_ptx_fma,
    [TG_OP_nextafter] = tg_ptx_nextafter,
};

/* The verifier's rule: whether ops.def has the op on the dtype. */
static bool admits(tg_opcode op, tg_dtype dtype)
{
    switch (tg_ops[op].domain) {
    case TG_DOMAIN_FLOAT: return tg_is_float(dtype);
    case TG_DOMAIN_INT: return tg_is_int(dtype);
    case TG_DOMAIN_NUM: return dtype != TG_DT_bool;
    case TG_DOMAIN_BITS: return !tg_is_float(dtype);
    default: return true;
    }
}

static maker *maker_of(tg_opcode op, tg_dtype dtype)
{
    if (!admits(op, dtype)) return NULL;
    return on_floats[op] != NULL && tg_is_float(dtype) ? on_floats[op] : on_all[op];
}

bool tg_ptx_lane(const tg_ptx_lane_op *l, tg_ptx_reg *out)
{
    if (tg_ptx_rows(l, out)) return true;
    maker *const make = maker_of(l->op, l->dtype);
    if (make == NULL) return tg_ptx_elementary(l, out);
    *out = make(l);
    return true;
}
