#include "emulator/token.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tg_status tg_emu_fail(tg_diags *diags, tg_status status, uint32_t line, uint32_t column,
                      const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return tg_fail(diags, status, NULL, "%u:%u: %s", line, column, message);
}

bool tg_emu_is_mark(const tg_emu_token *token, char mark)
{
    return token->kind == TG_EMU_TOKEN_MARK && token->text[0] == mark;
}

bool tg_emu_is(const tg_emu_token *token, tg_emu_token_kind kind, const char *text)
{
    return token->kind == kind && token->length == strlen(text) &&
           memcmp(token->text, text, token->length) == 0;
}

const char *tg_emu_token_text(const tg_emu_token *token, char out[TG_EMU_TOKEN_TEXT])
{
    if (token->kind == TG_EMU_TOKEN_END) return "the end of the text";
    const char *before = token->kind == TG_EMU_TOKEN_DOT      ? "."
                         : token->kind == TG_EMU_TOKEN_STRING ? "\""
                                                              : "";
    int length = token->length < 40 ? (int)token->length : 40;
    snprintf(out, TG_EMU_TOKEN_TEXT, "'%s%.*s%s'", before, length, token->text,
             token->length > 40 ? "..." : "");
    return out;
}

tg_status tg_emu_expect(tg_emu_reader *reader, char mark)
{
    char text[TG_EMU_TOKEN_TEXT];
    const tg_emu_token *token = &reader->token;
    if (!tg_emu_is_mark(token, mark))
        return tg_emu_fail(reader->diags, TG_ERR_SYNTAX, token->line, token->column,
                           "expected '%c' before %s", mark, tg_emu_token_text(token, text));
    return tg_emu_next(reader);
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_follow(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

static char peek(const tg_emu_reader *r, size_t ahead)
{
    return (size_t)(r->end - r->at) > ahead ? r->at[ahead] : '\0';
}

static uint32_t column_of(const tg_emu_reader *r) { return (uint32_t)(r->at - r->line_start) + 1; }

static tg_status fail_here(tg_emu_reader *r, const char *what)
{
    return tg_emu_fail(r->diags, TG_ERR_SYNTAX, r->line, column_of(r), "%s", what);
}

static void newline(tg_emu_reader *r)
{
    r->at++;
    r->line++;
    r->line_start = r->at;
}

static tg_status skip_block_comment(tg_emu_reader *r)
{
    uint32_t line = r->line, column = column_of(r);
    for (r->at += 2; r->at < r->end;) {
        if (peek(r, 0) == '*' && peek(r, 1) == '/') {
            r->at += 2;
            return TG_OK;
        }
        if (*r->at == '\n')
            newline(r);
        else
            r->at++;
    }
    return tg_emu_fail(r->diags, TG_ERR_SYNTAX, line, column, "a comment that does not end");
}

static tg_status skip_space(tg_emu_reader *r)
{
    while (r->at < r->end) {
        char c = *r->at;
        if (c == '\n')
            newline(r);
        else if (c == ' ' || c == '\t' || c == '\r')
            r->at++;
        else if (c == '/' && peek(r, 1) == '/')
            while (r->at < r->end && *r->at != '\n') r->at++;
        else if (c == '/' && peek(r, 1) == '*')
            TG_TRY(skip_block_comment(r));
        else
            break;
    }
    return TG_OK;
}

static int digit_value(char c)
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

/* Reads the digits of one number; an integer may end with a U, which has no effect. */
static tg_status read_digits(tg_emu_reader *r, unsigned base, size_t exact_count)
{
    uint64_t value = 0;
    size_t count = 0;
    for (; r->at < r->end && digit_value(*r->at) < (int)base; r->at++, count++) {
        unsigned digit = (unsigned)digit_value(*r->at);
        if (value > (UINT64_MAX - digit) / base)
            return fail_here(r, "a number that does not fit 64 bits");
        value = value * base + digit;
    }
    if (exact_count == 0 && count != 0 && peek(r, 0) == 'U') r->at++;
    if (count == 0 || (exact_count && count != exact_count) || is_follow(peek(r, 0)))
        return fail_here(r, exact_count ? "a float is 0f and 8 or 0d and 16 hexadecimal digits"
                                        : "a malformed number");
    r->token.bits = value;
    return TG_OK;
}

static tg_status read_number(tg_emu_reader *r)
{
    char second = peek(r, 0) == '0' ? peek(r, 1) : '\0';
    r->token.kind = TG_EMU_TOKEN_INT;
    switch (second) {
    case 'x':
    case 'X': r->at += 2; return read_digits(r, 16, 0);
    case 'b':
    case 'B': r->at += 2; return read_digits(r, 2, 0);
    case 'f':
    case 'F':
        r->at += 2;
        r->token.kind = TG_EMU_TOKEN_F32;
        return read_digits(r, 16, 8);
    case 'd':
    case 'D':
        r->at += 2;
        r->token.kind = TG_EMU_TOKEN_F64;
        return read_digits(r, 16, 16);
    default: return read_digits(r, is_digit(second) ? 8 : 10, 0);
    }
}

static void read_follow(tg_emu_reader *r)
{
    while (r->at < r->end && is_follow(*r->at)) r->at++;
}

/* A modifier may have parts, as in .shared::cta. */
static void read_parts(tg_emu_reader *r)
{
    read_follow(r);
    while (peek(r, 0) == ':' && peek(r, 1) == ':' && is_follow(peek(r, 2))) {
        r->at += 2;
        read_follow(r);
    }
}

static tg_status read_string(tg_emu_reader *r)
{
    r->token.kind = TG_EMU_TOKEN_STRING;
    r->token.text = ++r->at;
    while (r->at < r->end && *r->at != '"' && *r->at != '\n') r->at++;
    if (peek(r, 0) != '"') return fail_here(r, "a string that does not end on its line");
    r->token.length = (size_t)(r->at++ - r->token.text);
    return TG_OK;
}

tg_status tg_emu_next(tg_emu_reader *r)
{
    const char *before = r->at;
    TG_TRY(skip_space(r));
    r->token = (tg_emu_token){
        .text = r->at, .line = r->line, .column = column_of(r), .glued = r->at == before};
    if (r->at == r->end) return TG_OK;
    char c = *r->at, after = peek(r, 1);
    if (c == '"') return read_string(r);
    if (is_letter(c) || ((c == '_' || c == '$' || c == '%') && is_follow(after))) {
        r->token.kind = TG_EMU_TOKEN_NAME;
        r->at++;
        read_follow(r);
    } else if (c == '.' && is_follow(after)) {
        r->token.kind = TG_EMU_TOKEN_DOT;
        r->token.text = ++r->at;
        read_parts(r);
    } else if (is_digit(c)) {
        TG_TRY(read_number(r));
    } else if (c != '\0' && strchr(",;:()[]{}<>@!|+-=_", c)) {
        r->token.kind = TG_EMU_TOKEN_MARK;
        r->at++;
    } else {
        return fail_here(r, "a character that is not part of PTX");
    }
    r->token.length = (size_t)(r->at - r->token.text);
    return TG_OK;
}

tg_status tg_emu_reader_begin(tg_emu_reader *reader, const char *text, size_t length,
                              tg_diags *diags)
{
    *reader = (tg_emu_reader){
        .at = text, .end = text + length, .line_start = text, .line = 1, .diags = diags};
    return tg_emu_next(reader);
}
