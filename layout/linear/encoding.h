/* Triton's encodings: who holds a tensor, or where it is, said by a few numbers. */
#ifndef TG_LAYOUT_LINEAR_ENCODING_H
#define TG_LAYOUT_LINEAR_ENCODING_H

#include "layout/linear/linear.h"
#include "layout/shape.h"

typedef enum tg_encoding_kind {
#define TG_ENCODING(id, name) TG_ENCODING_##id,
#include "layout/linear/encodings.def"
    TG_ENCODING_COUNT
} tg_encoding_kind;

/* What encodings.def names; 0 or empty if it is not written. */
typedef struct tg_encoding_node {
    tg_encoding_kind kind;
    int parent; /* of a slice or a dot operand: which node */
    int64_t dim, op_index, k_width;
    int64_t version, version_minor, element_bits, rank;
    int64_t vec, per_phase, max_phase, swizzle_bytes;
    int64_t block_m, block_n, column_stride;
    int64_t transposed, fp4_padded, two_ctas; /* 0 or 1 */
    tg_shape size_per_thread, threads_per_warp, warps_per_cta, order, instr_shape, tiles_per_warp;
    tg_linear blocks; /* block -> dim0, dim1, .. */
    tg_linear layout; /* of linear and shared_linear; of wmma: register, warp -> dim0, dim1, .. */
} tg_encoding_node;

enum {
    TG_ENCODING_MAX_NODES = 6,
    TG_ENCODING_MAX_NUMBER = 65536 /* of numbers in a text */
};

/* The first node is the encoding; parents follow. */
typedef struct tg_encoding {
    int count;
    tg_encoding_node nodes[TG_ENCODING_MAX_NODES];
} tg_encoding;

/* Reads an attribute as Triton prints it: #ttg.blocked<{sizePerThread = [1], ..}>.  TG_ERR_SYNTAX
 * for a text that is not one, TG_ERR_INVALID for a key that does not belong to the encoding, or is
 * missing, or that is there twice, or for a number beyond TG_ENCODING_MAX_NUMBER; with the offset
 * in `text`. */
tg_status tg_encoding_read(const char *text, size_t length, tg_encoding *out, tg_diags *diags);

/* The blocks of a node, of that rank.  Of a dot operand, they do not split dimension k. */
tg_status tg_encoding_blocks(const tg_encoding *encoding, int node, int rank, tg_linear *blocks,
                             tg_diags *diags);

#endif
