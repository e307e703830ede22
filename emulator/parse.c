/* Parses the top level of a text: version, target, variables, functions, entries. */
#include "emulator/parse.h"

#include <string.h>

#include "emulator/function.h"
#include "emulator/parse_entry.h"
#include "emulator/parse_variable.h"

/* .version 7.8: the tokens are 7 and .8, without a space between them */
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
    p->target = target;
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

/* .section .debug_info { ... }: what debuggers read */
static tg_status parse_section(tg_emu_parser *p)
{
    tg_emu_token name = p->reader.token;
    if (name.kind != TG_EMU_TOKEN_DOT || name.length < 6 || memcmp(name.text, "debug_", 6) != 0)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &name,
                              "only sections of .debug_* are passed over");
    TG_TRY(tg_emu_next(&p->reader));
    TG_TRY(tg_emu_expect(&p->reader, '{'));
    while (!tg_emu_is_mark(&p->reader.token, '}')) {
        if (p->reader.token.kind == TG_EMU_TOKEN_END)
            return tg_emu_fail_at(p, TG_ERR_SYNTAX, &name, "a section that does not end");
        TG_TRY(tg_emu_next(&p->reader));
    }
    return tg_emu_next(&p->reader);
}

static tg_status parse_extern(tg_emu_parser *p)
{
    if (tg_emu_is(&p->reader.token, TG_EMU_TOKEN_DOT, "func")) {
        TG_TRY(tg_emu_next(&p->reader));
        return tg_emu_pass_function(p);
    }
    TG_TRY(expect_directive(p, "shared"));
    return tg_emu_parse_variable(p, TG_EMU_SHARED, true);
}

static bool is_linkage(const tg_emu_token *name)
{
    return tg_emu_is(name, TG_EMU_TOKEN_DOT, "visible") ||
           tg_emu_is(name, TG_EMU_TOKEN_DOT, "weak");
}

static tg_status parse_directive(tg_emu_parser *p, const tg_emu_token *name)
{
    char text[TG_EMU_TOKEN_TEXT];
    if (is_linkage(name)) {
        tg_emu_token next = p->reader.token;
        TG_TRY(tg_emu_next(&p->reader));
        return is_linkage(&next)
                   ? tg_emu_fail_at(p, TG_ERR_SYNTAX, &next, "a second directive of linkage")
                   : parse_directive(p, &next);
    }
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "entry")) return tg_emu_parse_entry(p);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "func")) return tg_emu_pass_function(p);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "global"))
        return tg_emu_parse_variable(p, TG_EMU_GLOBAL, false);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "const"))
        return tg_emu_parse_variable(p, TG_EMU_CONST, false);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "shared"))
        return tg_emu_parse_variable(p, TG_EMU_SHARED, false);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "extern")) return parse_extern(p);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "file")) return parse_file(p);
    if (tg_emu_is(name, TG_EMU_TOKEN_DOT, "section")) return parse_section(p);
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
