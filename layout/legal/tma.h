/* Copies between global and shared memory by the tensor memory accelerator: which are legal. */
#ifndef TG_LAYOUT_LEGAL_TMA_H
#define TG_LAYOUT_LEGAL_TMA_H

#include "layout/legal/demand.h"
#include "layout/shape.h"

typedef enum tg_tma_rule {
#define TG_TMA_RULE(id, demands, source) TG_TMA_##id,
#include "layout/legal/tma.def"
    TG_TMA_RULE_COUNT
} tg_tma_rule;

extern const tg_demand tg_tma_rules[TG_TMA_RULE_COUNT];

/* Dimensions are in the order of rows: the last is contiguous.  The driver API has them the other way
 * round. */
typedef struct tg_tma {
    tg_shape size;                     /* of the array in global memory, in elements */
    int64_t stride[TG_SHAPE_MAX_RANK]; /* of each dimension, in elements */
    int64_t box[TG_SHAPE_MAX_RANK];    /* what is copied, in elements */
    int64_t
        element_stride[TG_SHAPE_MAX_RANK]; /* the step within the box: 1, where all are copied */
    int bits;                              /* of an element */
    int swizzle;                           /* bytes; 16 or 0: there is none */
    int64_t address, shared_address;       /* bytes */
    bool is_mosaic;                        /* Mosaic's own rules count */
} tg_tma;

/* A copy of a whole row-major array, without a swizzle, from and to address 0. */
void tg_tma_begin(const tg_shape *size, int bits, tg_tma *out);

/* TG_ERR_INVALID with the first rule that is broken, or with `all`, with each. */
tg_status tg_tma_check(const tg_tma *tma, bool all, tg_diags *diags);

#endif
