/* The outermost level of a text: version, target, variables, entries. */
#include "emulator/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tg_status tg_emu_no_memory(tg_emu_parser *parser)
{
    return tg_fail(parser->diags, TG_ERR_NO_MEMORY, NULL, "no memory for the module");
}

char *tg_emu_kept_text(tg_emu_parser *parser, const char *text, size_t length)
{
    char *kept = tg_arena_take(&parser->module->arena, length + 1, 1);
    return kept ? memcpy(kept, text, length) : NULL;
}

tg_status tg_emu_fail_at(tg_emu_parser *parser, tg_status status, const tg_emu_token *at,
                         const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return tg_emu_fail(parser->diags, status, at->line, at->column, "%s", message);
}

void *tg_emu_grow(tg_arena *arena, void *list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return list;
    size_t wanted = *capacity ? 2 * *capacity : 8;
    void *wider = tg_arena_take(arena, wanted, size);
    if (!wider) return NULL;
    if (count) memcpy(wider, list, count * size);
    *capacity = wanted;
    return wider;
}

tg_status tg_emu_look_up(tg_emu_parser *parser, const tg_emu_token *token, tg_emu_found *out)
{
    char text[TG_EMU_TOKEN_TEXT];
    *out = token->kind == TG_EMU_TOKEN_NAME
               ? tg_emu_names_find(&parser->names, token->text, token->length)
               : (tg_emu_found){NULL, {0, 0, 0}};
    if (out->symbol) return TG_OK;
    return tg_emu_fail_at(parser, TG_ERR_INVALID, token, "%s is not declared",
                          tg_emu_token_text(token, text));
}

tg_status tg_emu_parse_number(tg_emu_parser *parser, uint64_t most, uint64_t *out)
{
    tg_emu_token token = parser->reader.token;
    char text[TG_EMU_TOKEN_TEXT];
    if (token.kind != TG_EMU_TOKEN_INT)
        return tg_emu_fail_at(parser, TG_ERR_SYNTAX, &token, "expected a number before %s",
                              tg_emu_token_text(&token, text));
    if (token.bits > most)
        return tg_emu_fail_at(parser, TG_ERR_INVALID, &token,
                              "%llu is more than %llu, the most that can be here",
                              (unsigned long long)token.bits, (unsigned long long)most);
    *out = token.bits;
    return tg_emu_next(&parser->reader);
}

/* .version 7.8: the tokens are 7 and, glued, .8 */
static tg_status parse_version(tg_emu_parser *p)
{
    uint64_t major;
    tg_emu_token at = p->reader.token;
    TG_TRY(tg_emu_parse_number(p, 99, &major));
    tg_emu_token minor = p->reader.token;
    if (minor.kind != TG_EMU_TOKEN_DOT || !minor.glued || minor.length != 1 ||
        minor.text[0] < '0' || minor.text[0] > '9')
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &at, "a version is two numbers, as in 7.8");
    if (major < 6)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &at, "version %llu; from 6.0 on is understood",
                              (unsigned long long)major);
    return tg_emu_next(&p->reader);
}

static tg_status parse_target(tg_emu_parser *p)
{
    tg_emu_token target = p->reader.token;
    char text[TG_EMU_TOKEN_TEXT];
    if (target.kind != TG_EMU_TOKEN_NAME || target.length < 4 || memcmp(target.text, "sm_", 3) != 0)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &target, "a target is named as in sm_80, not %s",
                              tg_emu_token_text(&target, text));
    TG_TRY(tg_emu_next(&p->reader));
    if (tg_emu_is_mark(&p->reader.token, ','))
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &p->reader.token, "a target with options");
    return TG_OK;
}

static tg_status expect_directive(tg_emu_parser *p, const char *name)
{
    char text[TG_EMU_TOKEN_TEXT];
    if (!tg_emu_is(&p->reader.token, TG_EMU_TOKEN_DOT, name))
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "expected .%s before %s", name,
                              tg_emu_token_text(&p->reader.token, text));
    return tg_emu_next(&p->reader);
}

static tg_status parse_header(tg_emu_parser *p)
{
    uint64_t size = 0;
    TG_TRY(expect_directive(p, "version"));
    TG_TRY(parse_version(p));
    TG_TRY(expect_directive(p, "target"));
    TG_TRY(parse_target(p));
    TG_TRY(expect_directive(p, "address_size"));
    tg_emu_token at = p->reader.token;
    TG_TRY(tg_emu_parse_number(p, 64, &size));
    return size == 64 ? TG_OK
                      : tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &at, "addresses have 64 bits here");
}

/* .file 1 "name" [, time, size] */
static tg_status parse_file(tg_emu_parser *p)
{
    uint64_t number;
    tg_emu_module *m = p->module;
    TG_TRY(tg_emu_parse_number(p, UINT32_MAX, &number));
    if (p->reader.token.kind != TG_EMU_TOKEN_STRING)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "expected the name of a file");
    tg_emu_source *const list =
        tg_emu_grow(&m->arena, m->sources, m->source_count, &m->source_capacity, sizeof *list);
    char *const name = tg_emu_kept_text(p, p->reader.token.text, p->reader.token.length);
    if (!list || !name) return tg_emu_no_memory(p);
    m->sources = list;
    list[m->source_count++] = (tg_emu_source){(uint32_t)number, name};
    TG_TRY(tg_emu_next(&p->reader));
    while (tg_emu_is_mark(&p->reader.token, ',')) {
        TG_TRY(tg_emu_next(&p->reader));
        TG_TRY(tg_emu_parse_number(p, UINT64_MAX, &number));
    }
    return TG_OK;
}

static tg_status parse_extern(tg_emu_parser *p)
{
    TG_TRY(expect_directive(p, "shared"));
    return tg_emu_parse_variable(p, TG_EMU_SHARED, true);
}

static tg_status parse_directive(tg_emu_parser *p, const tg_emu_token *name)
{
    char text[TG_EMU_TOKEN_TEXT];
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "visible")) {
        tg_emu_token next = p->reader.token;
        TG_TRY(tg_emu_next(&p->reader));
        return tg_emu_is(&next, TG_EMU_TOKEN_DOT, "visible")
                   ? tg_emu_fail_at(p, TG_ERR_SYNTAX, &next, ".visible twice")
                   : parse_directive(p, &next);
    }
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "entry")) return tg_emu_parse_entry(p);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "global"))
        return tg_emu_parse_variable(p, TG_EMU_GLOBAL, false);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "const"))
        return tg_emu_parse_variable(p, TG_EMU_CONST, false);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "shared"))
        return tg_emu_parse_variable(p, TG_EMU_SHARED, false);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "extern")) return parse_extern(p);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "file")) return parse_file(p);
    return tg_emu_fail_at(p, name->kind == TG_EMU_TOKEN_DOT ? TG_ERR_UNSUPPORTED : TG_ERR_SYNTAX,
                          name, "%s is not among the directives that are understood",
                          tg_emu_token_text(name, text));
}

tg_status tg_emu_parse_module(tg_emu_parser *p)
{
    TG_TRY(parse_header(p));
    while (p->reader.token.kind != TG_EMU_TOKEN_END) {
        tg_emu_token name = p->reader.token;
        TG_TRY(tg_emu_next(&p->reader));
        TG_TRY(parse_directive(p, &name));
    }
    return TG_OK;
}

static tg_status load(tg_emu_module *module, const tg_emu_isa *isa, const char *text, size_t length,
                      tg_diags *diags)
{
    tg_emu_parser parser = {.diags = diags, .module = module, .isa = isa};
    parser.entry = &parser.common;
    tg_status status = TG_ERR_NO_MEMORY;
    if (tg_emu_names_begin(&parser.names, &parser.scratch)) {
        status = tg_emu_reader_begin(&parser.reader, text, length, diags);
        if (status == TG_OK) status = tg_emu_parse_module(&parser);
    } else {
        tg_emu_no_memory(&parser);
    }
    tg_arena_free(&parser.scratch);
    return status;
}

tg_status tg_emu_module_load_for(const char *isa_name, const char *text, size_t length,
                                 const char *name, tg_emu_module **out, tg_diags *diags)
{
    tg_emu_isa isa;
    *out = NULL;
    if (!tg_emu_isa_get(isa_name, &isa))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "this machine has no instruction set %s",
                       isa_name);
    tg_emu_module *module = calloc(1, sizeof *module);
    if (!module) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory for the module");
    tg_diags_set_file(diags, name);
    tg_status status = load(module, &isa, text, length, diags);
    tg_diags_set_file(diags, NULL);
    if (status == TG_OK)
        *out = module;
    else
        tg_emu_module_free(module);
    return status;
}

tg_status tg_emu_module_load(const char *text, size_t length, const char *name, tg_emu_module **out,
                             tg_diags *diags)
{
    return tg_emu_module_load_for(NULL, text, length, name, out, diags);
}
