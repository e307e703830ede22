/* The instruction mma. */
#include "emulator/decoders.h"
#include "emulator/mma_form.h"
#include "emulator/operands.h"

/* mma.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C */
static const struct shape {
    const char *name;
    unsigned k, a, b, bytes; /* registers of a lane; bytes of a factor */
} shapes[] = {
    {"m16n8k8", 8, 2, 1, 2}, {"m16n8k16", 16, 4, 2, 2}, {"m16n8k4", 4, 2, 1, 4},
    {"m16n8k8", 8, 4, 2, 4}, {"m16n8k16", 16, 2, 1, 1}, {"m16n8k32", 32, 4, 2, 1},
    {"m8n8k4", 4, 1, 1, 8},
};

static const struct factor {
    const char *name;
    tg_emu_mma_factor factor;
} factors[] = {{"f16", TG_EMU_MMA_F16},   {"bf16", TG_EMU_MMA_BF16}, {"tf32", TG_EMU_MMA_TF32},
               {"e4m3", TG_EMU_MMA_E4M3}, {"e5m2", TG_EMU_MMA_E5M2}, {"s8", TG_EMU_MMA_S8},
               {"u8", TG_EMU_MMA_U8},     {"f64", TG_EMU_MMA_F64}};

static const char *const results[] = {"f32", "f16", "s32", "f64"};

static bool take_factor(tg_emu_statement *s, tg_emu_mma_factor *out)
{
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        if (!tg_emu_take(s, factors[i].name)) continue;
        *out = factors[i].factor;
        return true;
    }
    return false;
}

static bool take_result(tg_emu_statement *s, tg_emu_mma_form *f)
{
    for (unsigned i = 0; i < sizeof results / sizeof *results; i++) {
        if (!tg_emu_take(s, results[i])) continue;
        f->result = (tg_emu_mma_result)i;
        return true;
    }
    return false;
}

/* Whether there is a matrix unit for factors and sums of these types. */
static bool is_combination(const tg_emu_mma_form *f)
{
    const tg_emu_mma_factor a = f->lhs, b = f->rhs;
    switch (f->result) {
    case TG_EMU_MMA_TO_F16: return a == TG_EMU_MMA_F16 && b == a;
    case TG_EMU_MMA_TO_S32:
        return a >= TG_EMU_MMA_S8 && a <= TG_EMU_MMA_U8 && b >= TG_EMU_MMA_S8 && b <= TG_EMU_MMA_U8;
    case TG_EMU_MMA_TO_F64: return a == TG_EMU_MMA_F64 && b == a;
    default: break;
    }
    const bool are_fp8 = a >= TG_EMU_MMA_E4M3 && a <= TG_EMU_MMA_E5M2 && b >= TG_EMU_MMA_E4M3 &&
                         b <= TG_EMU_MMA_E5M2;
    return are_fp8 || (a == b && a <= TG_EMU_MMA_TF32);
}

/* The number of registers of C. */
static unsigned sums_of(tg_emu_mma_result result)
{
    return result == TG_EMU_MMA_TO_F16 || result == TG_EMU_MMA_TO_F64 ? 2 : 4;
}

static bool take_shape(const tg_emu_token *name, tg_emu_mma_form *f)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *shape = &shapes[i];
        if (shape->bytes != tg_emu_mma_factor_bytes(f->lhs) ||
            !tg_emu_is(name, TG_EMU_TOKEN_DOT, shape->name))
            continue;
        f->k = shape->k;
        f->a = shape->a;
        f->b = shape->b;
        f->c = sums_of(f->result);
        return true;
    }
    return false;
}

static bool take_form(tg_emu_statement *s, tg_emu_mma_form *f)
{
    if (!tg_emu_take(s, "sync") || !tg_emu_take(s, "aligned")) return false;
    const tg_emu_token shape =
        s->next_modifier < s->modifier_count ? s->modifiers[s->next_modifier++] : (tg_emu_token){0};
    if (!tg_emu_take(s, "row") || !tg_emu_take(s, "col")) return false;
    f->saturates = tg_emu_take(s, "satfinite");
    if (!take_result(s, f) || !take_factor(s, &f->lhs) || !take_factor(s, &f->rhs)) return false;
    if (!tg_emu_take(s, results[f->result]) || !is_combination(f)) return false;
    if (f->saturates && f->result != TG_EMU_MMA_TO_S32) return false;
    return take_shape(&shape, f);
}

/* The elements of a vector of `count` registers. */
static tg_status registers(tg_emu_parser *p, const tg_emu_operand *o, size_t count,
                           tg_emu_type type, bool is_result, tg_emu_inst *inst)
{
    const bool is_single = count == 1 && o->kind == TG_EMU_OPERAND_NAME;
    if (!is_single && (o->kind != TG_EMU_OPERAND_VECTOR || o->element_count != count))
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token,
                              "expected a vector of %zu registers here", count);
    for (size_t e = 0; e < count; e++) {
        const tg_emu_operand *one = is_single ? o : &o->elements[e];
        TG_TRY(is_result ? tg_emu_out(p, one, type, inst) : tg_emu_in(p, one, type, inst));
    }
    return TG_OK;
}

static tg_emu_type sum_type(const tg_emu_mma_form *f)
{
    if (f->result == TG_EMU_MMA_TO_F32) return TG_EMU_F32;
    return f->result == TG_EMU_MMA_TO_F64 ? TG_EMU_F64 : TG_EMU_B32;
}

tg_status tg_emu_decode_mma(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    tg_emu_mma_form f = {0};
    if (!take_form(s, &f)) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 4));
    const bool is_f64 = f.result == TG_EMU_MMA_TO_F64;
    const tg_emu_type factor = is_f64 ? TG_EMU_F64 : TG_EMU_B32, sum = sum_type(&f);
    TG_TRY(registers(p, &s->operands[0], f.c, sum, true, inst));
    TG_TRY(registers(p, &s->operands[1], f.a, factor, false, inst));
    TG_TRY(registers(p, &s->operands[2], f.b, factor, false, inst));
    TG_TRY(registers(p, &s->operands[3], f.c, sum, false, inst));
    inst->exec = is_f64 ? tg_emu_exec_mma_f64 : tg_emu_exec_mma;
    inst->is_inexact = f.result != TG_EMU_MMA_TO_S32;
    inst->data = tg_arena_copy(&p->module->arena, &f, sizeof f);
    return inst->data ? TG_OK : tg_emu_no_memory(p);
}
