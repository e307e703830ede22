/* Products of warpgroups: wgmma.mma_async, .fence, .commit_group and .wait_group, which sm_90a alone has. */
#include <stdlib.h>

#include "emulator/decoders.h"
#include "emulator/operands.h"
#include "emulator/wgmma.h"
#include "emulator/wgmma_form.h"

enum { ROWS = 64, WARPGROUP_THREADS = 128 };

/* ---- the form ---- */

static const struct factor {
    const char *name;
    tg_emu_wgmma_factor factor;
} factors[] = {{"f16", TG_EMU_WGMMA_F16},   {"bf16", TG_EMU_WGMMA_BF16},
               {"tf32", TG_EMU_WGMMA_TF32}, {"e4m3", TG_EMU_WGMMA_E4M3},
               {"e5m2", TG_EMU_WGMMA_E5M2}, {"s8", TG_EMU_WGMMA_S8},
               {"u8", TG_EMU_WGMMA_U8}};

static bool take_factor(tg_emu_statement *s, tg_emu_wgmma_factor *out)
{
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        if (!tg_emu_take(s, factors[i].name)) continue;
        *out = factors[i].factor;
        return true;
    }
    return false;
}

static bool take_result(tg_emu_statement *s, tg_emu_wgmma_result *out)
{
    static const char *const names[] = {[TG_EMU_WGMMA_TO_F32] = "f32",
                                        [TG_EMU_WGMMA_TO_F16] = "f16",
                                        [TG_EMU_WGMMA_TO_S32] = "s32"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (!tg_emu_take(s, names[i])) continue;
        *out = (tg_emu_wgmma_result)i;
        return true;
    }
    return false;
}

static bool is_integer(tg_emu_wgmma_factor f)
{
    return f == TG_EMU_WGMMA_S8 || f == TG_EMU_WGMMA_U8;
}
static bool is_fp8(tg_emu_wgmma_factor f)
{
    return f == TG_EMU_WGMMA_E4M3 || f == TG_EMU_WGMMA_E5M2;
}

/* A number behind a letter, as in m64n8k16, at *text. */
static unsigned number_behind(char letter, const char **text)
{
    char *end;
    if (**text != letter) return 0;
    const unsigned long number = strtoul(*text + 1, &end, 10);
    *text = end;
    return number > ROWS * ROWS ? 0 : (unsigned)number;
}

/* m64nNkK; the width of K is checked later, with the dtypes. */
static bool take_shape(tg_emu_statement *s, unsigned *n, unsigned *k)
{
    if (s->next_modifier == s->modifier_count) return false;
    const char *text = s->modifiers[s->next_modifier++].text;
    const bool is_high = number_behind('m', &text) == ROWS;
    *n = number_behind('n', &text);
    *k = number_behind('k', &text);
    return is_high && *n && *k;
}

static bool is_width(const tg_emu_wgmma_form *f)
{
    enum { STEP = 8, WIDE = 32 };
    if (f->columns % STEP || f->columns > TG_EMU_WGMMA_MOST) return false;
    return !is_integer(f->lhs) || f->columns < WIDE || f->columns % (2 * STEP) == 0;
}

static bool have_same_kind(const tg_emu_wgmma_form *f)
{
    if (is_integer(f->lhs)) return is_integer(f->rhs) && f->result == TG_EMU_WGMMA_TO_S32;
    if (f->result == TG_EMU_WGMMA_TO_S32) return false;
    if (is_fp8(f->lhs)) return is_fp8(f->rhs);
    return f->lhs == f->rhs && (f->lhs == TG_EMU_WGMMA_F16 || f->result == TG_EMU_WGMMA_TO_F32);
}

static bool take_form(tg_emu_statement *s, tg_emu_wgmma_form *f)
{
    unsigned k = 0;
    if (!tg_emu_take(s, "sync") || !tg_emu_take(s, "aligned")) return false;
    if (!take_shape(s, &f->columns, &k) || !take_result(s, &f->result)) return false;
    if (!take_factor(s, &f->lhs) || !take_factor(s, &f->rhs)) return false;
    f->saturates = is_integer(f->lhs) && tg_emu_take(s, "satfinite");
    return have_same_kind(f) && is_width(f) &&
           k * tg_emu_wgmma_factor_bytes(f->lhs) == TG_EMU_WGMMA_BYTES;
}

/* ---- operands ---- */

static tg_status decode_sum(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_wgmma_form *f)
{
    const tg_emu_type type = f->result == TG_EMU_WGMMA_TO_F32 ? TG_EMU_F32 : TG_EMU_B32;
    tg_emu_type declared;
    f->sum_count = ROWS * f->columns / WARPGROUP_THREADS;
    if (f->result == TG_EMU_WGMMA_TO_F16) f->sum_count /= 2;
    if (o->kind != TG_EMU_OPERAND_VECTOR || o->element_count != f->sum_count)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token, "expected a vector of %u registers here",
                              (unsigned)f->sum_count);
    f->sum = tg_arena_take(&p->module->arena, f->sum_count, sizeof *f->sum);
    if (!f->sum) return tg_emu_no_memory(p);
    for (uint32_t i = 0; i < f->sum_count; i++)
        TG_TRY(tg_emu_register(p, &o->elements[i], type, TG_EMU_SAME_WIDTH, &f->sum[i], &declared));
    return TG_OK;
}

static tg_status decode_lhs(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_wgmma_form *f,
                            tg_emu_inst *inst)
{
    f->in_registers = o->kind == TG_EMU_OPERAND_VECTOR;
    if (!f->in_registers) return tg_emu_in(p, o, TG_EMU_B64, inst);
    if (o->element_count != TG_EMU_WGMMA_LHS_REGISTERS)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token, "expected a vector of %d registers here",
                              TG_EMU_WGMMA_LHS_REGISTERS);
    for (size_t i = 0; i < TG_EMU_WGMMA_LHS_REGISTERS; i++)
        TG_TRY(tg_emu_in(p, &o->elements[i], TG_EMU_B32, inst));
    return TG_OK;
}

/* An immediate that is one of two numbers; *out says whether it is `yes`. */
static tg_status decode_choice(tg_emu_parser *p, const tg_emu_operand *o, int64_t yes, int64_t no,
                               bool *out)
{
    const bool is_number =
        o->kind == TG_EMU_OPERAND_NUMBER && o->token.kind == TG_EMU_TOKEN_INT && o->token.bits <= 1;
    const int64_t value = o->is_negative ? -(int64_t)o->token.bits : (int64_t)o->token.bits;
    if (!is_number || (value != yes && value != no))
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token, "expected %d or %d here", (int)no,
                              (int)yes);
    *out = value == yes;
    return TG_OK;
}

/* Behind D, A, B and whether D is read: signs of floats, and how factors of 16 bits lie in memory. */
static tg_status decode_choices(tg_emu_parser *p, const tg_emu_statement *s, tg_emu_wgmma_form *f)
{
    enum { FIRST = 4 };
    const tg_emu_operand *next = &s->operands[FIRST];
    const bool has_majors = tg_emu_wgmma_factor_bytes(f->lhs) == 2;
    const size_t signs = is_integer(f->lhs) ? 0 : 2, majors = has_majors ? 1 + !f->in_registers : 0;
    TG_TRY(tg_emu_want_operands(p, s, FIRST + signs + majors));
    if (signs) TG_TRY(decode_choice(p, next++, -1, 1, &f->lhs_negated));
    if (signs) TG_TRY(decode_choice(p, next++, -1, 1, &f->rhs_negated));
    if (majors > 1) TG_TRY(decode_choice(p, next++, 1, 0, &f->lhs_mn_major));
    if (majors) TG_TRY(decode_choice(p, next, 1, 0, &f->rhs_mn_major));
    return TG_OK;
}

static tg_status decode_product(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    enum { LEAST = 4 };
    tg_emu_wgmma_form *f = tg_arena_take(&p->module->arena, 1, sizeof *f);
    if (!f) return tg_emu_no_memory(p);
    if (!take_form(s, f)) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    if (s->operand_count < LEAST) return tg_emu_want_operands(p, s, LEAST);
    TG_TRY(decode_sum(p, &s->operands[0], f));
    TG_TRY(tg_emu_in(p, &s->operands[2], TG_EMU_B64, inst));
    TG_TRY(tg_emu_in(p, &s->operands[3], TG_EMU_PRED, inst));
    TG_TRY(decode_lhs(p, &s->operands[1], f, inst));
    TG_TRY(decode_choices(p, s, f));
    inst->exec = tg_emu_exec_wgmma;
    inst->data = f;
    inst->is_inexact = !is_integer(f->lhs);
    return TG_OK;
}

/* ---- fences and groups ---- */

static tg_status decode_wait(tg_emu_parser *p, const tg_emu_statement *s, tg_emu_inst *inst)
{
    uint64_t newest;
    TG_TRY(tg_emu_want_operands(p, s, 1));
    if (s->operands[0].kind != TG_EMU_OPERAND_NUMBER)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &s->operands[0].token, "expected a number");
    TG_TRY(tg_emu_number_bits(p, &s->operands[0], TG_EMU_U32, &newest));
    inst->immediate = (int64_t)newest;
    return TG_OK;
}

tg_status tg_emu_decode_wgmma(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    static const struct {
        const char *name;
        tg_emu_exec_fn *exec;
    } others[] = {{"fence", tg_emu_exec_wgmma_fence},
                  {"commit_group", tg_emu_exec_wgmma_commit},
                  {"wait_group", tg_emu_exec_wgmma_wait}};
    TG_TRY(tg_emu_want_target(p, s, "sm_90a"));
    p->entry->is_partial = p->entry->has_wgmma = true;
    if (tg_emu_take(s, "mma_async")) return decode_product(p, s, inst);
    for (size_t i = 0; i < sizeof others / sizeof *others && !inst->exec; i++)
        if (tg_emu_take(s, others[i].name)) inst->exec = others[i].exec;
    if (!inst->exec || !tg_emu_take(s, "sync") || !tg_emu_take(s, "aligned"))
        return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    if (inst->exec == tg_emu_exec_wgmma_wait) return decode_wait(p, s, inst);
    return tg_emu_want_operands(p, s, 0);
}
