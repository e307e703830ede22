/* Shared by the parts of the parser. */
#include "emulator/parser.h"

#include <stdarg.h>
#include <stdio.h>
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
