#include "lower/dispatch.h"

#include "lower/barrier.h"
#include "lower/branch.h"
#include "lower/convert.h"
#include "lower/dot.h"
#include "lower/extremum.h"
#include "lower/gather.h"
#include "lower/inline_ptx.h"
#include "lower/guards.h"
#include "lower/elementwise.h"
#include "lower/literals.h"
#include "lower/loops.h"
#include "lower/memory.h"
#include "lower/moves.h"
#include "lower/program.h"
#include "lower/reduce.h"
#include "lower/refs.h"
#include "lower/scopes.h"
#include "lower/semaphore.h"
#include "lower/shape.h"
#include "lower/triton.h"

/* If a row of ops.def lacks its function, this does not compile. */
static tg_lower_fn *const in_xla[TG_OP_COUNT] = {
#define TG_OP(id, in_min, in_max, out, regions, rule, domain, traits, refs, step, lower, ...)      \
    [TG_OP_##id] = tg_lower_op_##lower,
#include "ir/ops.def"
};

/* Lowers ops that mean the same in both dialects. */
static void tg_lower_triton_same(tg_lowerer *l, const tg_op *op) { in_xla[op->code](l, op); }

static tg_lower_fn *const in_triton[TG_OP_COUNT] = {
#define TG_OP(id, in_min, in_max, out, regions, rule, domain, traits, refs, step, lower, triton,   \
              ...)                                                                                 \
    [TG_OP_##id] = tg_lower_triton_##triton,
#include "ir/ops.def"
};

tg_lower_fn *const *tg_lower_table(tg_dialect dialect)
{
    return dialect == TG_DIALECT_TRITON ? in_triton : in_xla;
}
