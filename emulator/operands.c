/* From written operands to slots: shared by the decoders. */
#include "emulator/operands.h"

#include <string.h>

/* -- modifiers -- */

bool tg_emu_take(tg_emu_statement *s, const char *modifier)
{
    if (s->next_modifier == s->modifier_count ||
        !tg_emu_is(&s->modifiers[s->next_modifier], TG_EMU_TOKEN_DOT, modifier))
        return false;
    s->next_modifier++;
    return true;
}

tg_emu_type tg_emu_take_type(tg_emu_statement *s)
{
    if (s->next_modifier == s->modifier_count) return TG_EMU_NONE;
    const tg_emu_token *token = &s->modifiers[s->next_modifier];
    tg_emu_type type = tg_emu_type_find(token->text, token->length);
    if (type != TG_EMU_NONE) s->next_modifier++;
    return type;
}

tg_emu_atom_op tg_emu_take_atom(tg_emu_statement *s)
{
    for (int op = TG_EMU_ATOM_NONE + 1; op < TG_EMU_ATOM_COUNT; op++)
        if (tg_emu_take(s, tg_emu_atom_name((tg_emu_atom_op)op))) return (tg_emu_atom_op)op;
    return TG_EMU_ATOM_NONE;
}

bool tg_emu_take_atom_type(tg_emu_statement *s, tg_emu_atom_op op, tg_emu_atom_place place,
                           tg_emu_type *out)
{
    const bool is_noftz = tg_emu_take(s, "noftz");
    *out = tg_emu_take_type(s);
    const bool is_half = *out == TG_EMU_F16 || *out == TG_EMU_BF16;
    return is_noftz == (op == TG_EMU_ATOM_ADD && is_half) && tg_emu_atom_has(op, place, *out);
}

tg_status tg_emu_want_target(tg_emu_parser *p, const tg_emu_statement *s, const char *target)
{
    if (tg_emu_is(&p->target, TG_EMU_TOKEN_NAME, target)) return TG_OK;
    return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &s->opcode, "'%s' is for .target %s", s->name,
                          target);
}

tg_status tg_emu_unknown(tg_emu_parser *p, const tg_emu_statement *s)
{
    return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &s->opcode,
                          "'%s' is not among the forms that are understood", s->name);
}

tg_status tg_emu_all_taken(tg_emu_parser *p, const tg_emu_statement *s)
{
    return s->next_modifier == s->modifier_count ? TG_OK : tg_emu_unknown(p, s);
}

tg_status tg_emu_want_operands(tg_emu_parser *p, const tg_emu_statement *s, size_t count)
{
    if (s->operand_count == count) return TG_OK;
    return tg_emu_fail_at(p, TG_ERR_SYNTAX, &s->opcode, "'%s' takes %zu operand%s, not %zu",
                          s->name, count, count == 1 ? "" : "s", s->operand_count);
}

/* -- constants -- */

tg_status tg_emu_constant_slot(tg_emu_parser *p, uint64_t bits, unsigned bytes, tg_emu_slot *out)
{
    tg_emu_entry *e = p->entry;
    size_t hash = (size_t)((bits * UINT64_C(0x9e3779b97f4a7c15) >> 56) ^ bytes) %
                  (sizeof p->recent / sizeof *p->recent);
    *out = (tg_emu_slot){TG_EMU_CONSTANTS, p->recent[hash].offset, 0};
    if (p->recent[hash].bytes == bytes && p->recent[hash].bits == bits) return TG_OK;
    size_t size = (size_t)32 * bytes, wanted = e->constant_bytes + size;
    if (wanted > e->constant_capacity) {
        size_t capacity = 2 * wanted;
        unsigned char *wider = tg_arena_take(&p->module->arena, capacity, 1);
        if (!wider) return tg_emu_no_memory(p);
        if (e->constant_bytes) memcpy(wider, e->constants, e->constant_bytes);
        e->constants = wider;
        e->constant_capacity = capacity;
    }
    out->offset = (uint32_t)e->constant_bytes;
    for (size_t i = 0; i < size; i++)
        e->constants[e->constant_bytes + i] = (unsigned char)(bits >> 8 * (i % bytes));
    e->constant_bytes = wanted;
    p->recent[hash].bits = bits;
    p->recent[hash].offset = out->offset;
    p->recent[hash].bytes = bytes;
    return TG_OK;
}

void tg_emu_add_to_constant(tg_emu_entry *e, uint32_t offset, unsigned bytes, uint64_t addend)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)e->constants[offset + i] << 8 * i;
    value += addend;
    for (size_t i = 0; i < (size_t)32 * bytes; i++)
        e->constants[offset + i] = (unsigned char)(value >> 8 * (i % bytes));
}

tg_status tg_emu_use_dynamic(tg_emu_parser *p, uint32_t offset, unsigned bytes)
{
    tg_emu_dynamic_use *list =
        tg_emu_grow(&p->scratch, p->dynamic, p->dynamic_count, &p->dynamic_capacity, sizeof *list);
    if (!list) return tg_emu_no_memory(p);
    p->dynamic = list;
    list[p->dynamic_count++] = (tg_emu_dynamic_use){(uint32_t)p->entry->code_count, offset, bytes};
    return TG_OK;
}

/* -- operands -- */

tg_status tg_emu_number_bits(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_type type,
                             uint64_t *out)
{
    const tg_emu_type_info *info = &tg_emu_types[type];
    char text[TG_EMU_TOKEN_TEXT];
    unsigned width = 8 * info->bytes;
    bool fits;
    if (o->token.kind == TG_EMU_TOKEN_INT && info->kind != 'f' && info->kind != 'p') {
        fits = width == 64 || (o->is_negative ? o->token.bits <= UINT64_C(1) << (width - 1)
                                              : !(o->token.bits >> width));
        *out = o->is_negative ? UINT64_C(0) - o->token.bits : o->token.bits;
    } else {
        unsigned bytes = o->token.kind == TG_EMU_TOKEN_F32   ? 4
                         : o->token.kind == TG_EMU_TOKEN_F64 ? 8
                                                             : 0;
        fits = bytes == info->bytes && (info->kind == 'f' || info->kind == 'b') && !o->is_negative;
        *out = o->token.bits;
    }
    if (width < 64) *out &= (UINT64_C(1) << width) - 1;
    if (fits) return TG_OK;
    return tg_emu_fail_at(p, TG_ERR_TYPE, &o->token, "%s cannot be an operand of type .%s",
                          tg_emu_token_text(&o->token, text), info->name);
}

tg_status tg_emu_register(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_type type,
                          tg_emu_width width, tg_emu_slot *out, tg_emu_type *declared)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_found found;
    if (o->kind != TG_EMU_OPERAND_NAME || o->is_flipped || o->second.kind != TG_EMU_TOKEN_END)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token, "expected a register of type .%s",
                              tg_emu_types[type].name);
    if (o->member.kind != TG_EMU_TOKEN_END)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &o->token,
                              "special registers are read by mov");
    TG_TRY(tg_emu_look_up(p, &o->token, &found));
    if (found.symbol->kind != TG_EMU_SYMBOL_REGISTER && found.symbol->kind != TG_EMU_SYMBOL_RANGE)
        return tg_emu_fail_at(p, TG_ERR_TYPE, &o->token, "%s is no register",
                              tg_emu_token_text(&o->token, text));
    *declared = found.symbol->type;
    const tg_emu_type_info *d = &tg_emu_types[*declared], *t = &tg_emu_types[type];
    bool is_wider = width == TG_EMU_OR_WIDER && d->kind != 'p' && t->kind != 'p' &&
                    d->bytes > t->bytes && (d->kind != 'f' && t->kind != 'f');
    if (!is_wider && !tg_emu_type_fits(*declared, type))
        return tg_emu_fail_at(p, TG_ERR_TYPE, &o->token,
                              "%s is a register of type .%s, but .%s is wanted%s",
                              tg_emu_token_text(&o->token, text), d->name, t->name,
                              width == TG_EMU_OR_WIDER ? " or wider" : "");
    *out = found.slot;
    return TG_OK;
}

tg_status tg_emu_slot_in(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_type type,
                         tg_emu_slot *out)
{
    uint64_t bits;
    tg_emu_type declared;
    if (o->kind != TG_EMU_OPERAND_NUMBER)
        return tg_emu_register(p, o, type, TG_EMU_SAME_WIDTH, out, &declared);
    if (type == TG_EMU_PRED && o->token.kind == TG_EMU_TOKEN_INT) /* a mask of lanes */
        return tg_emu_constant_slot(p, o->token.bits ? UINT32_MAX : 0, sizeof(uint32_t), out);
    TG_TRY(tg_emu_number_bits(p, o, type, &bits));
    return tg_emu_constant_slot(p, bits, tg_emu_types[type].bytes, out);
}

tg_status tg_emu_in(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_type type, tg_emu_inst *inst)
{
    return tg_emu_slot_in(p, o, type, &inst->in[inst->in_count++]);
}

tg_status tg_emu_out(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_type type, tg_emu_inst *inst)
{
    tg_emu_type declared;
    return tg_emu_register(p, o, type, TG_EMU_SAME_WIDTH, &inst->out[inst->out_count++], &declared);
}
