/* An entry: parameters, bounds on its blocks, and the statements of its body. */
#include <string.h>

#include "emulator/decode.h"
#include "emulator/exec.h"
#include "emulator/parse.h"

enum {
    MOST_REGISTERS = 1 << 16,
    MOST_FRAME = 1 << 24,
    MOST_INSTRUCTIONS = 1 << TG_EMU_MARK_INST_BITS,
    MOST_PARAM_BYTES = 0x7ffc,
    MOST_DEPTH = 100,
    FRAME_ALIGN = 64
};

/* -- registers -- */

static tg_status new_registers(tg_ptx_parser *p, tg_ptx_type type, uint32_t count,
                               const tg_ptx_token *at, tg_emu_slot *out)
{
    tg_emu_entry *e = p->entry;
    size_t align = type == TG_PTX_PRED ? sizeof(uint32_t) : FRAME_ALIGN;
    size_t offset = (e->frame_bytes + align - 1) & ~(align - 1);
    size_t end = offset + count * tg_ptx_type_frame_bytes(type);
    if (count > MOST_REGISTERS - e->register_count || end > MOST_FRAME)
        return tg_ptx_fail_at(p, TG_ERR_UNSUPPORTED, at, "more than %d registers", MOST_REGISTERS);
    *out = (tg_emu_slot){TG_EMU_FRAME, (uint32_t)offset, e->register_count};
    e->register_count += count;
    e->frame_bytes = end;
    return TG_OK;
}

tg_status tg_ptx_new_register(tg_ptx_parser *p, tg_ptx_type type, const tg_ptx_token *at,
                              tg_emu_slot *out)
{
    return new_registers(p, type, 1, at, out);
}

/* For reports of what was never written. */
static tg_status add_register_name(tg_ptx_parser *p, const tg_ptx_symbol *symbol)
{
    tg_emu_entry *e = p->entry;
    tg_emu_register_name *list =
        tg_emu_grow(&p->module->arena, e->names, e->name_count, &e->name_capacity, sizeof *list);
    char *name = tg_arena_take(&p->module->arena, symbol->length + 1, 1);
    if (!list || !name) return tg_ptx_no_memory(p);
    memcpy(name, symbol->name, symbol->length);
    e->names = list;
    list[e->name_count++] = (tg_emu_register_name){name, symbol->slot.reg, symbol->count,
                                                   symbol->kind == TG_PTX_SYMBOL_RANGE};
    return TG_OK;
}

static tg_status add_registers(tg_ptx_parser *p, tg_ptx_type type, const tg_ptx_token *name,
                               bool is_range, uint32_t count)
{
    char text[TG_PTX_TOKEN_TEXT];
    tg_ptx_symbol symbol = {.name = name->text,
                            .length = name->length,
                            .kind = is_range ? TG_PTX_SYMBOL_RANGE : TG_PTX_SYMBOL_REGISTER,
                            .type = type,
                            .count = count};
    tg_ptx_found other = tg_ptx_names_find(&p->names, name->text, name->length);
    if (!is_range && other.symbol && other.symbol->depth == p->names.depth)
        return tg_ptx_fail_at(p, TG_ERR_INVALID, name, "%s is declared twice",
                              tg_ptx_token_text(name, text));
    TG_TRY(new_registers(p, type, count, name, &symbol.slot));
    TG_TRY(add_register_name(p, &symbol));
    return tg_ptx_names_add(&p->names, &symbol) ? TG_OK : tg_ptx_no_memory(p);
}

/* name or name<N> */
static tg_status parse_register(tg_ptx_parser *p, tg_ptx_type type)
{
    char text[TG_PTX_TOKEN_TEXT];
    uint64_t count = 1;
    tg_ptx_token name = p->reader.token;
    if (name.kind != TG_PTX_TOKEN_NAME)
        return tg_ptx_fail_at(p, TG_ERR_SYNTAX, &name, "expected the name of a register before %s",
                              tg_ptx_token_text(&name, text));
    TG_TRY(tg_ptx_next(&p->reader));
    bool is_range = tg_ptx_is_mark(&p->reader.token, '<');
    if (is_range) {
        TG_TRY(tg_ptx_next(&p->reader));
        TG_TRY(tg_ptx_parse_number(p, MOST_REGISTERS, &count));
        TG_TRY(tg_ptx_expect(&p->reader, '>'));
    }
    return add_registers(p, type, &name, is_range, (uint32_t)count);
}

static tg_status parse_registers(tg_ptx_parser *p)
{
    char text[TG_PTX_TOKEN_TEXT];
    tg_ptx_token at = p->reader.token;
    tg_ptx_type type =
        at.kind == TG_PTX_TOKEN_DOT ? tg_ptx_type_find(at.text, at.length) : TG_PTX_NONE;
    bool is_narrow = type != TG_PTX_PRED && tg_ptx_types[type].bytes < 2;
    if (type == TG_PTX_NONE || type == TG_PTX_F16 || type == TG_PTX_BF16 || is_narrow)
        return tg_ptx_fail_at(p, TG_ERR_SYNTAX, &at, "%s is no type of a register",
                              tg_ptx_token_text(&at, text));
    TG_TRY(tg_ptx_next(&p->reader));
    for (;;) {
        TG_TRY(parse_register(p, type));
        if (!tg_ptx_is_mark(&p->reader.token, ',')) break;
        TG_TRY(tg_ptx_next(&p->reader));
    }
    return tg_ptx_expect(&p->reader, ';');
}

/* -- labels -- */

static tg_status add_label(tg_ptx_parser *p, const tg_ptx_token *name)
{
    char text[TG_PTX_TOKEN_TEXT];
    tg_ptx_symbol symbol = {.name = name->text,
                            .length = name->length,
                            .kind = TG_PTX_SYMBOL_LABEL,
                            .pc = (uint32_t)p->entry->code_count};
    tg_ptx_found other = tg_ptx_names_find(&p->names, name->text, name->length);
    if (other.symbol && other.symbol->depth == p->names.depth)
        return tg_ptx_fail_at(p, TG_ERR_INVALID, name, "%s is declared twice",
                              tg_ptx_token_text(name, text));
    return tg_ptx_names_add(&p->names, &symbol) ? TG_OK : tg_ptx_no_memory(p);
}

/* Gives the branches whose label is visible here their targets.  At the end of an entry that must be all. */
static tg_status resolve_labels(tg_ptx_parser *p, bool is_last)
{
    char text[TG_PTX_TOKEN_TEXT];
    size_t kept = 0;
    for (size_t i = 0; i < p->pending_count; i++) {
        tg_ptx_pending pending = p->pending[i];
        tg_ptx_found found = tg_ptx_names_find(&p->names, pending.token.text, pending.token.length);
        if (found.symbol && found.symbol->kind == TG_PTX_SYMBOL_LABEL)
            p->entry->code[pending.inst].target = found.symbol->pc;
        else if (is_last)
            return tg_ptx_fail_at(p, TG_ERR_INVALID, &pending.token, "there is no label %s",
                                  tg_ptx_token_text(&pending.token, text));
        else
            p->pending[kept++] = pending;
    }
    p->pending_count = kept;
    return TG_OK;
}

/* -- statements -- */

static tg_status append_modifier(tg_ptx_parser *p, tg_ptx_statement *s, const tg_ptx_token *token)
{
    size_t length = strlen(s->name);
    if (s->modifier_count == TG_PTX_MAX_MODIFIERS || length + 1 + token->length >= TG_PTX_MAX_NAME)
        return tg_ptx_fail_at(p, TG_ERR_UNSUPPORTED, &s->opcode,
                              "an instruction with too many modifiers");
    s->modifiers[s->modifier_count++] = *token;
    s->name[length] = '.';
    memcpy(s->name + length + 1, token->text, token->length);
    return TG_OK;
}

static tg_status parse_opcode(tg_ptx_parser *p, tg_ptx_statement *s)
{
    s->opcode = p->reader.token;
    if (s->opcode.length >= TG_PTX_MAX_NAME)
        return tg_ptx_fail_at(p, TG_ERR_UNSUPPORTED, &s->opcode, "an unknown instruction");
    memcpy(s->name, s->opcode.text, s->opcode.length);
    TG_TRY(tg_ptx_next(&p->reader));
    while (p->reader.token.kind == TG_PTX_TOKEN_DOT) {
        if (!p->reader.token.glued)
            return tg_ptx_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "a space before a modifier");
        TG_TRY(append_modifier(p, s, &p->reader.token));
        TG_TRY(tg_ptx_next(&p->reader));
    }
    return TG_OK;
}

static tg_status parse_operands(tg_ptx_parser *p, tg_ptx_statement *s)
{
    if (tg_ptx_is_mark(&p->reader.token, ';')) return TG_OK;
    for (;;) {
        if (s->operand_count == TG_PTX_MAX_OPERANDS)
            return tg_ptx_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "too many operands");
        TG_TRY(tg_ptx_parse_operand(p, &s->operands[s->operand_count++]));
        if (!tg_ptx_is_mark(&p->reader.token, ',')) return TG_OK;
        TG_TRY(tg_ptx_next(&p->reader));
    }
}

/* @p or @!p */
static tg_status parse_guard(tg_ptx_parser *p, tg_emu_inst *inst)
{
    if (!tg_ptx_is_mark(&p->reader.token, '@')) return TG_OK;
    tg_ptx_operand operand;
    TG_TRY(tg_ptx_next(&p->reader));
    TG_TRY(tg_ptx_parse_operand(p, &operand));
    inst->is_guarded = true;
    inst->is_guard_flipped = operand.is_flipped;
    operand.is_flipped = false;
    return tg_ptx_slot_in(p, &operand, TG_PTX_PRED, &inst->guard);
}

static tg_emu_inst *new_inst(tg_ptx_parser *p)
{
    tg_emu_entry *e = p->entry;
    tg_emu_inst *code =
        tg_emu_grow(&p->module->arena, e->code, e->code_count, &e->code_capacity, sizeof *code);
    if (!code) return NULL;
    e->code = code;
    code[e->code_count] = (tg_emu_inst){0};
    return &code[e->code_count++];
}

static tg_status parse_instruction(tg_ptx_parser *p)
{
    char text[TG_PTX_TOKEN_TEXT];
    tg_emu_inst inst = {0};
    tg_ptx_statement s = {0};
    TG_TRY(parse_guard(p, &inst));
    tg_ptx_token first = p->reader.token;
    if (first.kind != TG_PTX_TOKEN_NAME)
        return tg_ptx_fail_at(p, TG_ERR_SYNTAX, &first, "expected an instruction before %s",
                              tg_ptx_token_text(&first, text));
    TG_TRY(parse_opcode(p, &s));
    if (!inst.is_guarded && s.modifier_count == 0 && tg_ptx_is_mark(&p->reader.token, ':')) {
        TG_TRY(add_label(p, &first));
        return tg_ptx_next(&p->reader);
    }
    if (p->entry->code_count >= MOST_INSTRUCTIONS - 1)
        return tg_ptx_fail_at(p, TG_ERR_UNSUPPORTED, &first, "more than %d instructions",
                              MOST_INSTRUCTIONS);
    TG_TRY(parse_operands(p, &s));
    inst.line = first.line;
    inst.column = first.column;
    TG_TRY(tg_ptx_decode(p, &s, &inst));
    TG_TRY(tg_ptx_expect(&p->reader, ';'));
    tg_emu_inst *to = new_inst(p);
    if (!to) return tg_ptx_no_memory(p);
    *to = inst;
    return TG_OK;
}

static tg_status parse_loc(tg_ptx_parser *p)
{
    uint64_t number;
    for (int i = 0; i < 3; i++) TG_TRY(tg_ptx_parse_number(p, UINT32_MAX, &number));
    return TG_OK;
}

static tg_status parse_pragma(tg_ptx_parser *p)
{
    char text[TG_PTX_TOKEN_TEXT];
    if (!tg_ptx_is(&p->reader.token, TG_PTX_TOKEN_STRING, "nounroll"))
        return tg_ptx_fail_at(p, TG_ERR_UNSUPPORTED, &p->reader.token, "the pragma %s",
                              tg_ptx_token_text(&p->reader.token, text));
    TG_TRY(tg_ptx_next(&p->reader));
    return tg_ptx_expect(&p->reader, ';');
}

static tg_status parse_body_directive(tg_ptx_parser *p)
{
    char text[TG_PTX_TOKEN_TEXT];
    tg_ptx_token name = p->reader.token;
    TG_TRY(tg_ptx_next(&p->reader));
    if (tg_ptx_is(&name, TG_PTX_TOKEN_DOT, "reg")) return parse_registers(p);
    if (tg_ptx_is(&name, TG_PTX_TOKEN_DOT, "shared"))
        return tg_ptx_parse_variable(p, TG_EMU_SHARED, false);
    if (tg_ptx_is(&name, TG_PTX_TOKEN_DOT, "loc")) return parse_loc(p);
    if (tg_ptx_is(&name, TG_PTX_TOKEN_DOT, "pragma")) return parse_pragma(p);
    return tg_ptx_fail_at(p, TG_ERR_UNSUPPORTED, &name,
                          "%s is not among the directives that are understood here",
                          tg_ptx_token_text(&name, text));
}

tg_status tg_ptx_parse_body(tg_ptx_parser *p)
{
    unsigned outside = p->names.depth;
    TG_TRY(tg_ptx_expect(&p->reader, '{'));
    tg_ptx_names_open(&p->names);
    while (p->names.depth > outside) {
        const tg_ptx_token *token = &p->reader.token;
        if (tg_ptx_is_mark(token, '}')) {
            TG_TRY(resolve_labels(p, p->names.depth == outside + 1));
            tg_ptx_names_close(&p->names);
            if (p->names.depth == outside) break; /* the caller goes on behind the brace */
            TG_TRY(tg_ptx_next(&p->reader));
        } else if (tg_ptx_is_mark(token, '{')) {
            if (p->names.depth >= MOST_DEPTH)
                return tg_ptx_fail_at(p, TG_ERR_UNSUPPORTED, token, "braces nested too deeply");
            tg_ptx_names_open(&p->names);
            TG_TRY(tg_ptx_next(&p->reader));
        } else if (token->kind == TG_PTX_TOKEN_DOT) {
            TG_TRY(parse_body_directive(p));
        } else {
            TG_TRY(parse_instruction(p));
        }
    }
    tg_emu_inst *last = new_inst(p);
    if (!last) return tg_ptx_no_memory(p);
    last->exec = tg_emu_exec_exit;
    last->is_control = true;
    last->line = p->reader.token.line;
    last->column = p->reader.token.column;
    return tg_ptx_next(&p->reader);
}

/* -- the head of an entry -- */

static tg_status add_param(tg_ptx_parser *p, const tg_ptx_declared *d)
{
    tg_emu_entry *e = p->entry;
    tg_emu_param *list =
        tg_emu_grow(&p->module->arena, e->params, e->param_count, &e->param_capacity, sizeof *list);
    char *name = tg_arena_take(&p->module->arena, d->name.length + 1, 1);
    if (!list || !name) return tg_ptx_no_memory(p);
    memcpy(name, d->name.text, d->name.length);
    e->params = list;
    size_t offset = (e->param_bytes + d->alignment - 1) & ~(d->alignment - 1);
    size_t bytes = d->count * tg_ptx_types[d->type].bytes;
    if (d->is_open || offset + bytes > MOST_PARAM_BYTES)
        return tg_ptx_fail_at(p, TG_ERR_INVALID, &d->name, "parameters of %s",
                              d->is_open ? "open size" : "more than 32,764 bytes");
    list[e->param_count++] =
        (tg_emu_param){name, tg_ptx_types[d->type].name, offset, bytes, d->alignment};
    e->param_bytes = offset + bytes;
    tg_ptx_symbol symbol = {.name = d->name.text,
                            .length = d->name.length,
                            .kind = TG_PTX_SYMBOL_PARAM,
                            .type = d->type,
                            .space = TG_EMU_PARAM,
                            .address = offset,
                            .bytes = bytes};
    return tg_ptx_names_add(&p->names, &symbol) ? TG_OK : tg_ptx_no_memory(p);
}

static tg_status parse_params(tg_ptx_parser *p)
{
    if (!tg_ptx_is_mark(&p->reader.token, '(')) return TG_OK;
    TG_TRY(tg_ptx_next(&p->reader));
    if (tg_ptx_is_mark(&p->reader.token, ')')) return tg_ptx_next(&p->reader);
    for (;;) {
        tg_ptx_declared declared;
        if (!tg_ptx_is(&p->reader.token, TG_PTX_TOKEN_DOT, "param"))
            return tg_ptx_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "expected .param");
        TG_TRY(tg_ptx_next(&p->reader));
        TG_TRY(tg_ptx_parse_declared(p, &declared));
        TG_TRY(add_param(p, &declared));
        if (!tg_ptx_is_mark(&p->reader.token, ',')) return tg_ptx_expect(&p->reader, ')');
        TG_TRY(tg_ptx_next(&p->reader));
    }
}

/* 128[, 1[, 1]] */
static tg_status parse_extents(tg_ptx_parser *p, uint32_t out[3])
{
    for (int i = 0; i < 3; i++) {
        uint64_t extent;
        tg_ptx_token at = p->reader.token;
        TG_TRY(tg_ptx_parse_number(p, 1024, &extent));
        if (extent == 0) return tg_ptx_fail_at(p, TG_ERR_INVALID, &at, "a block of no threads");
        out[i] = (uint32_t)extent;
        if (!tg_ptx_is_mark(&p->reader.token, ',')) {
            for (int k = i + 1; k < 3; k++) out[k] = 1;
            return TG_OK;
        }
        TG_TRY(tg_ptx_next(&p->reader));
    }
    return tg_ptx_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "more than three extents");
}

static tg_status parse_bounds(tg_ptx_parser *p)
{
    tg_emu_entry *e = p->entry;
    while (p->reader.token.kind == TG_PTX_TOKEN_DOT) {
        tg_ptx_token name = p->reader.token;
        bool is_required = tg_ptx_is(&name, TG_PTX_TOKEN_DOT, "reqntid");
        if (!is_required && !tg_ptx_is(&name, TG_PTX_TOKEN_DOT, "maxntid"))
            return tg_ptx_fail_at(p, TG_ERR_UNSUPPORTED, &name,
                                  "only .reqntid and .maxntid are understood here");
        if (e->required[0] || e->most[0])
            return tg_ptx_fail_at(p, TG_ERR_INVALID, &name,
                                  "more than one of .reqntid and .maxntid");
        TG_TRY(tg_ptx_next(&p->reader));
        TG_TRY(parse_extents(p, is_required ? e->required : e->most));
    }
    return TG_OK;
}

/* What dynamic shared memory is the address of, wherever it is used. */
static void resolve_dynamic(tg_ptx_parser *p)
{
    tg_emu_entry *e = p->entry;
    uint32_t align = e->dynamic_align ? e->dynamic_align : 1;
    uint32_t start = (e->shared_bytes + align - 1) & ~(align - 1);
    if (e->dynamic_align) e->shared_bytes = start;
    for (size_t i = 0; i < e->shared_count; i++)
        if (e->shared[i].offset == UINT32_MAX) e->shared[i].offset = start;
    uint64_t address = (uint64_t)TG_EMU_SHARED_START + start;
    for (size_t i = 0; i < p->dynamic_count; i++) {
        const tg_emu_dynamic_use *use = &p->dynamic[i];
        if (use->constant == UINT32_MAX)
            e->code[use->inst].immediate += (int64_t)address;
        else
            tg_ptx_add_to_constant(e, use->constant, use->bytes, address);
    }
    p->dynamic_count = 0;
}

tg_status tg_ptx_parse_entry(tg_ptx_parser *p)
{
    char text[TG_PTX_TOKEN_TEXT];
    tg_emu_module *m = p->module;
    tg_ptx_token name = p->reader.token;
    if (name.kind != TG_PTX_TOKEN_NAME)
        return tg_ptx_fail_at(p, TG_ERR_SYNTAX, &name, "expected the name of an entry before %s",
                              tg_ptx_token_text(&name, text));
    tg_emu_entry *list =
        tg_emu_grow(&m->arena, m->entries, m->entry_count, &m->entry_capacity, sizeof *list);
    char *copy = tg_arena_take(&m->arena, name.length + 1, 1);
    if (!list || !copy) return tg_ptx_no_memory(p);
    m->entries = list;
    memcpy(copy, name.text, name.length);
    if (tg_emu_entry_find(m, copy) != m->entry_count)
        return tg_ptx_fail_at(p, TG_ERR_INVALID, &name, "%s is declared twice",
                              tg_ptx_token_text(&name, text));
    tg_emu_entry *e = p->entry = &list[m->entry_count];
    *e = p->common;
    e->shared_capacity = e->shared_count; /* what is added goes into a list of its own */
    e->name = copy;
    e->register_count = 1;
    e->frame_bytes = (size_t)TG_EMU_SPECIAL_COUNT * TG_EMU_SPECIAL_BYTES;
    p->carry = (tg_emu_slot){0};
    memset(p->recent, 0, sizeof p->recent);
    TG_TRY(tg_ptx_next(&p->reader));
    tg_ptx_names_open(&p->names);
    TG_TRY(parse_params(p));
    TG_TRY(parse_bounds(p));
    TG_TRY(tg_ptx_parse_body(p));
    tg_ptx_names_close(&p->names);
    resolve_dynamic(p);
    m->entry_count++;
    p->entry = &p->common;
    return TG_OK;
}
