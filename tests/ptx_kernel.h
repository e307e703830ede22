/* A kernel around one lane, as PTX text, and which lanes there are. */
#ifndef TG_TESTS_PTX_KERNEL_H
#define TG_TESTS_PTX_KERNEL_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/elementwise/convert.h"
#include "gpu_backend/elementwise/fast.h"
#include "gpu_backend/elementwise/forms.h"
#include "gpu_backend/elementwise/lane.h"
#include "lanes_oracle.h"

enum { PTX_MAX_OPERANDS = 5, PTX_THREADS = 256 };

/* -- kernels -- */

/* Writes what is tried; its registers hold the operands.  False where there is no such lane. */
typedef struct ptx_lane {
    bool (*write)(const struct ptx_lane *lane, tg_ptx_writer *w, const tg_ptx_reg *in,
                  tg_ptx_reg *out);
    tg_opcode op;
    tg_dtype dtype, second, result; /* of operands, as tg_ptx_lane has them, and of the result */
    int64_t imm;
    uint32_t count;
    tg_dtype in[PTX_MAX_OPERANDS];
} ptx_lane;

static inline size_t ptx_bytes(tg_dtype d) { return tg_carrier_bytes[tg_carrier_of(d)]; }

/* How a carrier comes from an array of carriers. */
static inline const char *ptx_load(tg_dtype d)
{
    static const char *const loads[TG_C_COUNT] = {
        [TG_C_b8] = "u8",   [TG_C_i8] = "s8",   [TG_C_i16] = "s16", [TG_C_i32] = "b32",
        [TG_C_i64] = "b64", [TG_C_u8] = "u8",   [TG_C_u16] = "u16", [TG_C_u32] = "b32",
        [TG_C_u64] = "b64", [TG_C_f32] = "f32", [TG_C_f64] = "f64",
    };
    return loads[tg_carrier_of(d)];
}

static inline tg_ptx_reg ptx_address(tg_ptx_writer *w, const char *param, tg_ptx_reg index,
                                     size_t bytes)
{
    const tg_ptx_reg base = tg_ptx_new(w, TG_PTX_B64), offset = tg_ptx_new(w, TG_PTX_B64),
                     address = tg_ptx_new(w, TG_PTX_B64);
    tg_ptx_row(w, "ld.param.u64 %s, [%s];", base.name, param);
    tg_ptx_row(w, "mul.wide.u32 %s, %s, %zu;", offset.name, index.name, bytes);
    tg_ptx_row(w, "add.s64 %s, %s, %s;", address.name, base.name, offset.name);
    return address;
}

/* out[i] = lane(in0[i], in1[i], ...): carriers in, the whole register out. */
static inline bool ptx_body(const ptx_lane *lane, tg_ptx_writer *w)
{
    const tg_ptx_reg i = tg_ptx_new(w, TG_PTX_B32), count = tg_ptx_new(w, TG_PTX_B32),
                     done = tg_ptx_new(w, TG_PTX_PRED);
    tg_ptx_reg in[PTX_MAX_OPERANDS], out;
    const uint32_t again = tg_ptx_new_label(w), end = tg_ptx_new_label(w);
    tg_ptx_row(w, "ld.param.u32 %s, [count];", count.name);
    tg_ptx_row(w, "mov.u32 %s, %%tid.x;", i.name);
    tg_ptx_label(w, again);
    tg_ptx_row(w, "setp.ge.u32 %s, %s, %s;", done.name, i.name, count.name);
    tg_ptx_row(w, "@%s bra $L%u;", done.name, end);
    for (uint32_t k = 0; k < lane->count; k++) {
        char param[16];
        snprintf(param, sizeof param, "in%u", k);
        const tg_ptx_reg at = ptx_address(w, param, i, ptx_bytes(lane->in[k]));
        in[k] = tg_ptx_new(w, tg_ptx_class_of(lane->in[k]));
        tg_ptx_row(w, "ld.global.%s %s, [%s];", ptx_load(lane->in[k]), in[k].name, at.name);
    }
    if (!lane->write(lane, w, in, &out)) return false;
    const bool wide = ptx_bytes(lane->result) == 8;
    const tg_ptx_reg to = ptx_address(w, "out", i, wide ? 8 : 4);
    tg_ptx_row(w, "st.global.%s [%s], %s;", wide ? "b64" : "b32", to.name, out.name);
    tg_ptx_row(w, "add.u32 %s, %s, %d;", i.name, i.name, PTX_THREADS);
    tg_ptx_row(w, "bra $L%u;", again);
    tg_ptx_label(w, end);
    tg_ptx_row(w, "ret;");
    return true;
}

/* A whole entry called `name`, with the tables that it needs in *tables.  False where there is no such lane. */
static inline bool ptx_entry(const ptx_lane *lane, const char *name, tg_text *to, tg_ptx_writer *w)
{
    *w = (tg_ptx_writer){.tables = {NULL}};
    if (!ptx_body(lane, w)) {
        tg_text_drop(&w->text);
        return false;
    }
    tg_text_add(to, ".visible .entry %s(", name);
    for (uint32_t k = 0; k < lane->count; k++) tg_text_add(to, ".param .u64 in%u, ", k);
    tg_text_put(to, ".param .u64 out, .param .u32 count)\n{\n");
    tg_ptx_declare(w, to);
    char *const body = tg_text_finish(&w->text);
    cr_assert_not_null(body, "%s: rows could not be written", name);
    tg_text_put(to, body);
    tg_text_put(to, "}\n");
    free(body);
    return true;
}

#define PTX_HEADER ".version 7.8\n.target sm_80\n.address_size 64\n"

static inline void ptx_name(const ptx_lane *lane, char *out, size_t size)
{
    snprintf(out, size, "lane_%s_%s_%s", tg_ops[lane->op].name, tg_dtypes[lane->dtype].name,
             tg_dtypes[lane->second].name);
}

/* A module of one entry; free() it. NULL where there is no such lane. */
static inline char *ptx_module(const ptx_lane *lane)
{
    tg_text entry = {0}, module = {0};
    tg_ptx_writer w;
    char name[64];
    ptx_name(lane, name, sizeof name);
    if (!ptx_entry(lane, name, &entry, &w)) return NULL;
    tg_text_put(&module, PTX_HEADER);
    for (uint32_t k = 0; k < w.table_count; k++) tg_text_put(&module, w.tables[k]);
    char *const body = tg_text_finish(&entry);
    tg_text_put(&module, body);
    free(body);
    return tg_text_finish(&module);
}

/* -- which lanes there are -- */

static inline tg_ptx_lane_op ptx_lane_op(const ptx_lane *l, tg_ptx_writer *w, const tg_ptx_reg *in)
{
    return (tg_ptx_lane_op){w, l->op, l->dtype, l->second, l->imm, l->count, in};
}

static inline bool ptx_write_op(const ptx_lane *l, tg_ptx_writer *w, const tg_ptx_reg *in,
                                tg_ptx_reg *out)
{
    const tg_ptx_lane_op op = ptx_lane_op(l, w, in);
    return tg_ptx_lane(&op, out);
}

static inline bool ptx_write_fast(const ptx_lane *l, tg_ptx_writer *w, const tg_ptx_reg *in,
                                  tg_ptx_reg *out)
{
    const tg_ptx_lane_op op = ptx_lane_op(l, w, in);
    return tg_ptx_lane_fast(&op, out);
}

static inline bool ptx_write_convert(const ptx_lane *l, tg_ptx_writer *w, const tg_ptx_reg *in,
                                     tg_ptx_reg *out)
{
    *out = tg_ptx_convert(w, l->dtype, l->result, in[0]);
    return true;
}

/* Whether ops.def has the op, other than convert, on the dtype; of pow only floats have lanes. */
static inline bool ptx_is_admitted(tg_opcode op, tg_dtype d)
{
    if (!is_elementwise(op)) return false;
    if (op == TG_OP_pow) return tg_is_float(d);
    switch (tg_ops[op].domain) {
    case TG_DOMAIN_FLOAT: return tg_is_float(d);
    case TG_DOMAIN_INT: return tg_is_int(d);
    case TG_DOMAIN_NUM: return d != TG_DT_bool;
    case TG_DOMAIN_BITS: return !tg_is_float(d);
    default: return true;
    }
}

static inline bool ptx_is_elementary(tg_opcode op)
{
    return tg_ptx_form(op, TG_PTX_FORM_F64) != NULL;
}

static inline ptx_lane ptx_lane_of(tg_opcode op, tg_dtype d, tg_dtype second, int64_t imm,
                                   uint32_t count)
{
    ptx_lane lane = {
        .write = ptx_write_op, .op = op, .dtype = d, .second = second, .imm = imm, .count = count};
    lane.result = tg_ops[op].rule == TG_RULE_PREDICATE ? TG_DT_bool : d;
    for (uint32_t k = 0; k < count; k++) lane.in[k] = d;
    if (op == TG_OP_pow) lane.in[1] = second;
    if (op == TG_OP_select) lane.in[0] = second;
    return lane;
}

static inline ptx_lane ptx_convert_of(tg_dtype from, tg_dtype to)
{
    return (ptx_lane){.write = ptx_write_convert,
                      .op = TG_OP_convert,
                      .dtype = from,
                      .second = to,
                      .result = to,
                      .count = 1,
                      .in = {from}};
}

/* The op by approximate instructions; there must be such rows (tg_ptx_lane_error). */
static inline ptx_lane ptx_fast_lane_of(tg_opcode op, tg_dtype d)
{
    ptx_lane lane = ptx_lane_of(op, d, d, 0, (uint32_t)tg_ops[op].in_max);
    lane.write = ptx_write_fast;
    return lane;
}

/* Every variant of the op on the dtype; with immediates those of a sample. */
static inline void ptx_each_variant(tg_opcode op, tg_dtype d,
                                    void (*visit)(const ptx_lane *, void *), void *context)
{
    static const int64_t exponents[] = {0,  1,  2,  3,    5,         8,        23,
                                        -1, -2, -7, 1000, INT64_MAX, INT64_MIN};
    static const int exponent_bits[] = {1, 2, 3, 4, 5, 7, 8, 10, 11},
                     mantissa_bits[] = {0, 1, 2, 3, 7, 10, 23, 51, 52};
    ptx_lane list[128];
    size_t n = 0;
    switch (op) {
    case TG_OP_integer_pow:
        for (; n < sizeof exponents / sizeof *exponents; n++)
            list[n] = ptx_lane_of(op, d, d, exponents[n], 1);
        break;
    case TG_OP_reduce_precision:
        for (; n < 81; n++)
            list[n] = ptx_lane_of(op, d, d, exponent_bits[n / 9] << 8 | mantissa_bits[n % 9], 1);
        break;
    case TG_OP_round:
        for (; n < 2; n++) list[n] = ptx_lane_of(op, d, d, (int64_t)n, 1);
        break;
    case TG_OP_pow:
        for (int e = 0; e < TG_DT_COUNT; e++)
            if (tg_is_int((tg_dtype)e) || (tg_dtype)e == d)
                list[n++] = ptx_lane_of(op, d, (tg_dtype)e, 0, 2);
        break;
    case TG_OP_select:
        list[n++] = ptx_lane_of(op, d, TG_DT_bool, 2, 3);
        list[n++] = ptx_lane_of(op, d, TG_DT_i32, 2, 3);
        list[n++] = ptx_lane_of(op, d, TG_DT_i32, 4, 5);
        break;
    default: list[n++] = ptx_lane_of(op, d, d, 0, (uint32_t)tg_ops[op].in_max); break;
    }
    for (size_t i = 0; i < n; i++) visit(&list[i], context);
}

#endif
