/* Parses bodies of entries and functions: labels and instructions. */
#include "emulator/parse_body.h"

#include <string.h>

#include "emulator/decode.h"
#include "emulator/operands.h"
#include "emulator/parse_call.h"
#include "emulator/parse_operand.h"
#include "emulator/parse_register.h"
#include "emulator/parse_variable.h"
#include "emulator/warp.h"

enum { MOST_INSTRUCTIONS = 1 << TG_EMU_MARK_INST_BITS, MOST_DEPTH = 100 };

/* -- labels -- */

static tg_status add_label(tg_emu_parser *p, const tg_emu_token *name)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_symbol symbol = {.name = name->text,
                            .length = name->length,
                            .kind = TG_EMU_SYMBOL_LABEL,
                            .pc = (uint32_t)p->entry->code_count};
    tg_emu_found other = tg_emu_names_find(&p->names, name->text, name->length);
    if (other.symbol && other.symbol->depth == p->names.depth)
        return tg_emu_fail_at(p, TG_ERR_INVALID, name, "%s is declared twice",
                              tg_emu_token_text(name, text));
    return tg_emu_names_add(&p->names, &symbol) ? TG_OK : tg_emu_no_memory(p);
}

/* Sets the targets of branches whose label is visible here.  At the end of an entry or a function no
 * branch of it may be left. */
static tg_status resolve_labels(tg_emu_parser *p, bool is_last)
{
    char text[TG_EMU_TOKEN_TEXT];
    size_t kept = p->first_pending;
    for (size_t i = kept; i < p->pending_count; i++) {
        tg_emu_pending pending = p->pending[i];
        tg_emu_found found = tg_emu_names_find(&p->names, pending.token.text, pending.token.length);
        if (found.symbol && found.symbol->kind == TG_EMU_SYMBOL_LABEL)
            p->entry->code[pending.inst].target = found.symbol->pc;
        else if (is_last)
            return tg_emu_fail_at(p, TG_ERR_INVALID, &pending.token, "there is no label %s",
                                  tg_emu_token_text(&pending.token, text));
        else
            p->pending[kept++] = pending;
    }
    p->pending_count = kept;
    return TG_OK;
}

/* -- statements -- */

static tg_status append_modifier(tg_emu_parser *p, tg_emu_statement *s, const tg_emu_token *token)
{
    size_t length = strlen(s->name);
    if (s->modifier_count == TG_EMU_MAX_MODIFIERS || length + 1 + token->length >= TG_EMU_MAX_NAME)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &s->opcode,
                              "an instruction with too many modifiers");
    s->modifiers[s->modifier_count++] = *token;
    s->name[length] = '.';
    memcpy(s->name + length + 1, token->text, token->length);
    return TG_OK;
}

static tg_status parse_opcode(tg_emu_parser *p, tg_emu_statement *s)
{
    s->opcode = p->reader.token;
    if (s->opcode.length >= TG_EMU_MAX_NAME)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &s->opcode, "an unknown instruction");
    memcpy(s->name, s->opcode.text, s->opcode.length);
    TG_TRY(tg_emu_next(&p->reader));
    while (p->reader.token.kind == TG_EMU_TOKEN_DOT) {
        if (!p->reader.token.glued)
            return tg_emu_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "a space before a modifier");
        TG_TRY(append_modifier(p, s, &p->reader.token));
        TG_TRY(tg_emu_next(&p->reader));
    }
    return TG_OK;
}

static tg_status parse_operands(tg_emu_parser *p, tg_emu_statement *s)
{
    const bool is_long = tg_emu_is(&s->opcode, TG_EMU_TOKEN_NAME, "wgmma") ||
                         tg_emu_is(&s->opcode, TG_EMU_TOKEN_NAME, "tcgen05");
    p->is_fraction_known = tg_emu_is(&s->opcode, TG_EMU_TOKEN_NAME, "createpolicy");
    if (tg_emu_is_mark(&p->reader.token, ';')) return TG_OK;
    for (;;) {
        if (s->operand_count == TG_EMU_MAX_OPERANDS)
            return tg_emu_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "too many operands");
        TG_TRY(tg_emu_parse_operand(p, is_long, &s->operands[s->operand_count++]));
        if (!tg_emu_is_mark(&p->reader.token, ',')) return TG_OK;
        TG_TRY(tg_emu_next(&p->reader));
    }
}

/* @p or @!p */
static tg_status parse_guard(tg_emu_parser *p, tg_emu_inst *inst)
{
    if (!tg_emu_is_mark(&p->reader.token, '@')) return TG_OK;
    tg_emu_operand operand;
    TG_TRY(tg_emu_next(&p->reader));
    TG_TRY(tg_emu_parse_operand(p, false, &operand));
    inst->is_guarded = true;
    inst->is_guard_flipped = operand.is_flipped;
    operand.is_flipped = false;
    return tg_emu_slot_in(p, &operand, TG_EMU_PRED, &inst->guard);
}

tg_status tg_emu_add_inst(tg_emu_parser *p, const tg_emu_inst *inst, const tg_emu_token *at)
{
    tg_emu_entry *e = p->entry;
    if (e->code_count == MOST_INSTRUCTIONS)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, at, "more than %d instructions",
                              MOST_INSTRUCTIONS);
    tg_emu_inst *code =
        tg_emu_grow(&p->module->arena, e->code, e->code_count, &e->code_capacity, sizeof *code);
    if (!code) return tg_emu_no_memory(p);
    e->code = code;
    code[e->code_count++] = *inst;
    return TG_OK;
}

static tg_status parse_instruction(tg_emu_parser *p)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_inst inst = {0};
    tg_emu_statement s = {0};
    TG_TRY(parse_guard(p, &inst));
    tg_emu_token first = p->reader.token;
    if (first.kind != TG_EMU_TOKEN_NAME)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &first, "expected an instruction before %s",
                              tg_emu_token_text(&first, text));
    TG_TRY(parse_opcode(p, &s));
    if (!inst.is_guarded && s.modifier_count == 0 && tg_emu_is_mark(&p->reader.token, ':')) {
        TG_TRY(add_label(p, &first));
        return tg_emu_next(&p->reader);
    }
    inst.line = first.line;
    inst.column = first.column;
    inst.source_file = p->source_file;
    inst.source_line = p->source_line;
    if (tg_emu_is(&first, TG_EMU_TOKEN_NAME, "call")) {
        TG_TRY(tg_emu_parse_call(p, &s, &inst));
        return tg_emu_expect(&p->reader, ';');
    }
    TG_TRY(parse_operands(p, &s));
    TG_TRY(tg_emu_decode(p, &s, &inst));
    TG_TRY(tg_emu_expect(&p->reader, ';'));
    return tg_emu_add_inst(p, &inst, &first);
}

/* function_name LABEL{+N}, inlined_at FILE LINE COLUMN: where the function was called from, which nothing asks */
static tg_status parse_inlined(tg_emu_parser *p)
{
    uint64_t number;
    char text[TG_EMU_TOKEN_TEXT];
    if (!tg_emu_is(&p->reader.token, TG_EMU_TOKEN_NAME, "function_name"))
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &p->reader.token,
                              "expected function_name before %s",
                              tg_emu_token_text(&p->reader.token, text));
    TG_TRY(tg_emu_next(&p->reader));
    if (p->reader.token.kind != TG_EMU_TOKEN_NAME)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "expected a label before %s",
                              tg_emu_token_text(&p->reader.token, text));
    TG_TRY(tg_emu_next(&p->reader));
    if (tg_emu_is_mark(&p->reader.token, '+')) {
        TG_TRY(tg_emu_next(&p->reader));
        TG_TRY(tg_emu_parse_number(p, UINT32_MAX, &number));
    }
    TG_TRY(tg_emu_expect(&p->reader, ','));
    if (!tg_emu_is(&p->reader.token, TG_EMU_TOKEN_NAME, "inlined_at"))
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "expected inlined_at before %s",
                              tg_emu_token_text(&p->reader.token, text));
    TG_TRY(tg_emu_next(&p->reader));
    for (int i = 0; i < 3; i++) TG_TRY(tg_emu_parse_number(p, UINT32_MAX, &number));
    return TG_OK;
}

/* .loc 1 7 3{, function_name ...}: the instructions that follow come from line 7, column 3 of file 1 */
static tg_status parse_loc(tg_emu_parser *p)
{
    uint64_t number[3];
    for (int i = 0; i < 3; i++) TG_TRY(tg_emu_parse_number(p, UINT32_MAX, &number[i]));
    if (tg_emu_is_mark(&p->reader.token, ',')) {
        TG_TRY(tg_emu_next(&p->reader));
        TG_TRY(parse_inlined(p));
    }
    p->source_file = (uint32_t)number[0];
    p->source_line = (uint32_t)number[1];
    return TG_OK;
}

/* "nounroll", and "used_bytes_mask 0xfff": which bytes of the next load are used */
static tg_status parse_pragma(tg_emu_parser *p)
{
    static const char used[] = "used_bytes_mask ";
    const tg_emu_token *token = &p->reader.token;
    char text[TG_EMU_TOKEN_TEXT];
    const bool is_used = token->kind == TG_EMU_TOKEN_STRING && token->length >= sizeof used &&
                         memcmp(token->text, used, sizeof used - 1) == 0;
    if (!is_used && !tg_emu_is(token, TG_EMU_TOKEN_STRING, "nounroll"))
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &p->reader.token, "the pragma %s",
                              tg_emu_token_text(&p->reader.token, text));
    TG_TRY(tg_emu_next(&p->reader));
    return tg_emu_expect(&p->reader, ';');
}

static tg_status parse_body_directive(tg_emu_parser *p)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_token name = p->reader.token;
    TG_TRY(tg_emu_next(&p->reader));
    if (tg_emu_is(&name, TG_EMU_TOKEN_DOT, "reg")) return tg_emu_parse_registers(p);
    if (tg_emu_is(&name, TG_EMU_TOKEN_DOT, "shared"))
        return tg_emu_parse_variable(p, TG_EMU_SHARED, false);
    if (tg_emu_is(&name, TG_EMU_TOKEN_DOT, "local"))
        return tg_emu_parse_variable(p, TG_EMU_LOCAL, false);
    if (tg_emu_is(&name, TG_EMU_TOKEN_DOT, "param"))
        return tg_emu_parse_variable(p, TG_EMU_PARAM, false);
    if (tg_emu_is(&name, TG_EMU_TOKEN_DOT, "loc")) return parse_loc(p);
    if (tg_emu_is(&name, TG_EMU_TOKEN_DOT, "pragma")) return parse_pragma(p);
    return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &name,
                          "%s is not among the directives that are understood here",
                          tg_emu_token_text(&name, text));
}

tg_status tg_emu_parse_block(tg_emu_parser *p)
{
    unsigned outside = p->names.depth;
    p->source_line = 0;
    TG_TRY(tg_emu_expect(&p->reader, '{'));
    tg_emu_names_open(&p->names);
    while (p->names.depth > outside) {
        const tg_emu_token *token = &p->reader.token;
        if (tg_emu_is_mark(token, '}')) {
            TG_TRY(resolve_labels(p, p->names.depth == outside + 1));
            tg_emu_names_close(&p->names);
            if (p->names.depth == outside) break; /* the brace is left to the caller */
            TG_TRY(tg_emu_next(&p->reader));
        } else if (tg_emu_is_mark(token, '{')) {
            if (p->names.depth >= MOST_DEPTH)
                return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, token, "braces nested too deeply");
            tg_emu_names_open(&p->names);
            TG_TRY(tg_emu_next(&p->reader));
        } else if (token->kind == TG_EMU_TOKEN_DOT) {
            TG_TRY(parse_body_directive(p));
        } else {
            TG_TRY(parse_instruction(p));
        }
    }
    return TG_OK;
}

tg_status tg_emu_parse_body(tg_emu_parser *p)
{
    TG_TRY(tg_emu_parse_block(p));
    const tg_emu_token brace = p->reader.token;
    const tg_emu_inst last = {
        .exec = tg_emu_exec_exit, .is_control = true, .line = brace.line, .column = brace.column};
    TG_TRY(tg_emu_add_inst(p, &last, &brace));
    return tg_emu_next(&p->reader);
}
