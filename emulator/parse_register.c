/* Registers: their declarations, and their positions in a frame. */
#include "emulator/parse_register.h"

#include "base/align.h"

enum { MOST_REGISTERS = 1 << 16, MOST_FRAME = 1 << 24, FRAME_ALIGN = 64 };

static tg_status new_registers(tg_emu_parser *p, tg_emu_type type, uint32_t count,
                               const tg_emu_token *at, tg_emu_slot *out)
{
    tg_emu_entry *e = p->entry;
    size_t align = type == TG_EMU_PRED ? sizeof(uint32_t) : FRAME_ALIGN;
    size_t offset = tg_align_up(e->frame_bytes, align);
    size_t end = offset + count * tg_emu_type_frame_bytes(type);
    if (count > MOST_REGISTERS - e->register_count || end > MOST_FRAME)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, at, "more than %d registers", MOST_REGISTERS);
    *out = (tg_emu_slot){TG_EMU_FRAME, (uint32_t)offset, e->register_count};
    e->register_count += count;
    e->frame_bytes = end;
    return TG_OK;
}

tg_status tg_emu_new_register(tg_emu_parser *p, tg_emu_type type, const tg_emu_token *at,
                              tg_emu_slot *out)
{
    return new_registers(p, type, 1, at, out);
}

/* Keeps the name for reports of uninitialised registers. */
static tg_status add_register_name(tg_emu_parser *p, const tg_emu_symbol *symbol)
{
    tg_emu_entry *e = p->entry;
    tg_emu_register_name *list =
        tg_emu_grow(&p->module->arena, e->names, e->name_count, &e->name_capacity, sizeof *list);
    char *name = tg_emu_kept_text(p, symbol->name, symbol->length);
    if (!list || !name) return tg_emu_no_memory(p);
    e->names = list;
    list[e->name_count++] = (tg_emu_register_name){name, symbol->slot.reg, symbol->count,
                                                   symbol->kind == TG_EMU_SYMBOL_RANGE};
    return TG_OK;
}

static tg_status add_registers(tg_emu_parser *p, tg_emu_type type, const tg_emu_token *name,
                               bool is_range, uint32_t count)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_symbol symbol = {.name = name->text,
                            .length = name->length,
                            .kind = is_range ? TG_EMU_SYMBOL_RANGE : TG_EMU_SYMBOL_REGISTER,
                            .type = type,
                            .count = count};
    tg_emu_found other = tg_emu_names_find(&p->names, name->text, name->length);
    if (!is_range && other.symbol && other.symbol->depth == p->names.depth)
        return tg_emu_fail_at(p, TG_ERR_INVALID, name, "%s is declared twice",
                              tg_emu_token_text(name, text));
    TG_TRY(new_registers(p, type, count, name, &symbol.slot));
    TG_TRY(add_register_name(p, &symbol));
    return tg_emu_names_add(&p->names, &symbol) ? TG_OK : tg_emu_no_memory(p);
}

/* name or name<N> */
static tg_status parse_register(tg_emu_parser *p, tg_emu_type type)
{
    char text[TG_EMU_TOKEN_TEXT];
    uint64_t count = 1;
    tg_emu_token name = p->reader.token;
    if (name.kind != TG_EMU_TOKEN_NAME)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &name, "expected the name of a register before %s",
                              tg_emu_token_text(&name, text));
    TG_TRY(tg_emu_next(&p->reader));
    bool is_range = tg_emu_is_mark(&p->reader.token, '<');
    if (is_range) {
        TG_TRY(tg_emu_next(&p->reader));
        TG_TRY(tg_emu_parse_number(p, MOST_REGISTERS, &count));
        TG_TRY(tg_emu_expect(&p->reader, '>'));
    }
    return add_registers(p, type, &name, is_range, (uint32_t)count);
}

tg_status tg_emu_parse_registers(tg_emu_parser *p)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_token at = p->reader.token;
    tg_emu_type type =
        at.kind == TG_EMU_TOKEN_DOT ? tg_emu_type_find(at.text, at.length) : TG_EMU_NONE;
    if (type == TG_EMU_NONE)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &at, "%s is no type of a register",
                              tg_emu_token_text(&at, text));
    TG_TRY(tg_emu_next(&p->reader));
    for (;;) {
        TG_TRY(parse_register(p, type));
        if (!tg_emu_is_mark(&p->reader.token, ',')) break;
        TG_TRY(tg_emu_next(&p->reader));
    }
    return tg_emu_expect(&p->reader, ';');
}
