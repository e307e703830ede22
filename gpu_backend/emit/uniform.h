/* Arithmetic on uniform s64 values.  Known values are computed at compile time, all others by PTX
 * rows. */
#ifndef TG_GPU_BACKEND_EMIT_UNIFORM_H
#define TG_GPU_BACKEND_EMIT_UNIFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"

tg_ptx_uniform tg_ptx_known(int64_t value);
tg_ptx_uniform tg_ptx_held(tg_ptx_reg reg); /* a value in a .b64 register */
tg_ptx_uniform tg_ptx_held_multiple(tg_ptx_reg reg, int64_t multiple);

/* Whether v is known and equal to `value`. */
bool tg_ptx_is_known(tg_ptx_uniform v, int64_t value);

/* The greatest power of two, up to TG_PTX_MOST_MULTIPLE, that is known to divide the value, or
 * divides the number.  No caller needs more than that. */
enum { TG_PTX_MOST_MULTIPLE = 64 };
int64_t tg_ptx_multiple_of(tg_ptx_uniform v);
int64_t tg_ptx_divisor(int64_t number);

/* A .b64 register with the value. */
tg_ptx_reg tg_ptx_uniform_reg(tg_ptx_emitter *em, tg_ptx_uniform v);

/* Sums, differences and products, which wrap around. */
tg_ptx_uniform tg_ptx_add(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_sub(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_mul(tg_ptx_emitter *em, tg_ptx_uniform a, int64_t factor);
/* a * factor + b */
tg_ptx_uniform tg_ptx_mul_add(tg_ptx_emitter *em, tg_ptx_uniform a, int64_t factor,
                              tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_product(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_min(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_max(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);

/* v clamped to low .. high; `high` if low > high. */
tg_ptx_uniform tg_ptx_within(tg_ptx_emitter *em, tg_ptx_uniform v, tg_ptx_uniform low,
                             tg_ptx_uniform high);

/* Quotient and remainder; `a` is not negative and `by` is greater than 0. */
tg_ptx_uniform tg_ptx_div(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform by);
tg_ptx_uniform tg_ptx_rem(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform by);

/* The quotient rounded towards minus infinity; `by` > 0. */
tg_ptx_uniform tg_ptx_floor_div(tg_ptx_emitter *em, tg_ptx_uniform a, int64_t by);

/* 1 or 0: whether a < b; whether a is b; whether both a and b, which are 1 or 0, are 1. */
tg_ptx_uniform tg_ptx_is_less(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_are_equal(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_both(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);

/* `first` (1 or 0) ? a : b */
tg_ptx_uniform tg_ptx_choose(tg_ptx_emitter *em, tg_ptx_uniform first, tg_ptx_uniform a,
                             tg_ptx_uniform b);

/* A predicate that is set unless the value is 0. */
tg_ptx_reg tg_ptx_is_set(tg_ptx_emitter *em, tg_ptx_uniform v);

#endif
