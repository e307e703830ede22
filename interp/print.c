/* The text of a debug_print: the format with its operands in place of {}, arrays as nested lists. */
#include "interp/machine.h"
#include "ir/literal.h"
#include "ir/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Digits before the point of a number that reads best without an exponent, else 1. */
static int leading_digits(double value)
{
    int digits = 1;
    double size = fabs(value);
    if (size >= 1e16) return digits;
    while (size >= 10) {
        size /= 10;
        digits++;
    }
    return digits;
}

/* Floats as the shortest decimal that reads back the same in f32 or f64. */
static void add_float(tg_text *text, double value, bool is_single)
{
    char digits[40];
    if (isnan(value)) {
        tg_text_put(text, "nan"); /* of whatever sign */
        return;
    }
    for (int precision = leading_digits(value); precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        double back = 0;
        if (sscanf(digits, "%lf", &back) != 1) break;
        if (is_single ? (float)back == (float)value : back == value) break;
    }
    char *point = strchr(digits, ','); /* of the caller's locale */
    if (point) *point = '.';
    tg_text_put(text, digits);
}

static void add_element(tg_text *text, tg_dtype dtype, const void *element)
{
    char literal[TG_LITERAL_TEXT];
    if (tg_carrier_of(dtype) == TG_C_f32)
        add_float(text, (double)*(const float *)element, true);
    else if (tg_carrier_of(dtype) == TG_C_f64)
        add_float(text, *(const double *)element, false);
    else if (dtype == TG_DT_bool)
        tg_text_put(text, *(const uint8_t *)element ? "True" : "False");
    else {
        tg_literal_print(dtype, element, literal);
        tg_text_put(text, literal);
    }
}

static void add_block(tg_text *text, tg_dtype dtype, const tg_view *view, int d,
                      const unsigned char *at)
{
    int64_t bytes = tg_carrier_bytes[tg_carrier_of(dtype)];
    if (d == view->rank) {
        add_element(text, dtype, at);
        return;
    }
    tg_text_put(text, "[");
    for (int64_t i = 0; i < view->shape[d]; i++) {
        if (i) tg_text_put(text, " ");
        add_block(text, dtype, view, d + 1, at + i * view->stride[d] * bytes);
    }
    tg_text_put(text, "]");
}

static void add_operand(tg_text *text, const tg_machine *m, const tg_operand *o)
{
    tg_view view = tg_operand_view(m, o);
    add_block(text, o->dtype, &view, 0, view.data);
}

char *tg_print_values(const tg_machine *m, const struct tg_inst_print *print, const char *end)
{
    tg_text text = {0};
    uint32_t next = 0;
    for (const char *p = print->format; *p; p++) {
        if (p[0] == '{' && p[1] == '}' && next < print->in_count)
            add_operand(&text, m, &print->in[next++]);
        else if ((p[0] == '{' && p[1] == '{') || (p[0] == '}' && p[1] == '}'))
            tg_text_put_bytes(&text, p, 1);
        else {
            tg_text_put_bytes(&text, p, 1);
            continue;
        }
        p++;
    }
    tg_text_put(&text, end);
    return tg_text_finish(&text);
}
