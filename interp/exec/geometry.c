#include "interp/exec/geometry.h"

static bool merges(const tg_geometry *geo, uint32_t count, const uint8_t *storage,
                   const tg_group *g, int d)
{
    int last = geo->rank - 1;
    for (uint32_t i = 0; i < count; i++) {
        int64_t inner = tg_group_operand(g, i)->stride[storage[i]][d];
        if (geo->stride[i * TG_MAX_RANK + (uint32_t)last] != inner * g->shape[d]) return false;
    }
    return true;
}

/* Goes from the outermost dimension to the innermost, and merges each into the one before if the
 * strides of every operand allow it. */
void tg_geometry_make(const tg_group *g, const uint8_t *storage, tg_geometry *geo)
{
    uint32_t count = tg_group_operand_count(g);
    geo->rank = 0;
    for (int d = 0; d < g->rank; d++) {
        if (g->shape[d] == 1) continue;
        bool merged = geo->rank > 0 && merges(geo, count, storage, g, d);
        int at = merged ? geo->rank - 1 : geo->rank++;
        geo->shape[at] = merged ? geo->shape[at] * g->shape[d] : g->shape[d];
        for (uint32_t i = 0; i < count; i++)
            geo->stride[i * TG_MAX_RANK + (uint32_t)at] =
                tg_group_operand(g, i)->stride[storage[i]][d];
    }
    if (geo->rank == 0) {
        geo->rank = 1;
        geo->shape[0] = 1;
        for (uint32_t i = 0; i < count; i++)
            geo->stride[i * TG_MAX_RANK] = i < g->input_count ? 0 : 1;
    }
}
