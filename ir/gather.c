#include "ir/gather.h"

static unsigned dim_bits(const tg_op *op, tg_attr_id id)
{
    const tg_attr *attr = tg_op_attr(op, id);
    unsigned bits = 0;
    for (int64_t i = 0; attr && i < attr->count; i++) bits |= 1U << attr->as.ints[i];
    return bits;
}

static int dim_list(const tg_op *op, tg_attr_id id, int8_t *out)
{
    const tg_attr *attr = tg_op_attr(op, id);
    int n = attr ? (int)attr->count : 0;
    for (int i = 0; i < n; i++) out[i] = (int8_t)attr->as.ints[i];
    return n;
}

bool tg_gather_leaves_out(const tg_gather_shape *g, int operand_dim)
{
    if (g->collapsed_dims >> operand_dim & 1) return true;
    for (int i = 0; i < g->batch_count; i++)
        if (g->operand_batch[i] == operand_dim) return true;
    return false;
}

/* The slice covers each operand dimension that the list has, and one element of each other one. */
static void set_slice_sizes(tg_gather_shape *g, int rank, const int64_t *list)
{
    for (int d = 0, from = 0; d < rank; d++) {
        g->slice_sizes[d] = 1;
        if (tg_gather_leaves_out(g, d)) continue;
        while (!(g->offset_dims >> from & 1)) from++;
        g->slice_sizes[d] = list[from++];
    }
}

tg_gather_shape tg_gather_shape_of(const tg_op *op, int rank, const int64_t *list)
{
    tg_gather_shape g = {.offset_dims = dim_bits(op, TG_ATTR_offset_dims),
                         .collapsed_dims = dim_bits(op, TG_ATTR_collapsed_dims)};
    g.index_size = dim_list(op, TG_ATTR_start_index_map, g.start_index_map);
    g.batch_count = dim_list(op, TG_ATTR_operand_batch, g.operand_batch);
    dim_list(op, TG_ATTR_indices_batch, g.indices_batch);
    set_slice_sizes(&g, rank, list);
    return g;
}
