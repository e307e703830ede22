/* What a guard forbids, for the lowering and the interpreter alike. */
#ifndef TG_PLAN_GUARD_H
#define TG_PLAN_GUARD_H

#include "plan/inst.h"

/* Returns element number `at` of an array in the carrier of `dtype`, an integer, as bits; a signed
 * one is sign-extended. */
uint64_t tg_guard_element(const void *data, tg_dtype dtype, int64_t at);

/* Returns the number of the first element that the guard forbids, among `count` that are `stride`
 * apart in an array in the carrier of guard->in.dtype; `count` if it forbids none. */
int64_t tg_guard_find(const struct tg_inst_guard *guard, const void *data, int64_t stride,
                      int64_t count);

#endif
