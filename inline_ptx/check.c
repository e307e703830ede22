#include "inline_ptx/check.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scanner {
    const tg_inline_ptx *ptx;
    const char *at;
    int line, depth;   /* the line, from 1; open scopes */
    bool in_statement; /* behind the name of an instruction or directive */
    char *problem;
} scanner;

TG_PRINTF(3, 4)
static tg_status fail(const scanner *s, tg_status status, const char *format, ...)
{
    va_list list;
    const int used = snprintf(s->problem, TG_INLINE_PTX_PROBLEM, "line %d of the text: ", s->line);
    va_start(list, format);
    vsnprintf(s->problem + used, TG_INLINE_PTX_PROBLEM - (size_t)used, format, list);
    va_end(list);
    return status;
}

/* Whether a character belongs to a word; a dot begins another one. */
static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_' || c == '%'; }

static bool is_word(const char *word, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(word, other, length) == 0;
}

/* Whether instructions of this name only compute.  All but calls do that have no decoder of their own. */
static bool only_computes(const char *word, size_t length)
{
    static const char *const computing[] = {"cvt", "mov", "setp", "bra"};
    static const char *const families[] = {
        "call",
#define TG_EMU_FAMILY(opcode, decoder) opcode,
#include "emulator/decoders.def"
    };
    for (size_t i = 0; i < sizeof computing / sizeof *computing; i++)
        if (is_word(word, length, computing[i])) return true;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (is_word(word, length, families[i])) return false;
    return true;
}

static void skip_comment(scanner *s, const char *end)
{
    const char *stop = strstr(s->at + 2, end);
    stop = stop ? stop + (*end == '\n' ? 0 : strlen(end)) : s->at + strlen(s->at);
    for (; s->at < stop; s->at++) s->line += *s->at == '\n';
}

static tg_status scan_dollar(scanner *s)
{
    char *end;
    if (s->at[1] == '$') {
        s->at += 2;
        return TG_OK;
    }
    if (!isdigit((unsigned char)s->at[1]))
        return fail(s, TG_ERR_UNSUPPORTED, "behind $ there is neither a number nor another $");
    const unsigned long number = strtoul(s->at + 1, &end, 10);
    if (number >= s->ptx->register_count)
        return fail(s, TG_ERR_INVALID, "$%lu names no register: there are %" PRIu32, number,
                    s->ptx->register_count);
    s->at = end;
    return TG_OK;
}

/* A word where a statement may begin: a label, or the name of an instruction. */
static tg_status scan_first(scanner *s)
{
    const char *word = s->at;
    while (is_letter(*s->at)) s->at++;
    const size_t length = (size_t)(s->at - word);
    const char *behind = s->at;
    while (isspace((unsigned char)*behind)) behind++;
    if (*behind == ':') return TG_OK;
    s->in_statement = true;
    if (only_computes(word, length)) return TG_OK;
    return fail(
        s, TG_ERR_UNSUPPORTED,
        "%.*s is not supported here: it touches memory, other threads or the end of the program",
        (int)length, word);
}

static tg_status scan_directive(scanner *s)
{
    const char *word = ++s->at;
    while (is_letter(*s->at)) s->at++;
    const size_t length = (size_t)(s->at - word);
    s->in_statement = true;
    if (is_word(word, length, "reg")) return TG_OK;
    return fail(s, TG_ERR_UNSUPPORTED,
                ".%.*s is not supported here: registers alone can be declared", (int)length, word);
}

static tg_status scan_brace(scanner *s)
{
    const bool opens = *s->at++ == '{';
    if (s->in_statement) return TG_OK; /* of a vector */
    s->depth += opens ? 1 : -1;
    return s->depth < 0 ? fail(s, TG_ERR_INVALID, "} closes no scope of the text") : TG_OK;
}

static tg_status scan_next(scanner *s)
{
    const char c = *s->at;
    if (c == '/' && (s->at[1] == '/' || s->at[1] == '*')) {
        skip_comment(s, s->at[1] == '/' ? "\n" : "*/");
        return TG_OK;
    }
    if (c == '$') return scan_dollar(s);
    if (c == '{' || c == '}') return scan_brace(s);
    if (c == '.' && !s->in_statement) return scan_directive(s);
    if (is_letter(c) && !s->in_statement) return scan_first(s);
    s->at++;
    s->line += c == '\n';
    if (c == ';') s->in_statement = false;
    if (c != '@' || s->in_statement) return TG_OK;
    while (*s->at == '!' || isspace((unsigned char)*s->at)) s->at++;
    while (is_letter(*s->at)) s->at++; /* the guard */
    return TG_OK;
}

tg_status tg_inline_ptx_check(const tg_inline_ptx *ptx, char problem[TG_INLINE_PTX_PROBLEM])
{
    scanner s = {.ptx = ptx, .at = ptx->text, .line = 1, .problem = problem};
    while (*s.at) TG_TRY(scan_next(&s));
    return s.depth ? fail(&s, TG_ERR_INVALID, "a scope is not closed") : TG_OK;
}
