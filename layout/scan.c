#include "layout/scan.h"

#include <ctype.h>
#include <string.h>

char tg_scan_peek(tg_scanner *scan)
{
    while (scan->at < scan->length && isspace((unsigned char)scan->text[scan->at])) scan->at++;
    return scan->at < scan->length ? scan->text[scan->at] : 0;
}

bool tg_scan_is_end(tg_scanner *scan)
{
    tg_scan_peek(scan);
    return scan->at == scan->length;
}

bool tg_scan_accept(tg_scanner *scan, char c)
{
    if (tg_scan_peek(scan) != c || scan->at == scan->length) return false;
    scan->at++;
    return true;
}

bool tg_scan_accept_word(tg_scanner *scan, const char *word)
{
    const size_t length = strlen(word);
    tg_scan_peek(scan);
    if (scan->length - scan->at < length || memcmp(scan->text + scan->at, word, length) != 0)
        return false;
    scan->at += length;
    return true;
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool tg_scan_accept_name(tg_scanner *scan, const char *name)
{
    const size_t length = strlen(name);
    tg_scan_peek(scan);
    const bool goes_on = scan->length - scan->at > length && in_name(scan->text[scan->at + length]);
    return !goes_on && tg_scan_accept_word(scan, name);
}

tg_status tg_scan_wrong(tg_scanner *scan, const char *what)
{
    tg_scan_peek(scan);
    return tg_fail_at(scan->diags, TG_ERR_SYNTAX, NULL, (int64_t)scan->at, "expected %s", what);
}

tg_status tg_scan_expect(tg_scanner *scan, char c, const char *where)
{
    if (tg_scan_accept(scan, c)) return TG_OK;
    return tg_fail_at(scan->diags, TG_ERR_SYNTAX, NULL, (int64_t)scan->at, "expected '%c' %s", c,
                      where);
}

tg_status tg_scan_expect_word(tg_scanner *scan, const char *word)
{
    if (tg_scan_accept_word(scan, word)) return TG_OK;
    return tg_fail_at(scan->diags, TG_ERR_SYNTAX, NULL, (int64_t)scan->at, "expected \"%s\"", word);
}

tg_status tg_scan_expect_end(tg_scanner *scan)
{
    return tg_scan_is_end(scan) ? TG_OK : tg_scan_wrong(scan, "the end of the text");
}

tg_status tg_scan_natural(tg_scanner *scan, const char *what, int64_t *out)
{
    if (!isdigit((unsigned char)tg_scan_peek(scan)))
        return tg_fail_at(scan->diags, TG_ERR_SYNTAX, NULL, (int64_t)scan->at,
                          "expected %s%san integer", what ? what : "", what ? ", " : "");
    const size_t first = scan->at;
    for (*out = 0; scan->at < scan->length && isdigit((unsigned char)scan->text[scan->at]);
         scan->at++)
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, scan->text[scan->at] - '0', out))
            return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                              "%s does not fit in 63 bits", what ? what : "an integer");
    return TG_OK;
}

tg_status tg_scan_integer(tg_scanner *scan, const char *what, int64_t *out)
{
    const bool negative = tg_scan_accept(scan, '-');
    TG_TRY(tg_scan_natural(scan, what, out));
    if (negative) *out = -*out;
    return TG_OK;
}

tg_status tg_scan_small(tg_scanner *scan, const char *what, int *out)
{
    int64_t value;
    tg_scan_peek(scan);
    const size_t first = scan->at;
    TG_TRY(tg_scan_integer(scan, what, &value));
    if (value < -TG_SCAN_MOST || value > TG_SCAN_MOST)
        return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, (int64_t)first, "%s exceeds %d", what,
                          TG_SCAN_MOST);
    *out = (int)value;
    return TG_OK;
}

size_t tg_scan_word(tg_scanner *scan, const char **out)
{
    const char first = tg_scan_peek(scan);
    const size_t begin = scan->at;
    *out = scan->text + begin;
    if (!isalpha((unsigned char)first) && first != '_') return 0;
    while (scan->at < scan->length && in_name(scan->text[scan->at])) scan->at++;
    return scan->at - begin;
}

tg_status tg_scan_quoted(tg_scanner *scan, const char *what, const char **out, size_t *length)
{
    const char quote = tg_scan_peek(scan);
    if (quote != '"' && quote != '\'')
        return tg_fail_at(scan->diags, TG_ERR_SYNTAX, NULL, (int64_t)scan->at,
                          "expected %s in quotes", what);
    const size_t first = ++scan->at;
    *out = scan->text + first;
    for (; scan->at < scan->length; scan->at++) {
        const char c = scan->text[scan->at];
        if (c == quote) {
            *length = scan->at++ - first;
            return TG_OK;
        }
        if (c == '"' || c == '\'' || c == '\\' || (unsigned char)c < ' ') break;
    }
    return tg_fail_at(scan->diags, TG_ERR_SYNTAX, NULL, (int64_t)scan->at,
                      "expected the quote after %s", what);
}
