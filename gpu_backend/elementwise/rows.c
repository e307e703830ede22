#include "gpu_backend/elementwise/rows.h"

#include <stddef.h>

#include "gpu_backend/elementwise/canonical.h"
#include "gpu_backend/text/template.h"
#include "ir/type.h"

enum { BOOL = 1, S32 = 2, U32 = 4, S64 = 8, U64 = 16, F32 = 32, F64 = 64 };

enum finish { KEEP, WRAP, ROUND, ZERO };

typedef struct op_rows {
    tg_opcode op;
    unsigned on;
    enum finish finish;
    const char *text;
} op_rows;

static const op_rows table[] = {
#define TG_PTX_ROWS(id, on, finish, rows) {TG_OP_##id, on, finish, rows},
#include "gpu_backend/elementwise/rows.def"
};

static unsigned class_of(tg_dtype dtype)
{
    const bool wide = tg_ptx_is_wide(dtype);
    switch (tg_dtypes[dtype].kind) {
    case TG_KIND_BOOL: return BOOL;
    case TG_KIND_SINT: return wide ? S64 : S32;
    case TG_KIND_UINT: return wide ? U64 : U32;
    default: return wide ? F64 : F32;
    }
}

static const op_rows *rows_of(tg_opcode op, tg_dtype dtype)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].op == op && (table[i].on & class_of(dtype)) != 0) return &table[i];
    return NULL;
}

static bool lacks_signed_zero(tg_dtype dtype)
{
    const tg_float_special special = tg_dtypes[dtype].special;
    return special == TG_SPECIAL_FNUZ || special == TG_SPECIAL_E8M0;
}

static tg_ptx_reg result_of_rows(const tg_ptx_lane_op *l, const op_rows *rows)
{
    const tg_ptx_class class =
        tg_ops[l->op].rule == TG_RULE_PREDICATE ? TG_PTX_B32 : tg_ptx_class_of(l->dtype);
    const tg_ptx_reg raw = tg_ptx_expand(l->w, l->dtype, class, rows->text, l->count, l->in);
    if (rows->finish == KEEP || (rows->finish == ZERO && !lacks_signed_zero(l->dtype))) return raw;
    return tg_ptx_finish(l->w, l->dtype, raw);
}

bool tg_ptx_rows(const tg_ptx_lane_op *l, tg_ptx_reg *out)
{
    const op_rows *const rows = rows_of(l->op, l->dtype);
    if (rows != NULL) *out = result_of_rows(l, rows);
    return rows != NULL;
}

tg_ptx_reg tg_ptx_rows_of_two(const tg_ptx_lane_op *l, tg_opcode op, tg_ptx_reg a, tg_ptx_reg b)
{
    const tg_ptx_reg in[2] = {a, b};
    const tg_ptx_lane_op two = {l->w, op, l->dtype, l->dtype, 0, 2, in};
    tg_ptx_reg result = {0};
    tg_ptx_rows(&two, &result);
    return result;
}
