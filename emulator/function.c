#include "emulator/function.h"

#include <string.h>

static bool is_same(const tg_emu_token *a, const tg_emu_token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static const tg_emu_function *known(const tg_emu_parser *p, const tg_emu_token *name)
{
    for (size_t i = 0; i < p->function_count; i++)
        if (is_same(&p->functions[i].name, name)) return &p->functions[i];
    return NULL;
}

/* -- passing over -- */

static tg_status fail_at_end(tg_emu_parser *p, const tg_emu_token *start, const char *what)
{
    return tg_emu_fail_at(p, TG_ERR_SYNTAX, start, "%s that does not end", what);
}

/* (...), if it is there */
static tg_status pass_list(tg_emu_parser *p)
{
    const tg_emu_token start = p->reader.token;
    if (!tg_emu_is_mark(&start, '(')) return TG_OK;
    while (!tg_emu_is_mark(&p->reader.token, ')')) {
        if (p->reader.token.kind == TG_EMU_TOKEN_END) return fail_at_end(p, &start, "a list");
        TG_TRY(tg_emu_next(&p->reader));
    }
    return tg_emu_next(&p->reader);
}

/* {...}, with braces within */
static tg_status pass_body(tg_emu_parser *p)
{
    const tg_emu_token start = p->reader.token;
    size_t depth = 0;
    do {
        if (p->reader.token.kind == TG_EMU_TOKEN_END) return fail_at_end(p, &start, "a function");
        if (tg_emu_is_mark(&p->reader.token, '{')) depth++;
        if (tg_emu_is_mark(&p->reader.token, '}')) depth--;
        TG_TRY(tg_emu_next(&p->reader));
    } while (depth > 0);
    return TG_OK;
}

tg_status tg_emu_pass_attributes(tg_emu_parser *p)
{
    const tg_emu_token start = p->reader.token;
    while (!tg_emu_is_mark(&p->reader.token, '{') && !tg_emu_is_mark(&p->reader.token, ';')) {
        if (p->reader.token.kind == TG_EMU_TOKEN_END) return fail_at_end(p, &start, "a function");
        TG_TRY(tg_emu_next(&p->reader));
    }
    return TG_OK;
}

static tg_status note(tg_emu_parser *p, const tg_emu_function *function)
{
    char text[TG_EMU_TOKEN_TEXT];
    if (known(p, &function->name))
        return tg_emu_fail_at(p, TG_ERR_INVALID, &function->name, "%s is defined twice",
                              tg_emu_token_text(&function->name, text));
    tg_emu_function *list = tg_emu_grow(&p->scratch, p->functions, p->function_count,
                                        &p->function_capacity, sizeof *list);
    if (!list) return tg_emu_no_memory(p);
    p->functions = list;
    list[p->function_count++] = *function;
    return TG_OK;
}

tg_status tg_emu_pass_function(tg_emu_parser *p)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_function function = {.reader = p->reader};
    TG_TRY(pass_list(p));
    function.name = p->reader.token;
    if (function.name.kind != TG_EMU_TOKEN_NAME)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &function.name,
                              "expected the name of a function before %s",
                              tg_emu_token_text(&function.name, text));
    TG_TRY(tg_emu_next(&p->reader));
    TG_TRY(pass_list(p));
    TG_TRY(tg_emu_pass_attributes(p));
    if (tg_emu_is_mark(&p->reader.token, ';')) return tg_emu_next(&p->reader);
    if (!p->knows_functions) TG_TRY(note(p, &function));
    return pass_body(p);
}

/* -- finding -- */

/* Notes those behind the reader, which stays where it is. */
static tg_status note_rest(tg_emu_parser *p)
{
    const tg_emu_reader here = p->reader;
    while (p->reader.token.kind != TG_EMU_TOKEN_END) {
        const bool is_function = tg_emu_is(&p->reader.token, TG_EMU_TOKEN_DOT, "func");
        TG_TRY(tg_emu_next(&p->reader));
        if (is_function) TG_TRY(tg_emu_pass_function(p));
    }
    p->reader = here;
    p->knows_functions = true;
    return TG_OK;
}

tg_status tg_emu_function_find(tg_emu_parser *p, const tg_emu_token *name,
                               const tg_emu_function **out)
{
    if (!p->knows_functions) TG_TRY(note_rest(p));
    *out = known(p, name);
    return TG_OK;
}
