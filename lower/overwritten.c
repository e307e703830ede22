#include "lower/overwritten.h"

#include "ir/first_use.h"
#include "layout/address.h"
#include "plan/recast.h"

/* Whether the view has every element of the memory. */
static bool has_all(const tg_lowerer *l, tg_value_id memory, tg_value_id view)
{
    tg_axe address;
    const tg_type *type = &l->kernel->values[memory].type;
    tg_axe_address(l->kernel->values[view].layout, tg_dtypes[type->dtype].bits, &address, NULL);
    const int64_t count = tg_type_count(&l->kernel->values[view].type);
    return tg_recast_is_apart(&address) && count == tg_type_count(type) &&
           tg_axe_reach(&address) == count;
}

bool tg_lower_is_overwritten(const tg_lowerer *l, const tg_region *region, uint32_t from,
                             tg_value_id memory)
{
    const tg_op *first = tg_region_first_use(region, from, &memory, 1);
    if (!first || first->code != TG_OP_view_layout)
        return first && tg_op_overwrites(l->kernel, first, memory);
    const tg_value_id uses[] = {memory, first->out[0]};
    if (!has_all(l, memory, uses[1])) return false;
    first = tg_region_first_use(region, (uint32_t)(first - region->ops) + 1, uses, 2);
    return first && tg_op_overwrites(l->kernel, first, uses[1]);
}
