#include "interp/blocks/slices.h"

tg_slices tg_slices_of(const tg_gather_shape *g, const tg_view *operand, const tg_view *indices,
                       const tg_view *list)
{
    tg_slices s = {.g = g,
                   .operand = operand,
                   .indices = indices,
                   .slice_count = 1,
                   .batch_count = 1,
                   .index = indices->data};
    int operand_dim = 0;
    for (int d = 0; d < list->rank; d++) {
        if (!(g->offset_dims >> d & 1)) {
            s.batch[s.batch_rank++] = list->stride[d];
            s.batch_count *= list->shape[d];
            continue;
        }
        while (tg_gather_leaves_out(g, operand_dim)) operand_dim++;
        s.shape[s.rank] = list->shape[d];
        s.in_list[s.rank] = list->stride[d];
        s.in_operand[s.rank++] = operand->stride[operand_dim++];
        s.slice_count *= list->shape[d];
    }
    return s;
}

bool tg_slices_find(const tg_slices *s, bool clamps, int64_t *offset)
{
    *offset = 0;
    for (int i = 0; i < s->g->index_size; i++) {
        const int d = s->g->start_index_map[i];
        const int64_t last = s->operand->shape[d] - s->g->slice_sizes[d];
        int64_t start = s->index[i * s->indices->stride[s->batch_rank]];
        if (last < 0 || (!clamps && (start < 0 || start > last))) return false;
        start = start > last ? last : start;
        *offset += (start < 0 ? 0 : start) * s->operand->stride[d];
    }
    for (int i = 0; i < s->g->batch_count; i++)
        *offset += s->at[s->g->indices_batch[i]] * s->operand->stride[s->g->operand_batch[i]];
    return true;
}

bool tg_slices_next(tg_slices *s)
{
    for (int d = s->batch_rank - 1; d >= 0; d--) {
        s->list_offset += s->batch[d];
        s->index += s->indices->stride[d];
        if (++s->at[d] < s->indices->shape[d]) return true;
        s->list_offset -= s->batch[d] * s->indices->shape[d];
        s->index -= s->indices->stride[d] * s->indices->shape[d];
        s->at[d] = 0;
    }
    return false;
}
