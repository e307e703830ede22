#include "layout/read.h"

#include <ctype.h>
#include <string.h>

#include "layout/scope.h"

typedef struct reader {
    const char *text;
    size_t length, at;
    tg_axe *axe;
    tg_axis_set named; /* axes that the text names */
    tg_diags *diags;
} reader;

static void skip_space(reader *r)
{
    while (r->at < r->length && isspace((unsigned char)r->text[r->at])) r->at++;
}

/* The next byte that is not white space, or 0 at the end. */
static char peek(reader *r)
{
    skip_space(r);
    return r->at < r->length ? r->text[r->at] : 0;
}

static bool accept(reader *r, char c)
{
    if (peek(r) != c) return false;
    r->at++;
    return true;
}

static tg_status expect(reader *r, char c, const char *where)
{
    if (accept(r, c)) return TG_OK;
    return tg_fail_at(r->diags, TG_ERR_SYNTAX, NULL, (int64_t)r->at, "expected '%c' %s", c, where);
}

static tg_status read_number(reader *r, const char *what, int64_t *out)
{
    const bool negative = accept(r, '-');
    const size_t first = r->at;
    int64_t value = 0;
    if (!isdigit((unsigned char)peek(r)))
        return tg_fail_at(r->diags, TG_ERR_SYNTAX, NULL, (int64_t)r->at, "expected %s, an integer",
                          what);
    for (; r->at < r->length && isdigit((unsigned char)r->text[r->at]); r->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, r->text[r->at] - '0', &value))
            return tg_fail_at(r->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                              "%s does not fit in 63 bits", what);
    *out = negative ? -value : value;
    return TG_OK;
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static tg_status no_axis(reader *r, size_t first)
{
    char known[512] = "";
    size_t used = 0;
    for (int a = 0; a < TG_AXIS_COUNT && used + 32 < sizeof known; a++) {
        const char *name = tg_axes[a].name;
        known[used++] = ' ';
        memcpy(known + used, name, strlen(name) + 1);
        used += strlen(name);
    }
    return tg_fail_at(r->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                      "there is no axis \"%.*s\"; there are:%s", (int)(r->at - first),
                      r->text + first, known);
}

/* "@name", or nothing, which is m. */
static tg_status read_axis(reader *r, tg_axis *out)
{
    *out = TG_AXIS_m;
    if (accept(r, '@')) {
        skip_space(r);
        const size_t first = r->at;
        while (r->at < r->length && in_name(r->text[r->at])) r->at++;
        if (r->at == first)
            return tg_fail_at(r->diags, TG_ERR_SYNTAX, NULL, (int64_t)first,
                              "expected the name of an axis after '@'");
        *out = tg_axis_find(r->text + first, r->at - first);
        if (*out == TG_AXIS_NONE) return no_axis(r, first);
    }
    r->named |= TG_AXIS_BIT(*out);
    return TG_OK;
}

static tg_status read_extent(reader *r, tg_iters *iters)
{
    int64_t extent;
    skip_space(r);
    const size_t first = r->at;
    TG_TRY(read_number(r, "an extent", &extent));
    if (extent < 1)
        return tg_fail_at(r->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "an extent is %lld; it is at least 1", (long long)extent);
    if (iters->count == TG_AXE_MAX_ITERS)
        return tg_fail_at(r->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "a layout has at most %d iters", TG_AXE_MAX_ITERS);
    tg_iters_put(iters, extent, 0, TG_AXIS_NONE);
    return TG_OK;
}

static tg_status read_stride(reader *r, tg_iter *it)
{
    tg_axis axis;
    TG_TRY(read_number(r, "a stride", &it->stride));
    TG_TRY(read_axis(r, &axis));
    it->axis = it->stride ? axis : TG_AXIS_NONE;
    return TG_OK;
}

/* "(extents):(strides)", after the first parenthesis. */
static tg_status read_tuples(reader *r, tg_iters *iters)
{
    const int first = iters->count;
    int strides = first;
    do {
        TG_TRY(read_extent(r, iters));
    } while (accept(r, ','));
    TG_TRY(expect(r, ')', "after the extents"));
    TG_TRY(expect(r, ':', "before the strides"));
    TG_TRY(expect(r, '(', "before the strides"));
    const size_t at = r->at;
    do {
        if (strides == iters->count) {
            strides++; /* one too many */
            break;
        }
        TG_TRY(read_stride(r, &iters->list[strides++]));
    } while (accept(r, ','));
    if (strides != iters->count)
        return tg_fail_at(r->diags, TG_ERR_INVALID, NULL, (int64_t)at,
                          "there are %d extents, but %s strides", iters->count - first,
                          strides > iters->count ? "more" : "fewer");
    return expect(r, ')', "after the strides");
}

static tg_status read_iters(reader *r, tg_iters *iters)
{
    if (accept(r, '(')) return read_tuples(r, iters);
    TG_TRY(read_extent(r, iters));
    TG_TRY(expect(r, ':', "before the stride"));
    return read_stride(r, &iters->list[iters->count - 1]);
}

static tg_status read_copies(reader *r)
{
    do {
        TG_TRY(read_iters(r, &r->axe->r));
    } while (accept(r, ','));
    return expect(r, ']', "after the copies");
}

static tg_status read_offset(reader *r, bool negative)
{
    int64_t value;
    tg_axis axis;
    skip_space(r);
    const size_t first = r->at;
    TG_TRY(read_number(r, "an offset", &value));
    TG_TRY(read_axis(r, &axis));
    int64_t *sum = &r->axe->offset[axis];
    if (__builtin_add_overflow(*sum, negative ? -value : value, sum))
        return tg_fail_at(r->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "the offset on axis %s does not fit in 63 bits", tg_axes[axis].name);
    return TG_OK;
}

static tg_status read_small(reader *r, const char *what, int *out)
{
    int64_t value;
    const size_t first = r->at;
    TG_TRY(read_number(r, what, &value));
    if (value < -64 || value > 64)
        return tg_fail_at(r->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "a swizzle moves bits that a number has not");
    *out = (int)value;
    return TG_OK;
}

static tg_status read_swizzle(reader *r)
{
    tg_swizzle *swizzle = &r->axe->swizzle;
    r->at += strlen("Sw");
    TG_TRY(expect(r, '<', "after \"Sw\""));
    TG_TRY(read_small(r, "the number of bits", &swizzle->bits));
    TG_TRY(expect(r, ',', "in a swizzle"));
    TG_TRY(read_small(r, "the base", &swizzle->base));
    TG_TRY(expect(r, ',', "in a swizzle"));
    TG_TRY(read_small(r, "the shift", &swizzle->shift));
    TG_TRY(expect(r, '>', "after a swizzle"));
    TG_TRY(read_axis(r, &swizzle->axis));
    return expect(r, 'o', "between swizzle and layout");
}

static tg_status read_layout(reader *r)
{
    if (peek(r) == 'S' && r->length - r->at > 2 && r->text[r->at + 1] == 'w')
        TG_TRY(read_swizzle(r));
    TG_TRY(read_iters(r, &r->axe->d));
    for (;;) {
        const char sign = peek(r);
        if (sign != '+' && sign != '-') break;
        r->at++;
        if (sign == '+' && accept(r, '['))
            TG_TRY(read_copies(r));
        else
            TG_TRY(read_offset(r, sign == '-'));
    }
    if (peek(r))
        return tg_fail_at(r->diags, TG_ERR_SYNTAX, NULL, (int64_t)r->at,
                          "expected '+', '-' or the end of the layout");
    return TG_OK;
}

tg_status tg_axe_read(const char *text, size_t length, tg_axe *out, tg_diags *diags)
{
    reader r = {text, length, 0, out, 0, diags};
    tg_axe_begin(out);
    TG_TRY(read_layout(&r));
    TG_TRY(tg_axe_check(out, diags));
    return tg_scope_check(r.named, 0, diags);
}
