#include "layout/linear/encoded.h"

#include <string.h>

#include "layout/linear/amd.h"
#include "layout/linear/blocked.h"
#include "layout/linear/mma.h"
#include "layout/linear/resize.h"
#include "layout/linear/shared.h"
#include "layout/linear/sublayout.h"
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

/* Operand 0 or 1 of the parent, the result. */
static tg_status operand_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                   tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    if (n->op_index > 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a dot has operands 0 and 1, not %lld",
                       (long long)n->op_index);
    if (shape->rank < 2)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "an operand of a dot is not of rank %d",
                       shape->rank);
    switch (encoding->nodes[n->parent].kind) {
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

static tg_status node_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                tg_linear *out, tg_diags *diags);

/* The parent, without one of its dimensions. */
static tg_status slice_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                 tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    tg_shape of_parent = {.rank = shape->rank + 1};
    if (n->dim > shape->rank || of_parent.rank >= TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a slice of rank %d has no dimension %lld left out", shape->rank,
                       (long long)n->dim);
    for (int i = 0; i < of_parent.rank; i++)
        of_parent.extent[i] = i == n->dim ? 1 : shape->extent[i - (i > n->dim)];
    TG_TRY(node_to_linear(encoding, n->parent, &of_parent, out, diags));
    tg_linear_sublayout(out, ~(tg_linear_dim_set)0, ~(UINT32_C(1) << n->dim), out);
    for (int i = 0; i < out->out.count; i++) strcpy(out->out.list[i].name, tg_tile_dim(i));
    return tg_linear_remove_zeros(out, "register", diags);
}

static tg_status node_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                tg_linear *out, tg_diags *diags)
{
    switch (encoding->nodes[node].kind) {
    case TG_ENCODING_blocked: return tg_blocked_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_slice: return slice_to_linear(encoding, node, shape, out, diags);
    case TG_ENCODING_dot_op: return operand_to_linear(encoding, node, shape, out, diags);
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
    return TG_ERR_INVALID;
}

tg_status tg_encoding_to_linear(const tg_encoding *encoding, const tg_shape *shape, tg_linear *out,
                                tg_diags *diags)
{
    TG_TRY(check_shape(shape, diags));
    return node_to_linear(encoding, 0, shape, out, diags);
}
