/* Instructions that move elements to places which depend on values: gather, scatter, sort. */
#include <string.h>

#include "interp/machine.h"

static unsigned dim_bits(const tg_op *op, tg_attr_id id)
{
    const tg_attr *attr = tg_op_attr(op, id);
    unsigned bits = 0;
    for (int64_t i = 0; attr && i < attr->count; i++) bits |= 1U << attr->as.ints[i];
    return bits;
}

static void dim_list(const tg_op *op, tg_attr_id id, int8_t *out, int *count)
{
    const tg_attr *attr = tg_op_attr(op, id);
    int n = attr ? (int)attr->count : 0;
    for (int i = 0; i < n; i++) out[i] = (int8_t)attr->as.ints[i];
    if (count) *count = n;
}

/* What gather and scatter have in common, but for the slice sizes. */
static tg_gather_shape shape_of(const tg_op *op)
{
    tg_gather_shape g = {.offset_dims = dim_bits(op, TG_ATTR_offset_dims),
                         .collapsed_dims = dim_bits(op, TG_ATTR_collapsed_dims)};
    dim_list(op, TG_ATTR_start_index_map, g.start_index_map, &g.index_size);
    dim_list(op, TG_ATTR_operand_batch, g.operand_batch, &g.batch_count);
    dim_list(op, TG_ATTR_indices_batch, g.indices_batch, NULL);
    return g;
}

void tg_gather_run(tg_machine *m, const struct tg_inst_gather *gather)
{
    tg_gather_shape g = shape_of(gather->op);
    tg_view in = tg_operand_view(m, &gather->in), indices = tg_operand_view(m, &gather->indices);
    uint64_t fill = gather->fill;
    memcpy(g.slice_sizes, tg_op_attr(gather->op, TG_ATTR_slice_sizes)->as.ints,
           (size_t)in.rank * sizeof g.slice_sizes[0]);
    if (!gather->has_fill_value) tg_launch_fill(m->launch, &fill, gather->result.dtype, 1);
    tg_gather(&g, &in, &indices, &gather->result,
              tg_carrier_bytes[tg_carrier_of(gather->result.dtype)], gather->fills ? &fill : NULL,
              tg_operand_at(m, &gather->out));
}

/* Dimensions that the updates have run over the slice, the others take one element of it. */
static void set_slice_sizes(tg_gather_shape *g, int rank, const tg_view *updates)
{
    unsigned left_out = g->collapsed_dims, offset_dims = g->offset_dims;
    for (int i = 0; i < g->batch_count; i++) left_out |= 1U << g->operand_batch[i];
    for (int d = 0, from = 0; d < rank; d++) {
        g->slice_sizes[d] = 1;
        if (left_out >> d & 1) continue;
        while (!(offset_dims >> from & 1)) from++;
        g->slice_sizes[d] = updates->shape[from++];
    }
}

void tg_scatter_run(tg_machine *m, const struct tg_inst_scatter *scatter)
{
    tg_gather_shape g = shape_of(scatter->op);
    tg_view target = tg_operand_view(m, &scatter->out);
    tg_view indices = tg_operand_view(m, &scatter->indices);
    tg_view updates = tg_operand_view(m, &scatter->updates);
    set_slice_sizes(&g, target.rank, &updates);
    tg_scatter(m->launch->lanes, scatter->combine, scatter->out.dtype, &g, &indices, &updates,
               scatter->clamps, &target);
}

void tg_sort_run(tg_machine *m, const struct tg_inst_sort *sort)
{
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
