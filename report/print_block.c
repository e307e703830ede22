/* Blocks in the format of numpy's str() for arrays: aligned columns, folded lines, summaries of
 * large blocks. */
#include "report/print_block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/decimal.h"
#include "report/print_impl.h"
#include "report/print_scalar.h"
#include "ir/bits.h"

/* The style of the elements of a block, determined from all elements that are shown. */
typedef struct style {
    tg_dtype dtype;
    bool is_scientific;
    /* The most digits after the point; in scientific style all elements have this many. */
    int precision;
    int left, right;     /* columns before and after the point of floats; other types use `left` */
    int exponent_digits; /* scientific */
    bool has_finite, has_inf, has_nan, has_negative_inf;
    /* The greatest and least absolute value that is finite and not 0; 0: there is none. */
    double most, least;
} style;

typedef struct printer {
    const tg_view *view;
    tg_print_options options;
    bool is_summary;
    style style;
    tg_text *out;
    tg_text word, digits; /* for one element at a time; reused */
    int column;           /* in the current line */
} printer;

static void clear(tg_text *text)
{
    text->length = 0;
    tg_text_put(text, ""); /* so that the text is not NULL unless memory runs out */
}

/* Calls `visit` for each element that is shown. */
static void visit_shown(printer *p, int d, const unsigned char *at,
                        void (*visit)(printer *, const void *))
{
    const tg_view *view = p->view;
    int64_t bytes = tg_carrier_bytes[tg_carrier_of(p->style.dtype)];
    if (d == view->rank) {
        visit(p, at);
        return;
    }
    int64_t edge = p->options.edge_items, extent = view->shape[d];
    for (int64_t i = 0; i < extent; i++) {
        if (p->is_summary && extent > 2 * edge && i == edge) i = extent - edge;
        visit_shown(p, d + 1, at + i * view->stride[d] * bytes, visit);
    }
}

/* ---- floats ---- */

/* Rounds a limit to the dtype. */
static double in_dtype(tg_dtype dtype, double value)
{
    return tg_bits_value(dtype, tg_bits_round(dtype, value));
}

static void note_range(printer *p, const void *element)
{
    style *s = &p->style;
    double value = tg_print_float(s->dtype, element), size = fabs(value);
    if (isnan(value)) {
        s->has_nan = true;
    } else if (isinf(value)) {
        s->has_inf = true;
        s->has_negative_inf = s->has_negative_inf || value < 0;
    } else {
        s->has_finite = true;
        if (size > s->most) s->most = size;
        if (size > 0 && (s->least <= 0 || size < s->least)) s->least = size;
    }
}

static bool needs_exponents(const style *s, bool suppress)
{
    const double cutoff = s->dtype == TG_DT_f16 ? 1e3 : s->dtype == TG_DT_f32 ? 1e6 : 1e8;
    if (s->most <= 0) return false;
    if (s->most >= cutoff) return true;
    return !suppress &&
           (s->least < in_dtype(s->dtype, 1e-4) || in_dtype(s->dtype, s->most / s->least) > 1000);
}

/* Returns the digits of a finite element, limited to the precision. */
static tg_decimal digits_of(const style *s, double value, int precision)
{
    tg_decimal d;
    tg_decimal_shortest(&d, s->dtype, value);
    if (s->is_scientific && d.count - 1 > precision)
        tg_decimal_to_digits(&d, value, precision + 1);
    else if (!s->is_scientific && tg_decimal_places(&d) > precision)
        tg_decimal_to_places(&d, value, precision);
    d.is_negative = signbit(value);
    return d;
}

static int most_of(int a, int b) { return a > b ? a : b; }

static void note_columns(printer *p, const void *element)
{
    style *s = &p->style;
    double value = tg_print_float(s->dtype, element);
    if (!isfinite(value)) return;
    tg_decimal d = digits_of(s, value, p->options.precision);
    if (s->is_scientific) {
        int exponent = d.digits[0] == '0' ? 0 : abs(tg_decimal_exponent(&d));
        s->left = most_of(s->left, 1 + d.is_negative);
        s->precision = most_of(s->precision, d.count - 1);
        s->exponent_digits = most_of(s->exponent_digits, exponent > 99 ? 3 : 2);
    } else {
        s->left = most_of(s->left, most_of(d.point, 1) + d.is_negative);
        s->right = most_of(s->right, tg_decimal_places(&d));
    }
}

static void find_float_style(printer *p)
{
    style *s = &p->style;
    visit_shown(p, 0, p->view->data, note_range);
    s->is_scientific = needs_exponents(s, p->options.suppress);
    visit_shown(p, 0, p->view->data, note_columns);
    if (s->is_scientific)
        s->right = s->exponent_digits + 2 + s->precision;
    else
        s->precision = p->options.precision;
    if (s->has_nan || s->has_inf) {
        s->left = most_of(s->left, 3 - (s->right + 1));
        s->left = most_of(s->left, 3 + s->has_negative_inf - (s->right + 1));
    }
}

/* numpy keeps the point if no digit follows it. */
static void put_scientific(const style *s, tg_text *word, const tg_decimal *d)
{
    const size_t start = word->length;
    tg_decimal_scientific(word, d, s->precision, s->exponent_digits);
    if (s->precision > 0 || word->failed) return;
    const size_t at = start + strcspn(word->data + start, "e"), rest = word->length - at;
    tg_text_put(word, ".");
    if (word->failed) return;
    memmove(word->data + at + 1, word->data + at, rest);
    word->data[at] = '.';
}

/* Returns how many blanks must follow to align the points. */
static int put_finite(const style *s, tg_text *word, double value)
{
    tg_decimal d = digits_of(s, value, s->precision);
    if (signbit(value)) tg_text_put(word, "-");
    if (s->is_scientific) {
        /* If other elements need more digits, numpy shows more than identify the number. */
        if (d.count - 1 < s->precision) tg_decimal_to_digits(&d, value, s->precision + 1);
        put_scientific(s, word, &d);
        return 0;
    }
    tg_decimal_positional(word, &d, 0);
    if (tg_decimal_places(&d) == 0) tg_text_put(word, ".");
    return s->right - tg_decimal_places(&d);
}

static void put_blanks(tg_text *out, int count)
{
    while (count-- > 0) tg_text_put_bytes(out, " ", 1);
}

static void put_float(printer *p, double value)
{
    const style *s = &p->style;
    int after = 0;
    clear(&p->digits);
    if (isfinite(value))
        after = put_finite(s, &p->digits, value);
    else
        tg_text_put(&p->digits, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    put_blanks(&p->word, s->left + s->right + 1 - (int)p->digits.length - after);
    tg_text_put(&p->word, p->digits.data ? p->digits.data : "");
    put_blanks(&p->word, after);
}

/* ---- other types ---- */

static void note_width(printer *p, const void *element)
{
    clear(&p->word);
    tg_print_as_text(&p->word, p->style.dtype, element);
    p->style.left = most_of(p->style.left, (int)p->word.length);
}

static void put_element(printer *p, const void *element)
{
    const style *s = &p->style;
    clear(&p->word);
    if (tg_is_numpys_float(s->dtype)) {
        put_float(p, tg_print_float(s->dtype, element));
        return;
    }
    clear(&p->digits);
    tg_print_as_text(&p->digits, s->dtype, element);
    put_blanks(&p->word, s->left - (int)p->digits.length);
    tg_text_put(&p->word, p->digits.data ? p->digits.data : "");
}

/* Aligns numbers, and bools by the width of False.  Dtypes that numpy does not know are not
 * aligned. */
static void find_style(printer *p)
{
    const tg_dtype dtype = p->style.dtype;
    if (!tg_is_numpys(dtype)) return;
    if (tg_is_float(dtype))
        find_float_style(p);
    else if (dtype == TG_DT_bool)
        p->style.left = 5;
    else
        visit_shown(p, 0, p->view->data, note_width);
}

/* ---- lines ---- */

static void trim_blanks(tg_text *out)
{
    while (out->length > 0 && out->data[out->length - 1] == ' ') out->data[--out->length] = '\0';
}

static void new_line(printer *p, int indent)
{
    tg_text_line(p->out, indent);
    p->column = indent;
}

static void put_word(printer *p, const char *word, int indent, int64_t fold)
{
    int length = (int)strlen(word);
    if (p->column + length > fold && p->column > indent) {
        trim_blanks(p->out);
        new_line(p, indent);
    }
    tg_text_put(p->out, word);
    p->column += length;
}

static void put_one(printer *p, const void *element, int indent, int64_t fold)
{
    put_element(p, element);
    put_word(p, p->word.data ? p->word.data : "", indent, fold);
}

/* Puts one row, or a block of rows separated by empty lines.  `indent` columns are before it,
 * including its bracket. */
static void put_rows(printer *p, int d, const unsigned char *at, int indent)
{
    const tg_view *view = p->view;
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(p->style.dtype)];
    const int64_t extent = view->shape[d], edge = p->options.edge_items;
    const int64_t fold = p->options.width - d - 1; /* room for the closing brackets */
    const bool is_row = d == view->rank - 1, skips = p->is_summary && extent > 2 * edge;
    tg_text_put(p->out, "[");
    p->column = indent;
    for (int64_t i = 0; i < extent; i++) {
        if (i > 0 && is_row) {
            tg_text_put(p->out, " ");
            p->column++;
        } else if (i > 0) {
            for (int n = d; n < view->rank - 2; n++) tg_text_put(p->out, "\n");
            new_line(p, indent);
        }
        if (skips && i == edge) {
            put_word(p, "...", indent, is_row ? fold : INT64_MAX);
            i = extent - edge - 1;
            continue;
        }
        const unsigned char *element = at + i * view->stride[d] * bytes;
        if (is_row)
            put_one(p, element, indent, fold);
        else
            put_rows(p, d + 1, element, indent + 1);
    }
    tg_text_put(p->out, "]");
}

void tg_print_block(tg_text *text, tg_dtype dtype, const tg_view *view,
                    const tg_print_options *options)
{
    int64_t count = 1;
    for (int d = 0; d < view->rank; d++) count *= view->shape[d];
    if (count == 0) {
        tg_text_put(text, "[]");
        return;
    }
    printer p = {.view = view,
                 .options = *options,
                 .is_summary = count > options->threshold,
                 .style = {.dtype = dtype},
                 .out = text};
    find_style(&p);
    put_rows(&p, 0, view->data, 1);
    text->failed = text->failed || p.word.failed || p.digits.failed;
    tg_text_drop(&p.word);
    tg_text_drop(&p.digits);
}
