#include "interp/exec/trace.h"

#include <string.h>

#include "interp/blocks/copy.h"
#include "interp/state/operand.h"

void tg_machine_trace_begin(tg_machine *m)
{
    /* Index maps are not in the log. */
    m->traced = m->is_in_map ? NULL : tg_trace_take(m->launch->trace, m->pc, m->program_index);
    m->traced_inst = m->pc;
}

void tg_machine_trace_op(tg_machine *m, uint32_t op_number, const void *carriers, size_t count)
{
    const tg_trace_sites *sites = m->launch->trace->sites;
    const tg_trace_site *site = &sites->list[sites->first[m->traced_inst] + op_number];
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(site->block.dtype)];
    memcpy(m->traced + site->offset + sizeof(tg_trace_record) + m->group_elements * bytes, carriers,
           count * bytes);
}

void tg_machine_trace_end(tg_machine *m)
{
    const tg_trace_sites *sites = m->launch->trace->sites;
    for (uint32_t s = sites->first[m->traced_inst]; s < sites->first[m->traced_inst + 1]; s++) {
        const tg_trace_site *site = &sites->list[s];
        if (!site->operand) return; /* a group, whose ops are in the log already */
        const tg_view view = tg_operand_view(m, site->operand);
        int64_t dense[TG_MAX_RANK];
        tg_dense_strides(view.rank, view.shape, dense);
        tg_copy_view(m->traced + site->offset + sizeof(tg_trace_record), dense, &view,
                     tg_carrier_bytes[tg_carrier_of(site->block.dtype)]);
    }
}
