/* Arithmetic on uniform s64 numbers: what is known now is computed now, all else in rows. */
#ifndef TG_GPU_BACKEND_EMIT_UNIFORM_H
#define TG_GPU_BACKEND_EMIT_UNIFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"

tg_ptx_uniform tg_ptx_known(int64_t value);
tg_ptx_uniform tg_ptx_held(tg_ptx_reg reg); /* .b64 */
tg_ptx_uniform tg_ptx_held_multiple(tg_ptx_reg reg, int64_t multiple);

/* Whether it is known to be that. */
bool tg_ptx_is_known(tg_ptx_uniform v, int64_t value);

/* A power of two that divides the value, or the number, at most TG_PTX_MOST_MULTIPLE, which is more
 * than anybody asks for. */
enum { TG_PTX_MOST_MULTIPLE = 64 };
int64_t tg_ptx_multiple_of(tg_ptx_uniform v);
int64_t tg_ptx_divisor(int64_t number);

/* A .b64 register with the value. */
tg_ptx_reg tg_ptx_uniform_reg(tg_ptx_emitter *em, tg_ptx_uniform v);

/* Sums, differences and products wrap around. */
tg_ptx_uniform tg_ptx_add(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_sub(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_mul(tg_ptx_emitter *em, tg_ptx_uniform a, int64_t factor);
tg_ptx_uniform tg_ptx_product(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_min(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_max(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);

/* v, but not below `low` and not above `high`; `high` where low > high. */
tg_ptx_uniform tg_ptx_within(tg_ptx_emitter *em, tg_ptx_uniform v, tg_ptx_uniform low,
                             tg_ptx_uniform high);

/* Of values that are not negative, by one greater than 0. */
tg_ptx_uniform tg_ptx_div(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform by);
tg_ptx_uniform tg_ptx_rem(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform by);

/* Rounded towards minus infinity; `by` > 0. */
tg_ptx_uniform tg_ptx_floor_div(tg_ptx_emitter *em, tg_ptx_uniform a, int64_t by);

/* 1 or 0: a < b; a and b, of values that are 1 or 0. */
tg_ptx_uniform tg_ptx_is_less(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);
tg_ptx_uniform tg_ptx_both(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b);

/* `first` (1 or 0) ? a : b */
tg_ptx_uniform tg_ptx_choose(tg_ptx_emitter *em, tg_ptx_uniform first, tg_ptx_uniform a,
                             tg_ptx_uniform b);

/* A predicate that is set unless the value is 0. */
tg_ptx_reg tg_ptx_is_set(tg_ptx_emitter *em, tg_ptx_uniform v);

#endif
