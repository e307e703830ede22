/* Guards: report operands that the kernel's dialect forbids, or that break a promise of the source.
 * The next op gives the result that it has in the dialect `xla`. */
#include <inttypes.h>
#include <stdio.h>

#include "interp/state/index_walk.h"
#include "interp/state/handlers.h"
#include "interp/state/found.h"
#include "interp/state/operand.h"
#include "plan/guard.h"

static void report(tg_machine *m, const tg_inst *inst, const tg_index_walk *walk, int64_t element)
{
    char at[128];
    size_t length = 0;
    at[0] = 0;
    for (int d = 0; d < walk->rank && length < sizeof at; d++)
        length += (size_t)snprintf(at + length, sizeof at - length, "%s%" PRId64, d ? ", " : "",
                                   walk->at[d]);
    const char *name = tg_ops[inst->op].name;
    const struct tg_inst_guard *guard = inst->as.guard;
    char value[32];
    if (tg_is_signed(guard->in.dtype))
        snprintf(value, sizeof value, "%" PRId64, element);
    else
        snprintf(value, sizeof value, "%" PRIu64, (uint64_t)element);
    switch (guard->kind) {
    case TG_GUARD_NOT_ZERO:
        tg_machine_found(m, TG_FINDING_DIVISION_BY_ZERO, inst, NULL, "%s: the divisor at [%s] is 0",
                         name, at);
        return;
    case TG_GUARD_BELOW:
        tg_machine_found(m, TG_FINDING_SHIFT_TOO_FAR, inst, NULL,
                         "%s: the amount at [%s] is %s; it must be in [0, %" PRId64 ")", name, at,
                         value, guard->limit);
        return;
    case TG_GUARD_MULTIPLE:
        tg_machine_found(m, TG_FINDING_MULTIPLE_OF_BROKEN, inst, NULL,
                         "%s: %s is not a multiple of %" PRId64, name, value, guard->limit);
        return;
    }
}

/* Looks at one element for all that are equal because their stride is 0, and at rows as a whole. */
void tg_exec_guard(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_guard *guard = inst->as.guard;
    tg_view view = tg_operand_view(m, &guard->in);
    for (int d = 0; d < view.rank; d++)
        if (view.shape[d] > 1 && (view.stride[d] == 0 || guard->kind == TG_GUARD_MULTIPLE))
            view.shape[d] = 1;
    tg_index_walk walk;
    if (!tg_index_begin(&walk, view.rank, view.shape)) return;
    const int last = view.rank - 1;
    const int64_t count = view.rank ? view.shape[last] : 1,
                  stride = view.rank ? view.stride[last] : 1;
    do {
        const int64_t offset = tg_index_offset(&walk, view.stride);
        const char *row = (const char *)view.data +
                          offset * (int64_t)tg_carrier_bytes[tg_carrier_of(guard->in.dtype)];
        const int64_t found = tg_guard_find(guard, row, stride, count);
        if (found < count) {
            if (view.rank) walk.at[last] = found;
            report(m, inst, &walk, (int64_t)tg_guard_element(row, guard->in.dtype, found * stride));
            return;
        }
        if (view.rank) walk.at[last] = count - 1;
    } while (tg_index_next(&walk));
}
