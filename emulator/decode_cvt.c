/* The instruction cvt. */
#include <string.h>

#include "emulator/convert.h"
#include "emulator/decoders.h"
#include "emulator/lanes.h"
#include "emulator/operands.h"
#include "emulator/variant.h"

/* -- handlers -- */

/* inst->flags: bytes of the source register, and << 8 those of the result's. */
static tg_emu_step exec_convert(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const tg_emu_conversion *c = inst->data;
    unsigned from = inst->flags & 255, to = inst->flags >> 8;
    const void *source = tg_emu_at(exec, &inst->in[0]);
    unsigned char t[TG_EMU_LANES * sizeof(uint64_t)];
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        uint64_t bits = tg_emu_convert(c, tg_emu_lane_bits(source, from, lane));
        memcpy(t + (size_t)lane * to, &bits, to);
    }
    unsigned char *result = tg_emu_at(exec, &inst->out[0]);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1) memcpy(result + (size_t)lane * to, t + (size_t)lane * to, to);
    return TG_EMU_ON;
}

/* cvt.rn.f16x2.f32 d, a, b and the like: a goes to the upper half. */
static tg_emu_step exec_convert_pair(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const tg_emu_conversion *c = inst->data;
    const uint32_t *as = tg_emu_at(exec, &inst->in[0]), *bs = tg_emu_at(exec, &inst->in[1]);
    unsigned bits = 8 * tg_emu_types[c->to].bytes;
    void *result = tg_emu_at(exec, &inst->out[0]);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        uint64_t pair = tg_emu_convert(c, as[lane]) << bits | tg_emu_convert(c, bs[lane]);
        if (bits == 8)
            ((uint16_t *)result)[lane] = (uint16_t)pair;
        else
            ((uint32_t *)result)[lane] = (uint32_t)pair;
    }
    return TG_EMU_ON;
}

/* cvt.rn.f16x2.e4m3x2 d, a and the reverse: each half separately. */
static tg_emu_step exec_convert_halves(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const tg_emu_conversion *c = inst->data;
    unsigned to = 8 * tg_emu_types[c->to].bytes, from = 8 * tg_emu_types[c->from].bytes;
    const void *source = tg_emu_at(exec, &inst->in[0]);
    unsigned char t[TG_EMU_LANES * sizeof(uint64_t)] = {0};
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        uint64_t bits = tg_emu_lane_bits(source, from / 4, lane);
        uint64_t pair =
            tg_emu_convert(c, bits >> from) << to | tg_emu_convert(c, bits & ((1u << from) - 1));
        memcpy(t + (size_t)lane * (to / 4), &pair, to / 4);
    }
    put_lanes(tg_emu_at(exec, &inst->out[0]), t, to / 4, mask);
    return TG_EMU_ON;
}

/* -- decoding -- */

static const tg_emu_format *format_of(tg_emu_type type)
{
    switch (type) {
    case TG_EMU_F16: return &tg_emu_f16;
    case TG_EMU_BF16: return &tg_emu_bf16;
    case TG_EMU_F32: return &tg_emu_f32;
    case TG_EMU_F64: return &tg_emu_f64;
    default: return NULL;
    }
}

/* Takes .rn, .rni and so on; returns false if there is none. */
static bool take_rounding(tg_emu_statement *s, tg_emu_conversion *c)
{
    static const struct {
        const char *name;
        tg_emu_rounding rounding;
        bool is_integral;
    } roundings[] = {{"rn", TG_EMU_RN, false}, {"rz", TG_EMU_RZ, false}, {"rm", TG_EMU_RM, false},
                     {"rp", TG_EMU_RP, false}, {"rni", TG_EMU_RN, true}, {"rzi", TG_EMU_RZ, true},
                     {"rmi", TG_EMU_RM, true}, {"rpi", TG_EMU_RP, true}};
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
        if (!tg_emu_take(s, roundings[i].name)) continue;
        c->rounding = roundings[i].rounding;
        c->is_integral = roundings[i].is_integral;
        return true;
    }
    return false;
}

/* Whether the presence of a rounding is right: PTX requires one where precision may be lost, and
 * forbids it elsewhere. */
static bool is_rounding_right(const tg_emu_conversion *c, bool has_rounding)
{
    bool is_to_float = c->to_format != NULL, is_from_float = c->from_format != NULL;
    if (!is_from_float) return is_to_float == has_rounding && !c->is_integral;
    if (!is_to_float) return has_rounding && c->is_integral;
    if (c->to == c->from) return !has_rounding || c->is_integral;
    if (c->to == TG_EMU_BF16 && c->from == TG_EMU_F16)
        return !c->is_integral; /* ptxas takes cvt.bf16.f16 as well, and rounds to nearest */
    bool is_narrower = c->to_format->fraction < c->from_format->fraction ||
                       c->to_format->exponent < c->from_format->exponent;
    return is_narrower == has_rounding && !c->is_integral;
}

/* PTX has .sat only where it can make a difference, and no conversions between bf16 and bytes. */
static bool is_combination(const tg_emu_conversion *c)
{
    const tg_emu_type_info *to = &tg_emu_types[c->to], *from = &tg_emu_types[c->from];
    bool is_inside = to->kind == from->kind ? to->bytes >= from->bytes
                                            : to->kind == 's' && to->bytes > from->bytes;
    if (!c->to_format && !c->from_format && c->is_saturated && is_inside) return false;
    return !((c->to == TG_EMU_BF16 && from->bytes == 1) ||
             (c->from == TG_EMU_BF16 && to->bytes == 1));
}

static tg_status keep(tg_emu_parser *p, const tg_emu_conversion *c, tg_emu_inst *inst)
{
    inst->data = tg_arena_copy(&p->module->arena, c, sizeof *c);
    return inst->data ? TG_OK : tg_emu_no_memory(p);
}

/* The forms for single values of fundamental types. */
static tg_status decode_single(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    tg_emu_conversion c = {0};
    tg_emu_type to_register, from_register;
    const bool has_rounding = take_rounding(s, &c), flushes = tg_emu_take(s, "ftz");
    c.is_saturated = tg_emu_take(s, "sat");
    c.to = tg_emu_take_type(s);
    c.from = tg_emu_take_type(s);
    if (s->next_modifier != s->modifier_count || c.to == TG_EMU_NONE || c.from == TG_EMU_NONE)
        return tg_emu_unknown(p, s);
    char to_kind = tg_emu_types[c.to].kind, from_kind = tg_emu_types[c.from].kind;
    c.to_format = format_of(c.to);
    c.from_format = format_of(c.from);
    bool is_bits = to_kind == 'b' || from_kind == 'b' || to_kind == 'p' || from_kind == 'p';
    const bool has_f32 = c.to == TG_EMU_F32 || c.from == TG_EMU_F32;
    if (is_bits || !is_rounding_right(&c, has_rounding) || !is_combination(&c) ||
        (flushes && !has_f32))
        return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_want_operands(p, s, 2));
    TG_TRY(tg_emu_register(p, &s->operands[0], c.to, TG_EMU_OR_WIDER, &inst->out[inst->out_count++],
                           &to_register));
    if (s->operands[1].kind == TG_EMU_OPERAND_NUMBER) {
        from_register = c.from == TG_EMU_U8 || c.from == TG_EMU_S8 ? TG_EMU_B16 : c.from;
        TG_TRY(tg_emu_in(p, &s->operands[1], from_register, inst));
    } else {
        TG_TRY(tg_emu_register(p, &s->operands[1], c.from, TG_EMU_OR_WIDER,
                               &inst->in[inst->in_count++], &from_register));
    }
    const tg_emu_form *form = tg_emu_form_find(p->isa, s->name);
    unsigned to_bytes = tg_emu_types[to_register].bytes,
             from_bytes = tg_emu_types[from_register].bytes;
    bool is_exact =
        to_bytes == tg_emu_types[c.to].bytes && from_bytes == tg_emu_types[c.from].bytes;
    inst->flags = from_bytes | to_bytes << 8;
    inst->exec = form && is_exact ? form->exec : exec_convert;
    if (flushes) tg_emu_variant_flush(inst, c.from == TG_EMU_F32, c.to == TG_EMU_F32);
    return keep(p, &c, inst);
}

/* Forms with types that are not fundamental. */
static const struct special {
    const char *name;
    tg_emu_type to, from; /* of each single value */
    const tg_emu_format *to_format, *from_format;
    tg_emu_rounding rounding;
    bool is_finite;
    enum { SINGLE, PAIR, HALVES } shape;
} specials[] = {
    {"cvt.rna.tf32.f32", TG_EMU_B32, TG_EMU_F32, &tg_emu_tf32, &tg_emu_f32, TG_EMU_RNA, false,
     SINGLE},
    {"cvt.rn.tf32.f32", TG_EMU_B32, TG_EMU_F32, &tg_emu_tf32, &tg_emu_f32, TG_EMU_RN, false,
     SINGLE},
    {"cvt.rz.tf32.f32", TG_EMU_B32, TG_EMU_F32, &tg_emu_tf32, &tg_emu_f32, TG_EMU_RZ, false,
     SINGLE},
    {"cvt.rn.f16x2.f32", TG_EMU_F16, TG_EMU_F32, &tg_emu_f16, &tg_emu_f32, TG_EMU_RN, false, PAIR},
    {"cvt.rz.f16x2.f32", TG_EMU_F16, TG_EMU_F32, &tg_emu_f16, &tg_emu_f32, TG_EMU_RZ, false, PAIR},
    {"cvt.rn.bf16x2.f32", TG_EMU_BF16, TG_EMU_F32, &tg_emu_bf16, &tg_emu_f32, TG_EMU_RN, false,
     PAIR},
    {"cvt.rz.bf16x2.f32", TG_EMU_BF16, TG_EMU_F32, &tg_emu_bf16, &tg_emu_f32, TG_EMU_RZ, false,
     PAIR},
    {"cvt.rn.satfinite.e4m3x2.f32", TG_EMU_B8, TG_EMU_F32, &tg_emu_e4m3, &tg_emu_f32, TG_EMU_RN,
     true, PAIR},
    {"cvt.rn.satfinite.e5m2x2.f32", TG_EMU_B8, TG_EMU_F32, &tg_emu_e5m2, &tg_emu_f32, TG_EMU_RN,
     true, PAIR},
    {"cvt.rn.satfinite.e4m3x2.f16x2", TG_EMU_B8, TG_EMU_F16, &tg_emu_e4m3, &tg_emu_f16, TG_EMU_RN,
     true, HALVES},
    {"cvt.rn.satfinite.e5m2x2.f16x2", TG_EMU_B8, TG_EMU_F16, &tg_emu_e5m2, &tg_emu_f16, TG_EMU_RN,
     true, HALVES},
    {"cvt.rn.f16x2.e4m3x2", TG_EMU_F16, TG_EMU_B8, &tg_emu_f16, &tg_emu_e4m3, TG_EMU_RN, false,
     HALVES},
    {"cvt.rn.f16x2.e5m2x2", TG_EMU_F16, TG_EMU_B8, &tg_emu_f16, &tg_emu_e5m2, TG_EMU_RN, false,
     HALVES},
};

static tg_emu_type twice(tg_emu_type type)
{
    return tg_emu_types[type].bytes == 1 ? TG_EMU_B16 : TG_EMU_B32;
}

static tg_status decode_special(tg_emu_parser *p, const tg_emu_statement *s,
                                const struct special *f, tg_emu_inst *inst)
{
    tg_emu_conversion c = {f->to,       f->from, f->to_format, f->from_format,
                           f->rounding, false,   false,        f->is_finite};
    tg_emu_type to = f->shape == SINGLE ? f->to : twice(f->to),
                from = f->shape == HALVES ? twice(f->from) : f->from;
    TG_TRY(tg_emu_want_operands(p, s, f->shape == PAIR ? 3 : 2));
    TG_TRY(tg_emu_out(p, &s->operands[0], to, inst));
    for (size_t i = 1; i < s->operand_count; i++) TG_TRY(tg_emu_in(p, &s->operands[i], from, inst));
    inst->exec = f->shape == SINGLE ? exec_convert
                 : f->shape == PAIR ? exec_convert_pair
                                    : exec_convert_halves;
    inst->flags = 4 | 4 << 8;
    return keep(p, &c, inst);
}

tg_status tg_emu_decode_cvt(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(s->name, specials[i].name) == 0) return decode_special(p, s, &specials[i], inst);
    return decode_single(p, s, inst);
}
