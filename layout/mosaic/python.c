#include "layout/mosaic/python.h"

#include <ctype.h>
#include <string.h>

char tg_python_peek(tg_python *s)
{
    while (s->at < s->length && isspace((unsigned char)s->text[s->at])) s->at++;
    return s->at < s->length ? s->text[s->at] : 0;
}

bool tg_python_accept(tg_python *s, char c)
{
    if (tg_python_peek(s) != c) return false;
    s->at++;
    return true;
}

tg_status tg_python_wrong(tg_python *s, const char *what)
{
    tg_python_peek(s);
    return tg_fail_at(s->diags, TG_ERR_SYNTAX, NULL, (int64_t)s->at, "expected %s", what);
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool tg_python_word(tg_python *s, const char *name)
{
    const size_t length = strlen(name);
    tg_python_peek(s);
    if (s->length - s->at < length || memcmp(s->text + s->at, name, length) != 0) return false;
    if (s->length - s->at > length && in_name(s->text[s->at + length])) return false;
    s->at += length;
    return true;
}

tg_status tg_python_expect(tg_python *s, char c)
{
    const char what[] = {'\'', c, '\'', 0};
    return tg_python_accept(s, c) ? TG_OK : tg_python_wrong(s, what);
}

tg_status tg_python_expect_word(tg_python *s, const char *name)
{
    return tg_python_word(s, name) ? TG_OK : tg_python_wrong(s, name);
}

tg_status tg_python_keyword(tg_python *s, const char *name)
{
    return tg_python_word(s, name) ? tg_python_expect(s, '=') : TG_OK;
}

tg_status tg_python_integer(tg_python *s, int64_t *out)
{
    const bool negative = tg_python_accept(s, '-');
    if (!isdigit((unsigned char)tg_python_peek(s))) return tg_python_wrong(s, "an integer");
    const size_t first = s->at;
    int64_t value = 0;
    for (; s->at < s->length && isdigit((unsigned char)s->text[s->at]); s->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, s->text[s->at] - '0', &value))
            return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                              "an integer does not fit in 63 bits");
    *out = negative ? -value : value;
    return TG_OK;
}

tg_status tg_python_tuple(tg_python *s, tg_shape *out)
{
    out->rank = 0;
    TG_TRY(tg_python_expect(s, '('));
    while (tg_python_peek(s) != ')') {
        if (out->rank == TG_SHAPE_MAX_RANK)
            return tg_fail_at(s->diags, TG_ERR_UNSUPPORTED, NULL, (int64_t)s->at,
                              "a tuple has more than %d integers", TG_SHAPE_MAX_RANK);
        TG_TRY(tg_python_integer(s, &out->extent[out->rank++]));
        if (!tg_python_accept(s, ',')) break;
    }
    return tg_python_expect(s, ')');
}

tg_status tg_python_end(tg_python *s)
{
    return tg_python_peek(s) ? tg_python_wrong(s, "the end of the text") : TG_OK;
}
