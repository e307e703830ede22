/* Scalars in the formats of Python: format() with a specification, and str() of numpy's scalars. */
#include "report/print_scalar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/decimal.h"
#include "report/print_impl.h"
#include "ir/literal.h"

/* ---- values ---- */

static bool is_negative_int(tg_dtype dtype, const void *carrier, uint64_t *magnitude)
{
    int64_t value;
    switch (tg_carrier_of(dtype)) {
    case TG_C_i8: value = *(const int8_t *)carrier; break;
    case TG_C_i16: value = *(const int16_t *)carrier; break;
    case TG_C_i32: value = *(const int32_t *)carrier; break;
    case TG_C_i64: value = *(const int64_t *)carrier; break;
    case TG_C_u16: value = *(const uint16_t *)carrier; break;
    case TG_C_u32: value = *(const uint32_t *)carrier; break;
    case TG_C_u64: *magnitude = *(const uint64_t *)carrier; return false;
    default: value = *(const uint8_t *)carrier; break;
    }
    *magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return value < 0;
}

double tg_print_float(tg_dtype dtype, const void *carrier)
{
    if (tg_carrier_of(dtype) == TG_C_f32) return (double)*(const float *)carrier;
    if (tg_carrier_of(dtype) == TG_C_f64) return *(const double *)carrier;
    uint64_t magnitude;
    bool is_negative = is_negative_int(dtype, carrier, &magnitude);
    return is_negative ? -(double)magnitude : (double)magnitude;
}

/* ---- str() ---- */

/* Puts NaN and infinities as words; returns false for other values. */
static bool put_word(tg_text *text, double value)
{
    if (isfinite(value)) return false;
    tg_text_put(text, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return true;
}

/* The format of numpy's own dtypes: the limit from which a number needs an exponent depends on the
 * dtype. */
static void put_numpys(tg_text *text, tg_dtype dtype, double value)
{
    const double size = fabs(value);
    const double cutoff = dtype == TG_DT_f16 ? 1e3 : dtype == TG_DT_f32 ? 1e6 : 1e16;
    tg_decimal d;
    if (put_word(text, value)) return;
    tg_decimal_shortest(&d, dtype, value);
    if (signbit(value)) tg_text_put(text, "-");
    if (size >= cutoff || (size > 0 && size < 1e-4))
        tg_decimal_scientific(text, &d, 0, 2);
    else
        tg_decimal_positional(text, &d, 1);
}

/* C's %g with six digits, which extension dtypes of numpy use. */
static void put_general(tg_text *text, double value)
{
    tg_decimal d;
    if (put_word(text, value)) return;
    tg_decimal_to_digits(&d, value, 6);
    if (signbit(value)) tg_text_put(text, "-");
    if (tg_decimal_exponent(&d) < -4 || tg_decimal_exponent(&d) >= 6)
        tg_decimal_scientific(text, &d, 0, 2);
    else
        tg_decimal_positional(text, &d, 0);
}

void tg_print_as_text(tg_text *text, tg_dtype dtype, const void *carrier)
{
    uint64_t magnitude;
    if (tg_is_numpys_float(dtype)) {
        put_numpys(text, dtype, tg_print_float(dtype, carrier));
    } else if (tg_is_float(dtype)) {
        put_general(text, tg_print_float(dtype, carrier));
    } else if (dtype == TG_DT_bool) {
        tg_text_put(text, *(const uint8_t *)carrier ? "True" : "False");
    } else {
        if (is_negative_int(dtype, carrier, &magnitude)) tg_text_put(text, "-");
        tg_text_put_uint(text, magnitude);
    }
}

/* ---- format() ---- */

/* Python's repr of a float; Python treats every dtype as a float. */
static void put_repr(tg_text *text, double value)
{
    tg_decimal d;
    tg_decimal_shortest(&d, TG_DT_f64, value);
    if (tg_decimal_exponent(&d) < -4 || tg_decimal_exponent(&d) >= 16)
        tg_decimal_scientific(text, &d, 0, 2);
    else
        tg_decimal_positional(text, &d, 1);
}

/* Ensures that there is a point, even if no digit follows it. */
static void keep_point(tg_text *digits)
{
    const size_t whole = digits->data ? strspn(digits->data, "0123456789") : 0;
    tg_text kept = {0};
    if (!digits->data || digits->data[whole] == '.') return;
    tg_text_put_bytes(&kept, digits->data, whole);
    tg_text_put(&kept, ".");
    tg_text_put(&kept, digits->data + whole);
    kept.failed = kept.failed || digits->failed;
    tg_text_drop(digits);
    *digits = kept;
}

/* A number in parts: sign and prefix, the digits before the point, and the rest. */
typedef struct number {
    bool is_negative;
    const char *prefix;
    tg_text digits;
} number;

static void put_int(number *n, uint64_t magnitude, const tg_format_spec *spec)
{
    char digits[65];
    const char *set = spec->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    uint64_t base = spec->type == 'b' ? 2 : spec->type == 'o' ? 8 : 10;
    if (spec->type == 'x' || spec->type == 'X') base = 16;
    int at = (int)sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = set[magnitude % base];
        magnitude /= base;
    } while (magnitude);
    if (spec->alternate && base != 10)
        n->prefix = base == 2 ? "0b" : base == 8 ? "0o" : spec->type == 'X' ? "0X" : "0x";
    tg_text_put(&n->digits, digits + at);
}

/* Type g, and no type with a precision, which keeps a digit after the point. */
static void put_significant(number *n, double value, const tg_format_spec *spec)
{
    int digits = spec->precision < 0 ? 6 : spec->precision == 0 ? 1 : spec->precision;
    bool keeps_digit = spec->type == 0;
    tg_decimal d;
    tg_decimal_to_digits(&d, value, digits > 800 ? 800 : digits);
    int exponent = tg_decimal_exponent(&d), places = keeps_digit ? 1 : 0;
    bool is_scientific = exponent < -4 || exponent >= digits - (keeps_digit ? 1 : 0);
    if (spec->alternate) places = digits - 1 - (is_scientific ? 0 : exponent);
    if (is_scientific)
        tg_decimal_scientific(&n->digits, &d, spec->alternate ? places : 0, 2);
    else
        tg_decimal_positional(&n->digits, &d, places);
}

static void put_finite(number *n, double value, const tg_format_spec *spec)
{
    int places = spec->precision < 0 ? 6 : spec->precision > 800 ? 800 : spec->precision;
    tg_decimal d;
    switch (spec->type) {
    case '%': /* fall through */
    case 'f':
    case 'F':
        tg_decimal_to_places(&d, spec->type == '%' ? value * 100 : value, places);
        tg_decimal_positional(&n->digits, &d, places);
        if (spec->type == '%') tg_text_put(&n->digits, "%");
        return;
    case 'e':
    case 'E':
        tg_decimal_to_digits(&d, value, places + 1);
        tg_decimal_scientific(&n->digits, &d, places, 2);
        return;
    default:
        if (spec->type == 0 && spec->precision < 0)
            put_repr(&n->digits, value);
        else
            put_significant(n, value, spec);
    }
}

static void put_float(number *n, double value, const tg_format_spec *spec)
{
    if (isnan(value) || isinf(value)) {
        tg_text_put(&n->digits, isnan(value) ? "nan" : "inf");
        if (spec->type == '%') tg_text_put(&n->digits, "%");
    } else {
        put_finite(n, value, spec);
        if (spec->alternate) keep_point(&n->digits);
    }
    if (spec->type != 'E' && spec->type != 'F' && spec->type != 'G') return;
    for (size_t i = 0; i < n->digits.length; i++)
        if (n->digits.data[i] >= 'a' && n->digits.data[i] <= 'z') n->digits.data[i] -= 'a' - 'A';
}

/* Puts separators into the digits before the point, and zeros before them up to `width`. */
static void put_grouped(tg_text *text, const char *digits, const tg_format_spec *spec, int width)
{
    const int step = spec->type && strchr("boxX", spec->type) ? 4 : 3;
    const int whole = (int)strspn(digits, "0123456789abcdfABCDF");
    const int rest = (int)strlen(digits) - whole;
    int zeros = 0;
    while (spec->grouping && whole > 0 && whole + zeros + (whole + zeros - 1) / step + rest < width)
        zeros++;
    if (!spec->grouping) zeros = width - whole - rest;
    for (int i = zeros > 0 ? -zeros : 0; i < whole; i++) {
        tg_text_put_bytes(text, i < 0 ? "0" : digits + i, 1);
        int left = whole - 1 - i;
        if (spec->grouping && left > 0 && left % step == 0)
            tg_text_put_bytes(text, &spec->grouping, 1);
    }
    tg_text_put(text, digits + whole);
}

static void put_fill(tg_text *text, char fill, int count)
{
    while (count-- > 0) tg_text_put_bytes(text, &fill, 1);
}

/* Puts `head` (sign, prefix) and `body` into a field. */
static void put_field(tg_text *text, const char *head, const char *body, const tg_format_spec *spec,
                      char default_align)
{
    char align = spec->align ? spec->align : default_align, fill = spec->fill ? spec->fill : ' ';
    int room = spec->width - (int)strlen(head) - (int)strlen(body);
    if (room < 0) room = 0;
    int before = align == '>' ? room : align == '^' ? room / 2 : 0;
    put_fill(text, fill, before);
    tg_text_put(text, head);
    if (align == '=') put_fill(text, fill, room);
    tg_text_put(text, body);
    if (align != '=') put_fill(text, fill, room - before);
}

static void put_number(tg_text *text, number *n, const tg_format_spec *spec)
{
    char head[8];
    tg_format_spec field = *spec;
    snprintf(head, sizeof head, "%s%s",
             n->is_negative      ? "-"
             : spec->sign == '+' ? "+"
             : spec->sign == ' ' ? " "
                                 : "",
             n->prefix);
    /* a 0 before the width means fill 0 and alignment =, unless these are given */
    if (spec->zeros && !field.fill) field.fill = '0';
    if (spec->zeros && !field.align) field.align = '=';
    tg_text body = {0};
    bool zeros = field.fill == '0' && field.align == '=';
    put_grouped(&body, n->digits.data ? n->digits.data : "", spec,
                zeros ? spec->width - (int)strlen(head) : 0);
    put_field(text, head, body.data ? body.data : "", &field, '>');
    text->failed = text->failed || body.failed || n->digits.failed;
    tg_text_drop(&body);
    tg_text_drop(&n->digits);
}

/* {!s}: formatted as a string */
static void put_text_field(tg_text *text, tg_dtype dtype, const void *carrier,
                           const tg_format_spec *spec)
{
    tg_text body = {0};
    tg_print_as_text(&body, dtype, carrier);
    if (spec->precision >= 0 && body.data && body.length > (size_t)spec->precision)
        body.data[spec->precision] = '\0';
    put_field(text, "", body.data ? body.data : "", spec, '<');
    text->failed = text->failed || body.failed;
    tg_text_drop(&body);
}

void tg_print_scalar(tg_text *text, tg_dtype dtype, const void *carrier, const tg_format_spec *spec)
{
    const bool is_plain =
        !spec->is_given || (!spec->width && !spec->type && !spec->sign && spec->precision < 0 &&
                            !spec->grouping && !spec->alternate && !spec->align);
    number n = {.prefix = ""};
    uint64_t magnitude;
    if (spec->is_text) {
        put_text_field(text, dtype, carrier, spec);
        return;
    }
    if (is_plain && dtype == TG_DT_bool) {
        tg_print_as_text(text, dtype, carrier);
        return;
    }
    if (tg_is_float(dtype) || (spec->type && strchr("eEfFgG%", spec->type))) {
        double value = tg_print_float(dtype, carrier);
        n.is_negative = signbit(value) && !isnan(value);
        put_float(&n, n.is_negative ? -value : value, spec);
    } else {
        n.is_negative = is_negative_int(dtype, carrier, &magnitude);
        put_int(&n, magnitude, spec);
    }
    put_number(text, &n, spec);
}
