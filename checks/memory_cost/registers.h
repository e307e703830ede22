/* Which lane holds which element of a value, and the instructions that move the value.
 *
 * Where nothing says so, the *standard distribution* is assumed: the elements go in their row-major
 * order over the lanes of all warps, a vector for each lane, and around again.  A vector is as wide
 * as the addresses allow: it is in one piece and aligned, for all lanes, has at most
 * TG_MOST_VECTOR_BYTES, and leaves none of the threads without one. */
#ifndef TG_CHECKS_MEMORY_COST_REGISTERS_H
#define TG_CHECKS_MEMORY_COST_REGISTERS_H

#include "checks/memory_cost/cost.h"
#include "checks/memory_cost/touched.h"
#include "layout/placement.h"

/* Which element of a value each register holds, as tg_placement has it: the number in the place of the
 * address. */
typedef tg_placement tg_value_registers;

/* TG_ERR_INVALID if the layout has not `count` elements, and the errors of tg_placement_of.  The
 * caller frees `out` (tg_placement_free). */
tg_status tg_value_registers_of(const tg_axe *layout, int64_t count, tg_value_registers *out);

/* Puts in place of each element the addresses of its pieces, of `piece_bytes`, each a register, and
 * orders them as a compiler may (tg_placement_sort).  The errors of tg_placement_begin; the caller
 * frees `out`. */
tg_status tg_value_registers_place(const tg_value_registers *held, const int64_t *bytes, int pieces,
                                   int piece_bytes, tg_placement *out);

/* The cost of registers that are in these places, moved by the widest instructions. */
void tg_cost_of_placement(const tg_placement *placement, tg_cost_space space, tg_access_cost *out);

/* The cost of an access that has not been taken from, with the standard distribution over `warps`. */
void tg_cost_standard(const tg_touched *access, int64_t warps, tg_access_cost *out);

/* The same with given registers.  TG_ERR_NO_MEMORY, or TG_ERR_UNSUPPORTED if there are too many. */
tg_status tg_cost_held(const tg_touched *access, const tg_value_registers *held,
                       tg_access_cost *out);

/* The addresses of an access of the width that its cost has: a row of lanes for each of its
 * instructions, register by register.  `held` NULL: the standard distribution.  The same errors;
 * the caller frees `out`. */
tg_status tg_cost_placement(const tg_touched *access, const tg_value_registers *held,
                            const tg_access_cost *cost, tg_placement *out);

#endif
