/* Private to bound_*.c: how the kernel of bounds is built. */
#ifndef TG_CONFORMANCE_BOUND_IMPL_H
#define TG_CONFORMANCE_BOUND_IMPL_H

#include "conformance/bound_kernel.h"
#include "ir/build.h"

#define TG_NO_BOUND UINT32_MAX

typedef struct tg_bound {
    const tg_module *module;
    const tg_kernel *from;
    tg_build *to;           /* of the new kernel, in which values of `from` keep their places */
    tg_value_id *companion; /* of each value of `from`; TG_NO_BOUND: both profiles have the same */
    const tg_op *op;        /* of `from`, that is being looked at */
    tg_status status;       /* the first thing that went wrong; from then on nothing matters */
    tg_diags *diags;
} tg_bound;

/* ---- bound_emit.c: the ops that bounds are made of ---- */

/* Notes that no bound can be derived, and why, at the op looked at. */
void tg_bound_refuse(tg_bound *b, const char *why);

/* f16, bf16, f32, f64: the dtypes that have companions. */
static inline bool tg_bound_is_real(tg_dtype dtype)
{
    return dtype == TG_DT_f16 || dtype == TG_DT_bf16 || dtype == TG_DT_f32 || dtype == TG_DT_f64;
}

/* The shape of a value or reference in f64: the type of its companion. */
tg_type tg_bound_type(const tg_bound *b, tg_value_id like);

/* The op looked at on another operand or two; gives f64. */
tg_value_id tg_bound_again(tg_bound *b, tg_opcode code, const tg_value_id *in, int count);

/* Arithmetic on values of one shape, in f64.  tg_bound_where_zero: 0 where `tested` is. */
tg_value_id tg_bound_number(tg_bound *b, tg_value_id like, double value);
tg_value_id tg_bound_scaled(tg_bound *b, tg_value_id a, double factor);
tg_value_id tg_bound_where_zero(tg_bound *b, tg_value_id tested, tg_value_id otherwise);

/* The value in f64, and its bound: the companion, or zeros. */
tg_value_id tg_bound_real(tg_bound *b, tg_value_id v);
tg_value_id tg_bound_of(tg_bound *b, tg_value_id v);

/* ---- bound_rules.c ---- */

/* Adds the companion of the result of the op looked at, which computes: some operand has a companion, or profile fast
 * approximates it.  Refuses what it has no rule for. */
void tg_bound_compute(tg_bound *b);

/* Whether profile fast may give other bits for the op though its operands have the same. */
bool tg_bound_is_approximate(const tg_bound *b, const tg_op *op);

/* Kernels whose products have more terms have no bound. */
enum { TG_BOUND_MOST_TERMS = 1 << 20 };

#endif
