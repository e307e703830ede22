#include "layout/legal/ldmatrix.h"

#include <inttypes.h>

enum { ROW_BYTES = 16 };

const tg_demand tg_ldmatrix_rules[TG_LDMATRIX_RULE_COUNT] = {
#define TG_LDMATRIX_RULE(id, demands, source)                                                      \
    [TG_LDMATRIX_##id] = {"ldmatrix_" #id, demands, source},
#include "layout/legal/ldmatrix.def"
};

static bool keeps_count(const tg_ldmatrix *l, tg_text *found)
{
    tg_text_add(found, "there are %d", l->count);
    return l->count == 1 || l->count == 2 || l->count == 4;
}

static bool keeps_row(const tg_ldmatrix *l, tg_text *found)
{
    for (int i = 0; i < TG_LDMATRIX_LANES && i < l->count * TG_LDMATRIX_ROWS; i++)
        if (l->address[i] % ROW_BYTES != 0) {
            tg_text_add(found, "row %d of matrix %d begins at %" PRId64, i % TG_LDMATRIX_ROWS,
                        i / TG_LDMATRIX_ROWS, l->address[i]);
            return false;
        }
    return true;
}

static bool (*const keeps[])(const tg_ldmatrix *, tg_text *) = {
#define TG_LDMATRIX_RULE(id, demands, source) [TG_LDMATRIX_##id] = keeps_##id,
#include "layout/legal/ldmatrix.def"
};

tg_status tg_ldmatrix_check(const tg_ldmatrix *move, bool all, tg_diags *diags)
{
    tg_status status = TG_OK;
    for (int i = 0; i < TG_LDMATRIX_RULE_COUNT; i++) {
        tg_text found = {0};
        if (keeps[i](move, &found)) {
            tg_text_drop(&found);
            continue;
        }
        status = tg_demand_broken(&tg_ldmatrix_rules[i], &found, diags);
        if (!all) break;
    }
    return status;
}
