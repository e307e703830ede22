/* A reader of Triton's attributes: what the texts of layouts and of encodings have in common. */
#ifndef TG_LAYOUT_LINEAR_TTG_IMPL_H
#define TG_LAYOUT_LINEAR_TTG_IMPL_H

#include <ctype.h>
#include <string.h>

#include "layout/linear/linear.h"
#include "layout/shape.h"

typedef struct tg_ttg {
    const char *text;
    size_t length, at;
    tg_diags *diags;
} tg_ttg;

static inline void tg_ttg_space(tg_ttg *s)
{
    while (s->at < s->length && isspace((unsigned char)s->text[s->at])) s->at++;
}

/* The next byte that is not white space, or 0 at the end. */
static inline char tg_ttg_peek(tg_ttg *s)
{
    tg_ttg_space(s);
    return s->at < s->length ? s->text[s->at] : 0;
}

static inline bool tg_ttg_accept(tg_ttg *s, char c)
{
    if (tg_ttg_peek(s) != c) return false;
    s->at++;
    return true;
}

static inline tg_status tg_ttg_expect(tg_ttg *s, char c, const char *where)
{
    if (tg_ttg_accept(s, c)) return TG_OK;
    return tg_fail_at(s->diags, TG_ERR_SYNTAX, NULL, (int64_t)s->at, "expected '%c' %s", c, where);
}

/* Whether the text goes on with a word; takes it if so. */
static inline bool tg_ttg_word(tg_ttg *s, const char *word)
{
    const size_t size = strlen(word);
    tg_ttg_space(s);
    if (s->length - s->at < size || memcmp(s->text + s->at, word, size) != 0) return false;
    s->at += size;
    return true;
}

/* A name of letters, digits and '_'. */
static inline tg_status tg_ttg_name(tg_ttg *s, char *name, size_t size)
{
    tg_ttg_space(s);
    const size_t first = s->at;
    while (s->at < s->length && (isalnum((unsigned char)s->text[s->at]) || s->text[s->at] == '_'))
        s->at++;
    if (s->at == first)
        return tg_fail_at(s->diags, TG_ERR_SYNTAX, NULL, (int64_t)first, "expected a name");
    if (s->at - first >= size)
        return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "a name has at most %zu bytes", size - 1);
    memcpy(name, s->text + first, s->at - first);
    name[s->at - first] = 0;
    return TG_OK;
}

/* An integer from 0 on. */
static inline tg_status tg_ttg_number(tg_ttg *s, int64_t *out)
{
    if (!isdigit((unsigned char)tg_ttg_peek(s)))
        return tg_fail_at(s->diags, TG_ERR_SYNTAX, NULL, (int64_t)s->at,
                          "expected an integer, not negative");
    const size_t first = s->at;
    for (*out = 0; s->at < s->length && isdigit((unsigned char)s->text[s->at]); s->at++)
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, s->text[s->at] - '0', out))
            return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                              "an integer does not fit in 63 bits");
    return TG_OK;
}

/* "[1, 2]" */
static inline tg_status tg_ttg_list(tg_ttg *s, tg_shape *out)
{
    out->rank = 0;
    TG_TRY(tg_ttg_expect(s, '[', "before a list"));
    if (tg_ttg_accept(s, ']')) return TG_OK;
    do {
        if (out->rank == TG_SHAPE_MAX_RANK)
            return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)s->at,
                              "a list has at most %d integers", TG_SHAPE_MAX_RANK);
        TG_TRY(tg_ttg_number(s, &out->extent[out->rank++]));
    } while (tg_ttg_accept(s, ','));
    return tg_ttg_expect(s, ']', "after a list");
}

#endif
