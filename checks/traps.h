/* The ops that make a NaN or an infinity: of operands that have none. */
#ifndef TG_CHECKS_TRAPS_H
#define TG_CHECKS_TRAPS_H

#include "interp/machine.h"

/* Lane ops, strip by strip: before, `had` is set per element where an operand has one (bit i of `splat`: operand i is one element); after, the first element
 * that has one and `had` not is reported.  `first` is the number of the strip's first element within the group. */
void tg_traps_before_lane(const tg_lane *lane, const void *const *src, unsigned splat, size_t count,
                          bool *had);
void tg_traps_after_lane(tg_machine *m, const tg_group *g, const tg_lane *lane, const void *dst,
                         size_t count, const bool *had, size_t first);

/* Reductions, scans and products, as wholes.  `before` says whether an operand has one. */
bool tg_traps_before(const tg_machine *m, const tg_inst *inst);
void tg_traps_after(tg_machine *m, const tg_inst *inst);

#endif
