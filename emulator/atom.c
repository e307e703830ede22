#include "emulator/atom.h"

#include <string.h>

#include "emulator/canonical.h"
#include "emulator/half_bits.h"
#include "emulator/soft.h"

/* ---- which there are ---- */

static const struct {
    const char *name, *types[TG_EMU_ATOM_PLACES];
} atoms[TG_EMU_ATOM_COUNT] = {
    {"", {"", "", "", ""}},
#define TG_EMU_ATOM(id, name, thread, global, shared, tensor)                                      \
    {name, {thread, global, shared, tensor}},
#include "emulator/atoms.def"
};

const char *tg_emu_atom_name(tg_emu_atom_op op) { return atoms[op].name; }

bool tg_emu_atom_has(tg_emu_atom_op op, tg_emu_atom_place place, tg_emu_type type)
{
    const char *const types = atoms[op].types[place], *const name = tg_emu_types[type].name;
    const size_t length = strlen(name);
    for (const char *at = types; length && (at = strstr(at, name)); at += length)
        if ((at == types || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

/* ---- what they give ---- */

static float flush(float value)
{
    return value > -0x1p-126f && value < 0x1p-126f ? value * 0.0f : value;
}

static uint64_t add_f32(uint64_t old, uint64_t operand, bool flushes)
{
    const float a = f32_of_bits((uint32_t)old), b = f32_of_bits((uint32_t)operand);
    return bits_of_f32(canonical_f32(flushes ? flush(flush(a) + flush(b)) : a + b));
}

static uint64_t add_f64(uint64_t old, uint64_t operand)
{
    return bits_of_f64(canonical_f64(f64_of_bits(old) + f64_of_bits(operand)));
}

static uint64_t add(tg_emu_type type, bool flushes, uint64_t a, uint64_t b)
{
    switch (type) {
    case TG_EMU_F16: return tg_emu_soft_add(&tg_emu_f16, TG_EMU_RN, a, b);
    case TG_EMU_BF16: return tg_emu_soft_add(&tg_emu_bf16, TG_EMU_RN, a, b);
    case TG_EMU_F32: return add_f32(a, b, flushes);
    case TG_EMU_F64: return add_f64(a, b);
    default: return a + b;
    }
}

static uint64_t extend(uint64_t bits, tg_emu_type type)
{
    return type == TG_EMU_S32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)bits : bits;
}

/* The lesser one, or the greater one.  Floats are as those of min.f16: NaN loses, -0 is less than +0. */
static uint64_t pick(tg_emu_type type, bool is_max, uint64_t a, uint64_t b)
{
    if (type == TG_EMU_F16 || type == TG_EMU_BF16) {
        const uint32_t inf = type == TG_EMU_F16 ? 0x7c00 : 0x7f80, x = (uint32_t)a, y = (uint32_t)b;
        return is_max ? greatest_16(x, y, inf, false) : least_16(x, y, inf, false);
    }
    const uint64_t x = extend(a, type), y = extend(b, type);
    const bool is_less = tg_emu_types[type].kind == 's' ? (int64_t)x < (int64_t)y : x < y;
    return is_less == is_max ? b : a;
}

uint64_t tg_emu_atom_result(tg_emu_atom_op op, tg_emu_type type, bool flushes, uint64_t old,
                            uint64_t b, uint64_t c)
{
    switch (op) {
    case TG_EMU_ATOM_ADD: return add(type, flushes, old, b);
    case TG_EMU_ATOM_MIN: return pick(type, false, old, b);
    case TG_EMU_ATOM_MAX: return pick(type, true, old, b);
    case TG_EMU_ATOM_AND: return old & b;
    case TG_EMU_ATOM_OR: return old | b;
    case TG_EMU_ATOM_XOR: return old ^ b;
    case TG_EMU_ATOM_EXCH: return b;
    case TG_EMU_ATOM_CAS: return old == b ? c : old;
    case TG_EMU_ATOM_INC: return old >= b ? 0 : old + 1;
    default: return old == 0 || old > b ? b : old - 1;
    }
}
