/* Decodes a statement by the family of its opcode, or by its form. */
#include "emulator/decode.h"

#include <string.h>

#include "emulator/decoders.h"
#include "emulator/operands.h"
#include "emulator/parse_register.h"
#include "emulator/variant.h"

/* The carry flag is a mask of lanes in a register of its own. */
static tg_status use_carry(tg_emu_parser *p, const tg_emu_statement *s, tg_emu_slot *out)
{
    if (p->carry.reg == 0) TG_TRY(tg_emu_new_register(p, TG_EMU_PRED, &s->opcode, &p->carry));
    *out = p->carry;
    return TG_OK;
}

static tg_status decode_form(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    tg_emu_variant variant;
    const tg_emu_form *form = tg_emu_variant_find(p->isa, s->name, &variant);
    size_t count = 0;
    if (!form) return tg_emu_unknown(p, s);
    while (count < TG_EMU_FORM_OPERANDS && form->operands[count] != TG_EMU_NONE) count++;
    TG_TRY(tg_emu_want_operands(p, s, count));
    TG_TRY(tg_emu_out(p, &s->operands[0], tg_emu_variant_type(&variant, form, 0), inst));
    for (size_t i = 1; i < count; i++)
        TG_TRY(tg_emu_in(p, &s->operands[i], tg_emu_variant_type(&variant, form, i), inst));
    if (form->flags & TG_EMU_CARRY_IN) TG_TRY(use_carry(p, s, &inst->in[inst->in_count++]));
    if (form->flags & TG_EMU_CARRY_OUT) TG_TRY(use_carry(p, s, &inst->out[inst->out_count++]));
    inst->exec = form->exec;
    inst->is_inexact = form->flags & TG_EMU_INEXACT;
    if (form->operands[4] != TG_EMU_NONE && tg_emu_is(&s->opcode, TG_EMU_TOKEN_NAME, "lop3") &&
        s->operands[4].kind != TG_EMU_OPERAND_NUMBER)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &s->operands[4].token, "expected a number");
    tg_emu_variant_apply(&variant, form, inst);
    return TG_OK;
}

/* setp.lt{.and}{.ftz}.s32 p|q, a, b, c has the form setp.lt.s32.  Of pairs, as setp.lt.f16x2, p and q are
 * the halves; else q is the opposite of p. */
tg_status tg_emu_decode_setp(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    static const char *const with[] = {"", "and", "or", "xor"};
    char name[TG_EMU_MAX_NAME] = "setp";
    bool flushes = false;
    for (size_t i = 0; i < s->modifier_count; i++) {
        const tg_emu_token *m = &s->modifiers[i];
        if (i + 2 == s->modifier_count && tg_emu_is(m, TG_EMU_TOKEN_DOT, "ftz")) {
            flushes = true;
            continue;
        }
        for (uint32_t k = 1; i == 1 && k < 4; k++)
            if (tg_emu_is(m, TG_EMU_TOKEN_DOT, with[k])) inst->flags = k;
        if (i == 1 && inst->flags) continue;
        size_t length = strlen(name); /* fits, since it is a part of s->name */
        name[length] = '.';
        memcpy(name + length + 1, m->text, m->length);
    }
    const bool is_pair = tg_emu_variant_halve(name);
    const tg_emu_form *form = tg_emu_form_find(p->isa, name);
    if (!form || form->operands[0] != TG_EMU_PRED || (flushes && form->operands[1] != TG_EMU_F32))
        return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_want_operands(p, s, inst->flags ? 4 : 3));
    tg_emu_operand first = s->operands[0], second = {.token = first.second};
    first.second = (tg_emu_token){0};
    if (is_pair && second.token.kind == TG_EMU_TOKEN_END)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &first.token,
                              "expected two predicates, p|q, one for each half");
    TG_TRY(tg_emu_out(p, &first, TG_EMU_PRED, inst));
    if (second.token.kind != TG_EMU_TOKEN_END) TG_TRY(tg_emu_out(p, &second, TG_EMU_PRED, inst));
    const tg_emu_type type = is_pair ? TG_EMU_B32 : form->operands[1];
    TG_TRY(tg_emu_in(p, &s->operands[1], type, inst));
    TG_TRY(tg_emu_in(p, &s->operands[2], type, inst));
    if (inst->flags) {
        tg_emu_operand third = s->operands[3];
        if (third.is_flipped) inst->flags |= TG_EMU_COMPARE_NOT;
        third.is_flipped = false;
        TG_TRY(tg_emu_in(p, &third, TG_EMU_PRED, inst));
    }
    inst->exec = form->exec;
    if (is_pair) tg_emu_variant_compare_pair(inst);
    if (flushes) tg_emu_variant_flush(inst, 3, false);
    return TG_OK;
}

tg_status tg_emu_decode(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    static const struct {
        const char *opcode;
        tg_emu_decoder *decode;
    } families[] = {
#define TG_EMU_FAMILY(opcode, decoder) {opcode, tg_emu_decode_##decoder},
#include "emulator/decoders.def"
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (tg_emu_is(&s->opcode, TG_EMU_TOKEN_NAME, families[i].opcode))
            return families[i].decode(p, s, inst);
    return decode_form(p, s, inst);
}
