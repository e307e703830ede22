/* Multiplications of matrices by a warpgroup: which are legal. */
#ifndef TG_LAYOUT_LEGAL_WGMMA_H
#define TG_LAYOUT_LEGAL_WGMMA_H

#include <stdint.h>

#include "layout/legal/demand.h"

typedef enum tg_wgmma_rule {
#define TG_WGMMA_RULE(id, demands, source) TG_WGMMA_##id,
#include "layout/legal/wgmma.def"
    TG_WGMMA_RULE_COUNT
} tg_wgmma_rule;

extern const tg_demand tg_wgmma_rules[TG_WGMMA_RULE_COUNT];

/* A matrix in shared memory, or A in registers. */
typedef struct tg_wgmma_operand {
    bool in_registers;
    bool is_mn_major; /* contiguous along M or N, not along K */
    int swizzle;      /* bytes; 16: there is none */
    int64_t address;
    int64_t tile_rows, tile_columns; /* of contiguous tiles, in elements; columns are contiguous */
} tg_wgmma_operand;

typedef struct tg_wgmma {
    int64_t m, n, k;
    int bits; /* of an element of A and B */
    bool is_integer;
    bool is_mosaic; /* Mosaic's own rules count */
    tg_wgmma_operand a, b;
} tg_wgmma;

/* TG_ERR_INVALID with the first rule that is broken, or with `all`, with each. */
tg_status tg_wgmma_check(const tg_wgmma *wgmma, bool all, tg_diags *diags);

#endif
