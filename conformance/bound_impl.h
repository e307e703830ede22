/* Private to bound_*.c: how the kernel of bounds is built. */
#ifndef TG_CONFORMANCE_BOUND_IMPL_H
#define TG_CONFORMANCE_BOUND_IMPL_H

#include "conformance/bound_kernel.h"

#define TG_NO_BOUND UINT32_MAX

typedef struct tg_bound {
    const tg_module *module;
    const tg_kernel *from;
    tg_module *out;
    tg_kernel *to; /* values of `from` keep their places in it */
    uint32_t value_capacity;
    tg_value_id *companion; /* of each value of `from`; TG_NO_BOUND: both profiles have the same */
    tg_region *region;      /* that ops are added to */
    uint32_t op_capacity;
    const tg_op *op;  /* of `from`, that is being looked at */
    tg_status status; /* the first thing that went wrong; from then on nothing matters */
    tg_diags *diags;
} tg_bound;

/* ---- bound_emit.c: building ---- */

/* `count` zeroed objects that live as long as the new module; NULL without memory, noted. */
void *tg_bound_take(tg_bound *b, size_t count, size_t size);

/* Notes that no bound can be derived, and why, at the op looked at. */
void tg_bound_refuse(tg_bound *b, const char *why);

/* f16, bf16, f32, f64: the dtypes that have companions. */
static inline bool tg_bound_is_real(tg_dtype dtype)
{
    return dtype == TG_DT_f16 || dtype == TG_DT_bf16 || dtype == TG_DT_f32 || dtype == TG_DT_f64;
}

/* A new value.  Its shape in f64: of the companion of a value or reference. */
tg_value_id tg_bound_value(tg_bound *b, const tg_type *type);
tg_type tg_bound_type(const tg_bound *b, tg_value_id like);

/* Adds an op; `in` and `attrs` are copied.  Returns its result, of `type`; NULL: it has none. */
tg_value_id tg_bound_emit(tg_bound *b, const tg_op *op, const tg_type *type);

/* Arithmetic on values of one shape, in f64; comparisons give bools.  tg_bound_where_zero: 0 where `tested` is. */
tg_value_id tg_bound_1(tg_bound *b, tg_opcode code, tg_value_id a);
tg_value_id tg_bound_2(tg_bound *b, tg_opcode code, tg_value_id x, tg_value_id y);
tg_value_id tg_bound_number(tg_bound *b, tg_value_id like, double value);
tg_value_id tg_bound_scaled(tg_bound *b, tg_value_id a, double factor);
tg_value_id tg_bound_choose(tg_bound *b, tg_value_id flags, tg_value_id where,
                            tg_value_id elsewhere);
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
