#include "layout/mesh/scan.h"

#include <ctype.h>
#include <string.h>

enum { MOST = 1000000000 };

char tg_scan_peek(tg_scanner *scan)
{
    while (scan->at < scan->length && isspace((unsigned char)scan->text[scan->at])) scan->at++;
    return scan->at < scan->length ? scan->text[scan->at] : 0;
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
    tg_scan_peek(scan);
    return scan->at == scan->length ? TG_OK : tg_scan_wrong(scan, "the end of the text");
}

tg_status tg_scan_integer(tg_scanner *scan, const char *what, int *out)
{
    const bool negative = tg_scan_accept(scan, '-');
    int value = 0;
    if (!isdigit((unsigned char)tg_scan_peek(scan)))
        return tg_fail_at(scan->diags, TG_ERR_SYNTAX, NULL, (int64_t)scan->at,
                          "expected %s, an integer", what);
    const size_t first = scan->at;
    for (; scan->at < scan->length && isdigit((unsigned char)scan->text[scan->at]); scan->at++) {
        value = value * 10 + (scan->text[scan->at] - '0');
        if (value > MOST / 10 && scan->at + 1 < scan->length &&
            isdigit((unsigned char)scan->text[scan->at + 1]))
            return tg_fail_at(scan->diags, TG_ERR_INVALID, NULL, (int64_t)first, "%s exceeds %d",
                              what, MOST);
    }
    *out = negative ? -value : value;
    return TG_OK;
}

size_t tg_scan_word(tg_scanner *scan, const char **out)
{
    const char first = tg_scan_peek(scan);
    const size_t begin = scan->at;
    *out = scan->text + begin;
    if (!isalpha((unsigned char)first) && first != '_') return 0;
    while (scan->at < scan->length &&
           (isalnum((unsigned char)scan->text[scan->at]) || scan->text[scan->at] == '_'))
        scan->at++;
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
