#include "layout/linear/blocked.h"

#include "layout/linear/tile.h"

static const char *const thread_dims[] = {"register", "lane", "warp", NULL};

static tg_status check_ranks(const tg_encoding_node *node, int rank, tg_diags *diags)
{
    const int ranks[] = {node->size_per_thread.rank, node->threads_per_warp.rank,
                         node->warps_per_cta.rank, node->order.rank};
    for (int i = 0; i < 4; i++)
        if (ranks[i] != rank)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "a list of the encoding has %d numbers, but the tensor has rank %d",
                           ranks[i], rank);
    return TG_OK;
}

tg_status tg_blocked_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                               tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    tg_tile_order order;
    tg_linear tile, blocks;
    TG_TRY(check_ranks(n, shape->rank, diags));
    TG_TRY(tg_tile_order_of(&n->order, &order, diags));
    TG_TRY(tg_tile_begin(thread_dims, &order, &tile, diags));
    TG_TRY(tg_tile_grow_all(&tile, &n->size_per_thread, &order, -1, "register", diags));
    TG_TRY(tg_tile_grow_all(&tile, &n->threads_per_warp, &order, -1, "lane", diags));
    TG_TRY(tg_tile_grow_all(&tile, &n->warps_per_cta, &order, -1, "warp", diags));
    TG_TRY(tg_encoding_blocks(encoding, node, shape->rank, &blocks, diags));
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}

tg_status tg_blocked_operand_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                       tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *dot = &encoding->nodes[node], *n = &encoding->nodes[dot->parent];
    const int rank = shape->rank, k = dot->op_index == 0 ? rank - 1 : rank - 2;
    tg_tile_order order;
    tg_linear tile, blocks;
    TG_TRY(check_ranks(n, rank, diags));
    TG_TRY(tg_tile_order_of(&n->order, &order, diags));
    TG_TRY(tg_tile_begin(thread_dims, &order, &tile, diags));
    tg_shape registers = n->size_per_thread;
    registers.extent[k] = shape->extent[k];
    TG_TRY(tg_tile_grow_all(&tile, &registers, &order, -1, "register", diags));
    TG_TRY(tg_tile_grow_all(&tile, &n->threads_per_warp, &order, k, "lane", diags));
    TG_TRY(tg_tile_grow_all(&tile, &n->warps_per_cta, &order, k, "warp", diags));
    TG_TRY(tg_encoding_blocks(encoding, node, rank, &blocks, diags));
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}
