#include "layout/linear/encoding.h"

#include "layout/linear/amd.h"
#include "layout/linear/blocked.h"
#include "layout/linear/mma.h"
#include "layout/linear/shared.h"
#include "layout/linear/tensor_memory.h"
#include "layout/linear/tile.h"

enum { MOST_EXTENT_BITS = 40 };

static tg_status check_shape(const tg_shape *shape, tg_diags *diags)
{
    if (shape->rank < 1 || shape->rank >= TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "an encoding is not of rank %d", shape->rank);
    for (int i = 0; i < shape->rank; i++) {
        int bits;
        TG_TRY(tg_linear_size_bits(shape->extent[i], &bits, diags));
        if (bits > MOST_EXTENT_BITS)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "an extent is 2^%d; 2^%d is the most",
                           bits, MOST_EXTENT_BITS);
    }
    return TG_OK;
}

/* A layout that is written down: it must be of that shape. */
static tg_status written(const tg_encoding_node *node, const tg_shape *shape, tg_linear *out,
                         tg_diags *diags)
{
    *out = node->layout;
    if (out->out.count != shape->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "the encoding has rank %d, the tensor %d",
                       out->out.count, shape->rank);
    for (int i = 0; i < shape->rank; i++)
        if (shape->extent[i] != INT64_C(1) << out->out.list[i].bits)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "dimension %d of the tensor has %lld indices, the encoding 2^%d", i,
                           (long long)shape->extent[i], out->out.list[i].bits);
    return TG_OK;
}

tg_status tg_encoding_node_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                     tg_linear *out, tg_diags *diags)
{
    switch (encoding->nodes[node].kind) {
    case TG_ENCODING_blocked: return tg_blocked_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_slice: return tg_slice_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_dot_op: break;
    case TG_ENCODING_nvidia_mma: return tg_mma_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_amd_mfma: return tg_mfma_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_amd_wmma: return tg_wmma_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_linear:
    case TG_ENCODING_shared_linear: return written(&encoding->nodes[node], shape, out, diags);
    case TG_ENCODING_swizzled_shared:
    case TG_ENCODING_amd_rotating_shared:
        return tg_swizzled_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_nvmma_shared: return tg_nvmma_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_tensor_memory:
        return tg_tensor_memory_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_tensor_memory_scales:
        return tg_tensor_memory_scales_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_COUNT: break;
    }
    const tg_encoding_kind parent = encoding->nodes[encoding->nodes[node].parent].kind;
    if (encoding->nodes[node].op_index > 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a dot has operands 0 and 1, not %lld",
                       (long long)encoding->nodes[node].op_index);
    if (shape->rank < 2)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "an operand of a dot is not of rank %d",
                       shape->rank);
    switch (parent) {
    case TG_ENCODING_blocked:
        return tg_blocked_operand_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_nvidia_mma: return tg_mma_operand_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_amd_mfma: return tg_mfma_operand_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_amd_wmma: return tg_wmma_operand_to_linear(encoding, node, shape, out, diags);
    default:
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "an operand of a dot has a parent that is no layout of its result");
    }
}

tg_status tg_encoding_to_linear(const tg_encoding *encoding, const tg_shape *shape, tg_linear *out,
                                tg_diags *diags)
{
    TG_TRY(check_shape(shape, diags));
    return tg_encoding_node_to_linear(encoding, 0, shape, out, diags);
}

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
