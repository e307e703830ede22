#include "gpu_backend/elementwise/fast.h"

#include <stddef.h>

#include "gpu_backend/elementwise/canonical.h"
#include "gpu_backend/text/template.h"

enum { NARROW = 1, ALL = 3 };

typedef struct fast_rows {
    tg_opcode op;
    unsigned on;
    tg_ptx_error error;
    const char *text;
} fast_rows;

static const fast_rows table[] = {
#define TG_PTX_FAST(id, on, r, x, a, rows) {TG_OP_##id, on, {r, x, a}, rows},
#include "gpu_backend/elementwise/fast.def"
};

static const fast_rows *rows_of(tg_opcode op, tg_dtype dtype)
{
    const bool is_half = dtype == TG_DT_f16 || dtype == TG_DT_bf16;
    const unsigned on = is_half ? NARROW : dtype == TG_DT_f32 ? ALL & ~NARROW : 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].op == op && (table[i].on & on) != 0) return &table[i];
    return NULL;
}

bool tg_ptx_lane_fast(const tg_ptx_lane_op *l, tg_ptx_reg *out)
{
    const fast_rows *rows = rows_of(l->op, l->dtype);
    if (!rows) return false;
    *out = tg_ptx_finish(l->w, l->dtype,
                         tg_ptx_expand(l->w, l->dtype, TG_PTX_F32, rows->text, l->count, l->in));
    return true;
}

bool tg_ptx_lane_error(tg_opcode op, tg_dtype dtype, tg_ptx_error *out)
{
    const fast_rows *rows = rows_of(op, dtype);
    if (rows) *out = rows->error;
    return rows != NULL;
}
