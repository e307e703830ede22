/* Guards: report operands that the kernel's dialect forbids, or that break a promise of the source.
 * The next op gives the result that it has in the dialect `xla`. */
#include <inttypes.h>
#include <stdio.h>

#include "interp/state/index_walk.h"
#include "interp/state/handlers.h"
#include "interp/state/found.h"
#include "interp/state/operand.h"

/* An element of an integer operand as bits; a signed one is sign-extended. */
static uint64_t element_at(const tg_view *view, tg_dtype dtype, int64_t offset)
{
    switch (tg_carrier_of(dtype)) {
    case TG_C_i8: return (uint64_t)((const int8_t *)view->data)[offset];
    case TG_C_u8: return ((const uint8_t *)view->data)[offset];
    case TG_C_i16: return (uint64_t)((const int16_t *)view->data)[offset];
    case TG_C_u16: return ((const uint16_t *)view->data)[offset];
    case TG_C_i32: return (uint64_t)((const int32_t *)view->data)[offset];
    case TG_C_u32: return ((const uint32_t *)view->data)[offset];
    default: return ((const uint64_t *)view->data)[offset];
    }
}

static bool is_forbidden(const struct tg_inst_guard *guard, uint64_t element)
{
    switch (guard->kind) {
    case TG_GUARD_NOT_ZERO: return element == 0;
    case TG_GUARD_BELOW: return element >= (uint64_t)guard->limit;
    case TG_GUARD_MULTIPLE: break;
    }
    return tg_is_signed(guard->in.dtype) ? (int64_t)element % guard->limit != 0
                                         : element % (uint64_t)guard->limit != 0;
}

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

void tg_exec_guard(tg_machine *m, const tg_inst *inst)
{
    const tg_view view = tg_operand_view(m, &inst->as.guard->in);
    tg_index_walk walk;
    if (!tg_index_begin(&walk, view.rank, view.shape)) return;
    do {
        const uint64_t element =
            element_at(&view, inst->as.guard->in.dtype, tg_index_offset(&walk, view.stride));
        if (!is_forbidden(inst->as.guard, element)) continue;
        report(m, inst, &walk, (int64_t)element);
        return;
    } while (inst->as.guard->kind != TG_GUARD_MULTIPLE && tg_index_next(&walk));
}
