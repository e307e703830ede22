#include "layout/linear/encoding.h"

#include "layout/linear/tile.h"

/* The blocks of an operand, without what they split of dimension k. */
static tg_status blocks_of_operand(const tg_encoding *encoding, int node, int rank,
                                   tg_linear *blocks, tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    tg_linear parent;
    const int k = n->op_index == 0 ? rank - 1 : rank - 2;
    TG_TRY(tg_encoding_blocks(encoding, n->parent, rank, &parent, diags));
    *blocks = parent;
    blocks->out.list[k].bits = 0;
    for (int i = 0; i < tg_linear_bit_count(&parent.in); i++) {
        blocks->columns[i] = 0;
        for (int o = 0; o < rank; o++)
            if (o != k)
                blocks->columns[i] |= tg_linear_column(
                    &blocks->out, o, tg_linear_part(&parent.out, parent.columns[i], o));
    }
    return TG_OK;
}

tg_status tg_encoding_blocks(const tg_encoding *encoding, int node, int rank, tg_linear *blocks,
                             tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    if (n->kind == TG_ENCODING_dot_op)
        return blocks_of_operand(encoding, node, rank, blocks, diags);
    *blocks = n->blocks;
    if (!blocks->in.count) TG_TRY(tg_linear_add_dim(&blocks->in, "block", 0, diags));
    if (tg_linear_bit_count(&blocks->in) == 0)
        while (blocks->out.count < rank)
            TG_TRY(tg_linear_add_dim(&blocks->out, tg_tile_dim(blocks->out.count), 0, diags));
    if (blocks->out.count == rank) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "the bases of CGALayout have %d numbers, but the layout has rank %d",
                   blocks->out.count, rank);
}
