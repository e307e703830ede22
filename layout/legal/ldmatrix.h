/* Loads and stores of matrices of 8 rows of 16 bytes: which are legal. */
#ifndef TG_LAYOUT_LEGAL_LDMATRIX_H
#define TG_LAYOUT_LEGAL_LDMATRIX_H

#include <stdint.h>

#include "layout/legal/demand.h"

typedef enum tg_ldmatrix_rule {
#define TG_LDMATRIX_RULE(id, demands, source) TG_LDMATRIX_##id,
#include "layout/legal/ldmatrix.def"
    TG_LDMATRIX_RULE_COUNT
} tg_ldmatrix_rule;

extern const tg_demand tg_ldmatrix_rules[TG_LDMATRIX_RULE_COUNT];

enum { TG_LDMATRIX_ROWS = 8, TG_LDMATRIX_LANES = 32 };

typedef struct tg_ldmatrix {
    int count;                          /* of matrices */
    int64_t address[TG_LDMATRIX_LANES]; /* in bytes: lane 8 i + r has row r of matrix i */
} tg_ldmatrix;

/* TG_ERR_INVALID with the first rule that is broken, or with `all`, with each.  Of lanes without a row,
 * addresses do not count. */
tg_status tg_ldmatrix_check(const tg_ldmatrix *move, bool all, tg_diags *diags);

#endif
