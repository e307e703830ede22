/* Instructions that move elements to positions which depend on values: gather, scatter, sort. */
#include "interp/state/handlers.h"
#include "interp/blocks/gather.h"
#include "interp/blocks/scatter.h"
#include "interp/blocks/sort.h"
#include "interp/state/fill.h"
#include "interp/state/operand.h"

void tg_exec_gather(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_gather *gather = inst->as.gather;
    tg_view in = tg_operand_view(m, &gather->in), indices = tg_operand_view(m, &gather->indices);
    tg_gather_shape g = tg_gather_shape_of(gather->op, in.rank, gather->result.shape);
    uint64_t fill = gather->fill;
    if (!gather->has_fill_value) tg_launch_fill(m->launch, &fill, gather->result.dtype, 1);
    tg_gather(&g, &in, &indices, &gather->result,
              tg_carrier_bytes[tg_carrier_of(gather->result.dtype)], gather->fills ? &fill : NULL,
              tg_operand_at(m, &gather->out));
}

void tg_exec_scatter(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_scatter *scatter = inst->as.scatter;
    tg_view target = tg_operand_view(m, &scatter->out);
    tg_view indices = tg_operand_view(m, &scatter->indices);
    tg_view updates = tg_operand_view(m, &scatter->updates);
    tg_gather_shape g = tg_gather_shape_of(scatter->op, target.rank, updates.shape);
    tg_scatter(m->launch->elementwise, scatter->combine, scatter->out.dtype, &g, &indices, &updates,
               scatter->clamps, &target);
}

void tg_exec_sort(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_sort *sort = inst->as.sort;
    tg_view first = tg_operand_view(m, &sort->in[0]);
    tg_sort_start(&first, sort->axis, m->extra);
    for (uint32_t k = sort->keys; k-- > 0;) {
        tg_view key = tg_operand_view(m, &sort->in[k]);
        tg_sort_by(&key, sort->in[k].dtype, sort->axis, sort->descending, sort->total, m->extra);
    }
    for (uint32_t i = 0; i < sort->count; i++) {
        tg_view in = tg_operand_view(m, &sort->in[i]);
        tg_sort_apply(&in, tg_carrier_bytes[tg_carrier_of(sort->in[i].dtype)], sort->axis,
                      tg_operand_at(m, &sort->out[i]), m->extra);
    }
}
