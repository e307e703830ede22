#include "layout/cute/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

typedef struct reader {
    const char *text;
    size_t length, at;
    int depth; /* of tuples and tilers that are open */
    tg_diags *diags;
} reader;

/* The next byte that is not white space, or 0 at the end. */
static char peek(reader *r)
{
    while (r->at < r->length && isspace((unsigned char)r->text[r->at])) r->at++;
    return r->at < r->length ? r->text[r->at] : 0;
}

static bool accept(reader *r, char c)
{
    if (peek(r) != c) return false;
    r->at++;
    return true;
}

static tg_status wrong(reader *r, const char *what)
{
    return tg_fail_at(r->diags, TG_ERR_SYNTAX, NULL, (int64_t)r->at, "expected %s", what);
}

static tg_status expect(reader *r, char c, const char *where)
{
    if (accept(r, c)) return TG_OK;
    return tg_fail_at(r->diags, TG_ERR_SYNTAX, NULL, (int64_t)r->at, "expected '%c' %s", c, where);
}

static tg_status enter(reader *r)
{
    if (r->depth++ < TG_TUPLE_MOST_DEPTH) return TG_OK;
    return tg_fail_at(r->diags, TG_ERR_UNSUPPORTED, NULL, (int64_t)r->at,
                      "tuples are nested more than %d deep", TG_TUPLE_MOST_DEPTH);
}

static tg_status read_integer(reader *r, int64_t *out)
{
    accept(r, '_');
    const bool negative = accept(r, '-');
    int64_t value = 0;
    if (!isdigit((unsigned char)peek(r))) return wrong(r, "an integer or '('");
    const size_t first = r->at;
    for (; r->at < r->length && isdigit((unsigned char)r->text[r->at]); r->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, r->text[r->at] - '0', &value))
            return tg_fail_at(r->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                              "an integer does not fit in 63 bits");
    *out = negative ? -value : value;
    return TG_OK;
}

static tg_status read_tuple(reader *r, tg_tuple *out)
{
    int64_t value;
    if (!accept(r, '(')) {
        TG_TRY(read_integer(r, &value));
        tg_tuple_put(out, value);
        return TG_OK;
    }
    const int tuple = tg_tuple_open(out);
    TG_TRY(enter(r));
    do {
        TG_TRY(read_tuple(r, out));
    } while (accept(r, ','));
    r->depth--;
    tg_tuple_close(out, tuple);
    return expect(r, ')', "after the elements of a tuple");
}

static tg_status read_end(reader *r) { return peek(r) ? wrong(r, "the end of the text") : TG_OK; }

tg_status tg_tuple_read(const char *text, size_t length, tg_tuple *out, tg_diags *diags)
{
    reader r = {text, length, 0, 0, diags};
    tg_tuple_begin(out);
    TG_TRY(read_tuple(&r, out));
    TG_TRY(read_end(&r));
    return tg_tuple_check(out, diags);
}

static tg_status read_small(reader *r, int *out)
{
    int64_t value;
    const size_t first = r->at;
    TG_TRY(read_integer(r, &value));
    if (value < -64 || value > 64)
        return tg_fail_at(r->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "a swizzle moves bits that a number has not");
    *out = (int)value;
    return TG_OK;
}

/* "Sw<3,4,3> o 0 o", or nothing. */
static tg_status read_swizzle(reader *r, tg_cute *out)
{
    tg_swizzle *swizzle = &out->swizzle;
    if (peek(r) != 'S') return TG_OK;
    if (r->length - r->at < 2 || r->text[r->at + 1] != 'w') return wrong(r, "\"Sw<\" or a layout");
    r->at += strlen("Sw");
    TG_TRY(expect(r, '<', "after \"Sw\""));
    TG_TRY(read_small(r, &swizzle->bits));
    TG_TRY(expect(r, ',', "in a swizzle"));
    TG_TRY(read_small(r, &swizzle->base));
    TG_TRY(expect(r, ',', "in a swizzle"));
    TG_TRY(read_small(r, &swizzle->shift));
    TG_TRY(expect(r, '>', "after a swizzle"));
    TG_TRY(expect(r, 'o', "after a swizzle"));
    TG_TRY(read_integer(r, &out->offset));
    swizzle->axis = TG_AXIS_m;
    return expect(r, 'o', "after the offset");
}

tg_status tg_cute_read(const char *text, size_t length, tg_cute *out, tg_diags *diags)
{
    reader r = {text, length, 0, 0, diags};
    tg_cute_begin(out);
    TG_TRY(read_swizzle(&r, out));
    TG_TRY(read_tuple(&r, &out->shape));
    TG_TRY(expect(&r, ':', "between shape and stride"));
    TG_TRY(read_tuple(&r, &out->stride));
    TG_TRY(read_end(&r));
    TG_TRY(tg_tuple_check(&out->stride, diags));
    return tg_cute_check(out, diags);
}

/* ---- tilers ---- */

/* A layout; or, if there is no ':', a shape, whose integers become layouts of stride 1. */
static tg_status read_part(reader *r, tg_tiler *out)
{
    tg_cute part;
    tg_tiler_kind kind = TG_TILER_LAYOUT;
    const int first = out->layout.shape.count;
    tg_cute_begin(&part);
    TG_TRY(read_swizzle(r, &part));
    TG_TRY(read_tuple(r, &part.shape));
    if (accept(r, ':')) {
        TG_TRY(read_tuple(r, &part.stride));
        TG_TRY(tg_tuple_check(&part.stride, r->diags));
    } else if (!tg_cute_is_plain(&part)) {
        return wrong(r, "':' between shape and stride");
    } else {
        tg_tuple_copy(&part.shape, &part.stride);
        for (int i = 0; i < part.stride.count; i++) part.stride.node[i].value = 1;
        kind = TG_TILER_BY_MODE;
    }
    TG_TRY(tg_cute_check(&part, r->diags));
    if (first) {
        TG_TRY(tg_cute_check_plain(&part, "a tiler by mode", r->diags));
        tg_cute_put_node(&out->layout, &part, 0);
    } else {
        tg_cute_copy(&part, &out->layout);
    }
    if (first < TG_TUPLE_MOST_NODES) out->kind[first] = kind;
    for (int i = first; kind == TG_TILER_BY_MODE && i < out->layout.shape.count; i++)
        out->kind[i] = tg_tuple_is_integer(&out->layout.shape, i) ? TG_TILER_LAYOUT : kind;
    return TG_OK;
}

/* "_" alone: a static integer goes on with a digit. */
static bool accept_none(reader *r)
{
    if (peek(r) != '_') return false;
    const char next = r->at + 1 < r->length ? r->text[r->at + 1] : 0;
    if (isdigit((unsigned char)next) || next == '-') return false;
    r->at++;
    return true;
}

static tg_status read_tiler(reader *r, tg_tiler *out)
{
    const int at = out->layout.shape.count;
    if (accept_none(r)) {
        if (at < TG_TUPLE_MOST_NODES) out->kind[at] = TG_TILER_NONE;
        tg_cute_put(&out->layout, 1, 0);
        return TG_OK;
    }
    if (!accept(r, '<')) return read_part(r, out);
    if (at < TG_TUPLE_MOST_NODES) out->kind[at] = TG_TILER_BY_MODE;
    const int tuple = tg_cute_open(&out->layout);
    TG_TRY(enter(r));
    do {
        TG_TRY(read_tiler(r, out));
    } while (accept(r, ','));
    r->depth--;
    tg_cute_close(&out->layout, tuple);
    return expect(r, '>', "after the modes of a tiler");
}

tg_status tg_tiler_read(const char *text, size_t length, tg_tiler *out, tg_diags *diags)
{
    reader r = {text, length, 0, 0, diags};
    tg_cute_begin(&out->layout);
    TG_TRY(read_tiler(&r, out));
    TG_TRY(read_end(&r));
    return tg_cute_check(&out->layout, diags);
}

/* ---- print ---- */

static void print_node(const tg_tuple *tuple, int at, tg_text *out)
{
    if (tg_tuple_is_integer(tuple, at)) {
        tg_text_add(out, "%" PRId64, tuple->node[at].value);
        return;
    }
    tg_text_put(out, "(");
    for (int i = at + 1; i < at + tuple->node[at].span; i += tuple->node[i].span) {
        if (i > at + 1) tg_text_put(out, ",");
        print_node(tuple, i, out);
    }
    tg_text_put(out, ")");
}

void tg_tuple_print(const tg_tuple *tuple, tg_text *out) { print_node(tuple, 0, out); }

void tg_cute_print(const tg_cute *cute, tg_text *out)
{
    const tg_swizzle *s = &cute->swizzle;
    if (!tg_cute_is_plain(cute))
        tg_text_add(out, "Sw<%d,%d,%d> o %" PRId64 " o ", s->bits, s->base, s->shift, cute->offset);
    tg_tuple_print(&cute->shape, out);
    tg_text_put(out, ":");
    tg_tuple_print(&cute->stride, out);
}
