#include "gpu_backend/text/writer.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static const struct class_info {
    const char *prefix, *type, *untyped;
} classes[TG_PTX_CLASS_COUNT] = {
    [TG_PTX_PRED] = {"p", "pred", "pred"}, [TG_PTX_B16] = {"h", "b16", "b16"},
    [TG_PTX_B32] = {"r", "b32", "b32"},    [TG_PTX_B64] = {"rd", "b64", "b64"},
    [TG_PTX_F32] = {"f", "f32", "b32"},    [TG_PTX_F64] = {"fd", "f64", "b64"},
};

tg_ptx_reg tg_ptx_new(tg_ptx_writer *w, tg_ptx_class class)
{
    tg_ptx_reg reg = {.class = (uint8_t) class};
    snprintf(reg.name, sizeof reg.name, "%%%s%u", classes[class].prefix, w->used[class]++);
    return reg;
}

void tg_ptx_row(tg_ptx_writer *w, const char *format, ...)
{
    char row[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(row, sizeof row, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof row) w->text.failed = true;
    tg_text_add(&w->text, "    %s\n", row);
}

void tg_ptx_move(tg_ptx_writer *w, tg_ptx_reg to, tg_ptx_reg from)
{
    tg_ptx_row(w, "mov.%s %s, %s;", classes[to.class].untyped, to.name, from.name);
}

tg_ptx_reg tg_ptx_selp(tg_ptx_writer *w, tg_ptx_reg p, tg_ptx_reg a, tg_ptx_reg b)
{
    const tg_ptx_reg r = tg_ptx_new(w, (tg_ptx_class)a.class);
    tg_ptx_row(w, "selp.%s %s, %s, %s, %s;", classes[a.class].untyped, r.name, a.name, b.name,
               p.name);
    return r;
}

uint32_t tg_ptx_new_label(tg_ptx_writer *w) { return w->labels++; }

void tg_ptx_label(tg_ptx_writer *w, uint32_t label) { tg_text_add(&w->text, "$L%u:\n", label); }

void tg_ptx_declare(const tg_ptx_writer *w, tg_text *to)
{
    for (int c = 0; c < TG_PTX_CLASS_COUNT; c++)
        if (w->used[c])
            tg_text_add(to, "    .reg .%s %%%s<%u>;\n", classes[c].type, classes[c].prefix,
                        w->used[c]);
}

void tg_ptx_need_table(tg_ptx_writer *w, const char *table)
{
    if (table == NULL) return;
    for (uint32_t i = 0; i < w->table_count; i++)
        if (w->tables[i] == table) return;
    if (w->table_count < TG_PTX_MAX_TABLES)
        w->tables[w->table_count++] = table;
    else
        w->text.failed = true;
}

tg_ptx_class tg_ptx_class_of(tg_dtype dtype)
{
    switch (tg_carrier_of(dtype)) {
    case TG_C_i64:
    case TG_C_u64: return TG_PTX_B64;
    case TG_C_f32: return TG_PTX_F32;
    case TG_C_f64: return TG_PTX_F64;
    default: return TG_PTX_B32;
    }
}
