/* XLA's gather.  Result dimensions are of two sorts, each in order: the offset dimensions run over a slice
 * of the operand (its dimensions that are neither collapsed nor batch dimensions), the others over the
 * indices (all their dimensions but the last). */
#include <string.h>

#include "interp/blocks/blocks.h"

/* A gather taken apart. */
typedef struct plan {
    const tg_gather_shape *g;
    const tg_view *operand, *indices;
    tg_view slice;                    /* of the operand, at its origin */
    int64_t slice_to[TG_MAX_RANK];    /* strides of the slice's dimensions in the result */
    int batch_rank;                   /* = indices->rank - 1 */
    int64_t batch_to[TG_MAX_RANK];    /* strides of the indices' dimensions in the result */
    int64_t slice_count, batch_count; /* elements */
} plan;

static bool is_left_out(const tg_gather_shape *g, int operand_dim)
{
    if (g->collapsed_dims >> operand_dim & 1) return true;
    for (int i = 0; i < g->batch_count; i++)
        if (g->operand_batch[i] == operand_dim) return true;
    return false;
}

static plan plan_of(const tg_gather_shape *g, const tg_view *operand, const tg_view *indices,
                    const tg_type *result)
{
    plan p = {.g = g, .operand = operand, .indices = indices, .slice_count = 1, .batch_count = 1};
    int64_t to[TG_MAX_RANK];
    tg_dense_strides(result->rank, result->shape, to);
    int operand_dim = 0;
    p.slice.data = operand->data;
    for (int d = 0; d < result->rank; d++) {
        if (!(g->offset_dims >> d & 1)) {
            p.batch_to[p.batch_rank++] = to[d];
            p.batch_count *= result->shape[d];
            continue;
        }
        while (is_left_out(g, operand_dim)) operand_dim++;
        p.slice_to[p.slice.rank] = to[d];
        p.slice.shape[p.slice.rank] = result->shape[d];
        p.slice.stride[p.slice.rank++] = operand->stride[operand_dim++];
        p.slice_count *= result->shape[d];
    }
    return p;
}

/* Offset of the slice for one position in the indices, or false where it lies outside and is not clamped.
 * `index` points at the first of its components. */
static bool find_slice(const plan *p, const int32_t *index, const int64_t *batch_at, bool clamps,
                       int64_t *offset)
{
    *offset = 0;
    for (int i = 0; i < p->g->index_size; i++) {
        const int d = p->g->start_index_map[i];
        const int64_t last = p->operand->shape[d] - p->g->slice_sizes[d];
        int64_t start = index[i * p->indices->stride[p->batch_rank]];
        if (!clamps && (start < 0 || start > last)) return false;
        start = start > last ? last : start;
        *offset += (start < 0 ? 0 : start) * p->operand->stride[d];
    }
    for (int i = 0; i < p->g->batch_count; i++)
        *offset += batch_at[p->g->indices_batch[i]] * p->operand->stride[p->g->operand_batch[i]];
    return true;
}

static void copy_slice(const plan *p, char *to, const char *from, size_t bytes)
{
    if (p->slice_count == 1) {
        memcpy(to, from, bytes);
        return;
    }
    tg_view slice = p->slice;
    slice.data = from;
    tg_copy_view(to, p->slice_to, &slice, bytes);
}

static void fill_slice(const plan *p, char *to, const void *fill, size_t bytes)
{
    tg_view slice = p->slice;
    slice.data = fill;
    memset(slice.stride, 0, sizeof slice.stride);
    tg_copy_view(to, p->slice_to, &slice, bytes);
}

void tg_gather(const tg_gather_shape *g, const tg_view *operand, const tg_view *indices,
               const tg_type *result, size_t bytes, const void *fill, void *out)
{
    const plan p = plan_of(g, operand, indices, result);
    if (p.slice_count == 0 || p.batch_count == 0) return;
    const int64_t size = (int64_t)bytes;
    int64_t at[TG_MAX_RANK] = {0};
    char *to = out;
    const int32_t *index = indices->data;
    for (;;) {
        int64_t offset;
        if (find_slice(&p, index, at, fill == NULL, &offset))
            copy_slice(&p, to, (const char *)operand->data + offset * size, bytes);
        else
            fill_slice(&p, to, fill, bytes);
        int d = p.batch_rank - 1;
        for (; d >= 0; d--) {
            to += p.batch_to[d] * size;
            index += indices->stride[d];
            if (++at[d] < indices->shape[d]) break;
            to -= p.batch_to[d] * indices->shape[d] * size;
            index -= indices->stride[d] * indices->shape[d];
            at[d] = 0;
        }
        if (d < 0) return;
    }
}
