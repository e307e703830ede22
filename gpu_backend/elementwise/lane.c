/* Which rows an op on a dtype takes. */
#include "gpu_backend/elementwise/lane_impl.h"

/* -- tables -- */

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

typedef tg_ptx_reg maker(const tg_ptx_lane_op *l);

/* Ops with a function of their own, on all dtypes of their domain or on floats alone. */
static maker *const on_all[TG_OP_COUNT] = {
    [TG_OP_select] = tg_ptx_select,
    [TG_OP_clamp] = tg_ptx_clamp,
    [TG_OP_integer_pow] = tg_ptx_integer_pow,
};
static maker *const on_floats[TG_OP_COUNT] = {
    [TG_OP_round] = tg_ptx_round,
    [TG_OP_reduce_precision] = tg_ptx_reduce_precision,
    [TG_OP_rem] = tg_ptx_rem_float,
    [TG_OP_nextafter] = tg_ptx_nextafter,
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

/* The verifier's rule: on which dtypes ops.def has the op. */
static bool admits(tg_opcode op, tg_dtype dtype)
{
    switch (tg_ops[op].domain) {
    case TG_DOMAIN_FLOAT: return tg_is_float(dtype);
    case TG_DOMAIN_INT: return tg_is_int(dtype);
    case TG_DOMAIN_NUM: return dtype != TG_DT_bool;
    case TG_DOMAIN_BITS: return !tg_is_float(dtype);
    default: return true;
    }
}

static maker *maker_of(tg_opcode op, tg_dtype dtype)
{
    if (!admits(op, dtype)) return NULL;
    return on_floats[op] != NULL && tg_is_float(dtype) ? on_floats[op] : on_all[op];
}

/* -- results -- */

tg_ptx_reg tg_ptx_wrap(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value)
{
    const int bits = tg_dtypes[dtype].bits;
    if (bits == 32) return value;
    if (tg_is_signed(dtype))
        return tg_ptx_value(w, TG_PTX_B32, "bfe.s32 $, %s, 0, %d;", value.name, bits);
    return tg_ptx_value(w, TG_PTX_B32, "and.b32 $, %s, 0x%x;", value.name, (1u << bits) - 1);
}

tg_ptx_reg tg_ptx_finish(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value)
{
    if (tg_is_float(dtype))
        return tg_ptx_is_narrow(dtype) ? tg_ptx_round_narrow(w, dtype, value) : value;
    return tg_ptx_is_wide(dtype) ? value : tg_ptx_wrap(w, dtype, value);
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

bool tg_ptx_lane(tg_ptx_writer *w, tg_opcode op, tg_dtype dtype, tg_dtype second, int64_t imm,
                 uint32_t count, const tg_ptx_reg *in, tg_ptx_reg *out)
{
    const tg_ptx_lane_op l = {w, op, dtype, second, imm, count, in};
    const op_rows *const rows = rows_of(op, dtype);
    maker *const make = maker_of(op, dtype);
    if (rows != NULL)
        *out = result_of_rows(&l, rows);
    else if (make != NULL)
        *out = make(&l);
    else
        return tg_ptx_elementary(&l, out);
    return true;
}
