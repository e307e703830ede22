/* Instructions on tensor memory: which are legal. */
#ifndef TG_LAYOUT_LEGAL_TCGEN05_H
#define TG_LAYOUT_LEGAL_TCGEN05_H

#include <stdint.h>

#include "layout/legal/demand.h"

typedef enum tg_tcgen05_rule {
#define TG_TCGEN05_RULE(id, of, demands, source) TG_TCGEN05_##id,
#include "layout/legal/tcgen05.def"
    TG_TCGEN05_RULE_COUNT
} tg_tcgen05_rule;

extern const tg_demand tg_tcgen05_rules[TG_TCGEN05_RULE_COUNT];

typedef enum tg_tcgen05_of {
    TG_TCGEN05_OF_MMA,   /* tcgen05.mma */
    TG_TCGEN05_OF_ALLOC, /* tcgen05.alloc */
    TG_TCGEN05_OF_MOVE   /* tcgen05.ld, tcgen05.st */
} tg_tcgen05_of;

/* One instruction; what counts depends on which. */
typedef struct tg_tcgen05 {
    tg_tcgen05_of of;
    /* MMA: D (M, N) += A (M, K) B (K, N), of all CTAs together */
    int ctas;
    int64_t m, n, k;
    int bits; /* of an element of A and B */
    bool is_integer;
    int64_t columns; /* ALLOC */
    /* MOVE: a shape of `rows` lanes of `shape_bits` bits, repeated to the right */
    int rows, shape_bits;
    int64_t repeat, warp, lane, column; /* the first lane and column */
} tg_tcgen05;

/* TG_ERR_INVALID with the first rule that is broken, or with `all`, with each. */
tg_status tg_tcgen05_check(const tg_tcgen05 *instruction, bool all, tg_diags *diags);

#endif
