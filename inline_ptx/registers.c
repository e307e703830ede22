#include "inline_ptx/registers.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    tg_inline_ptx *ptx;
    const char *at; /* the constraints from here on */
    char *problem;
} reader;

TG_PRINTF(2, 3)
static tg_status fail(const reader *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(r->problem, TG_INLINE_PTX_PROBLEM, format, list);
    va_end(list);
    return TG_ERR_INVALID;
}

/* ---- values ---- */

static tg_status place_value(const reader *r, tg_dtype dtype)
{
    tg_inline_ptx *ptx = r->ptx;
    const uint32_t bits = (uint32_t)tg_dtypes[dtype].bits;
    if (ptx->value_count == TG_INLINE_PTX_MOST_VALUES)
        return fail(r, "there are more than %d operands and results", TG_INLINE_PTX_MOST_VALUES);
    if (bits < 8 && dtype != TG_DT_bool)
        return fail(r, "elements of %s are in no register", tg_dtypes[dtype].name);
    if (dtype == TG_DT_bool && ptx->packed > 1) return fail(r, "elements of bool are not packed");
    uint32_t each = dtype == TG_DT_bool || bits > 32 ? 1 : 32 / bits;
    if (each > ptx->packed) each = ptx->packed;
    assert(each > 0);
    if (ptx->packed % each != 0)
        return fail(r, "packed is %" PRIu32 ", but %" PRIu32 " elements of %s are in one register",
                    ptx->packed, each, tg_dtypes[dtype].name);
    const uint32_t count = ptx->packed / each;
    if (count > TG_INLINE_PTX_MOST_REGISTERS - ptx->register_count)
        return fail(r, "there are more than %d registers", TG_INLINE_PTX_MOST_REGISTERS);
    ptx->values[ptx->value_count++] =
        (tg_inline_ptx_value){dtype, ptx->register_count, count, each};
    ptx->register_count += count;
    return TG_OK;
}

static tg_status place_values(const reader *r, const tg_kernel *k, const tg_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++)
        TG_TRY(place_value(r, tg_type_of(k, op->out[i])->dtype));
    r->ptx->out_count = r->ptx->value_count;
    r->ptx->out_register_count = r->ptx->register_count;
    for (uint32_t i = 0; i < op->in_count; i++)
        TG_TRY(place_value(r, tg_type_of(k, op->in[i])->dtype));
    return TG_OK;
}

/* ---- constraints ---- */

/* Whether the part begins a list of what the text changes beside its results, which ends the
 * registers: text that touches no memory changes nothing. */
static bool is_clobber(const char *part) { return *part == '~'; }

static uint32_t held_bits(const tg_inline_ptx_value *value)
{
    return value->each * (uint32_t)tg_dtypes[value->dtype].bits;
}

/* "h" 16, "r" 32, "l" 64 bits; "f" a float of 32, "d" one of 64. */
static tg_status read_letter(const reader *r, const tg_inline_ptx_value *value,
                             tg_inline_ptx_register *out)
{
    const char letter = *r->at;
    const uint32_t held = held_bits(value);
    out->bits = letter == 'h' ? 16 : letter == 'r' || letter == 'f' ? 32 : 64;
    if (letter == 0 || !strchr("hrlfd", letter))
        return fail(r, "constraint \"%.8s\" is none of h, r, l, f and d", r->at);
    const bool is_exact = letter == 'f' || letter == 'd';
    if (held > out->bits || (is_exact && held != out->bits))
        return fail(r, "constraint %c has %d bits, but the register holds %" PRIu32 " of %s",
                    letter, out->bits, held, tg_dtypes[value->dtype].name);
    return TG_OK;
}

/* A number: the operand is in the register of that result. */
static tg_status read_same(reader *r, const tg_inline_ptx_value *value, tg_inline_ptx_register *out)
{
    char *end;
    const unsigned long same = strtoul(r->at, &end, 10);
    if (same >= r->ptx->out_register_count)
        return fail(r, "constraint %lu is not the number of a result's register", same);
    if (held_bits(value) > r->ptx->registers[same].bits)
        return fail(r, "constraint %lu has %d bits, but the register holds %" PRIu32 " of %s", same,
                    r->ptx->registers[same].bits, held_bits(value), tg_dtypes[value->dtype].name);
    *out = (tg_inline_ptx_register){r->ptx->registers[same].bits, (uint8_t)same};
    r->at = end;
    return TG_OK;
}

static void skip_spaces(reader *r)
{
    while (isspace((unsigned char)*r->at)) r->at++;
}

static tg_status read_register(reader *r, const tg_inline_ptx_value *value, uint32_t number)
{
    tg_inline_ptx_register *out = &r->ptx->registers[number];
    const bool is_result = number < r->ptx->out_register_count;
    skip_spaces(r);
    if (*r->at == 0 || is_clobber(r->at))
        return fail(r, "there are %" PRIu32 " registers, but %" PRIu32 " constraints",
                    r->ptx->register_count, number);
    out->same = (uint8_t)number;
    if (is_result != (*r->at == '='))
        return fail(r, "constraint %" PRIu32 ", \"%.8s\", must be that of %s", number, r->at,
                    is_result ? "a result, such as \"=r\"" : "an operand, such as \"r\"");
    if (is_result) r->at += r->at[1] == '&' ? 2 : 1;
    if (!is_result && isdigit((unsigned char)*r->at))
        TG_TRY(read_same(r, value, out));
    else {
        TG_TRY(read_letter(r, value, out));
        r->at++;
    }
    skip_spaces(r);
    if (*r->at != 0 && *r->at != ',')
        return fail(r, "there is more behind constraint %" PRIu32 ": \"%.8s\"", number, r->at);
    if (*r->at == ',') r->at++;
    return TG_OK;
}

static tg_status read_constraints(reader *r)
{
    for (uint32_t v = 0; v < r->ptx->value_count; v++) {
        const tg_inline_ptx_value *value = &r->ptx->values[v];
        for (uint32_t i = 0; i < value->count; i++)
            TG_TRY(read_register(r, value, value->first + i));
    }
    skip_spaces(r);
    if (*r->at != 0 && !is_clobber(r->at))
        return fail(r, "there are %" PRIu32 " registers, and more constraints: \"%.8s\"",
                    r->ptx->register_count, r->at);
    return TG_OK;
}

/* Text is not looked into: `$` is a letter of names in PTX, so that $0 is the name of a register. */
tg_status tg_inline_ptx_read(const tg_kernel *kernel, const tg_op *op, tg_inline_ptx *out,
                             char problem[TG_INLINE_PTX_PROBLEM])
{
    memset(out, 0, sizeof *out);
    reader r = {out, tg_op_attr(op, TG_ATTR_constraints)->as.text, problem};
    const int64_t packed = tg_op_int(op, TG_ATTR_packed, 1);
    out->text = tg_op_attr(op, TG_ATTR_text)->as.text;
    if (packed < 1 || packed > TG_INLINE_PTX_MOST_PACKED)
        return fail(&r, "packed is %" PRId64 ", but must be 1 to %d", packed,
                    TG_INLINE_PTX_MOST_PACKED);
    out->packed = (uint32_t)packed;
    TG_TRY(place_values(&r, kernel, op));
    return read_constraints(&r);
}
