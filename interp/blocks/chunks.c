#include "interp/blocks/chunks.h"

static void add_dim(tg_dims *dims, int64_t extent, int64_t stride)
{
    dims->shape[dims->rank] = extent;
    dims->stride[dims->rank++] = stride;
    dims->count *= extent;
}

tg_split tg_split_view(const tg_view *view, unsigned along)
{
    tg_split split = {.kept.count = 1, .along.count = 1};
    for (int d = 0; d < view->rank; d++)
        add_dim(along >> d & 1 ? &split.along : &split.kept, view->shape[d], view->stride[d]);
    return split;
}

void tg_dims_join(tg_dims *dims)
{
    int rank = 0;
    for (int d = 0; d < dims->rank; d++) {
        const int64_t extent = dims->shape[d], stride = dims->stride[d];
        if (extent == 1) continue;
        if (rank > 0 && dims->stride[rank - 1] == extent * stride)
            dims->shape[--rank] *= extent;
        else
            dims->shape[rank] = extent;
        dims->stride[rank++] = stride;
    }
    dims->rank = rank;
}

bool tg_chunk_next(const tg_dims *kept, int64_t most, tg_chunk *it)
{
    it->first += it->dims.count;
    if (it->first >= kept->count) return false;
    int d = kept->rank;
    int64_t inner = 1; /* elements of the dimensions that fit whole */
    while (d > 0 && inner * kept->shape[d - 1] <= most) inner *= kept->shape[--d];

    it->dims = (tg_dims){.count = 1};
    it->offset = 0;
    int64_t rest = it->first / inner;
    for (int e = d - 1; e >= 0; e--) {
        const int64_t extent = kept->shape[e], index = rest % extent, left = extent - index;
        it->offset += index * kept->stride[e];
        rest /= extent;
        if (e == d - 1)
            add_dim(&it->dims, left < most / inner ? left : most / inner, kept->stride[e]);
    }
    for (; d < kept->rank; d++) add_dim(&it->dims, kept->shape[d], kept->stride[d]);
    return true;
}

tg_view tg_dims_view(const void *data, const tg_dims *a, const tg_dims *b)
{
    tg_view view = {.data = data, .rank = a->rank + b->rank};
    for (int d = 0; d < view.rank; d++) {
        const tg_dims *from = d < a->rank ? a : b;
        const int e = d < a->rank ? d : d - a->rank;
        view.shape[d] = from->shape[e];
        view.stride[d] = from->stride[e];
    }
    return view;
}

int64_t tg_chunk_size(const tg_split *split)
{
    const int64_t cached = 65536,
                  fewest = 16; /* elements; a cache line of them even if n is large */
    const int64_t along = split->along.count > 0 ? split->along.count : 1;
    const int64_t size = cached / along > fewest ? cached / along : fewest;
    const int64_t kept = split->kept.count > 0 ? split->kept.count : 1;
    return size < kept ? size : kept;
}
