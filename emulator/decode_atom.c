/* The instructions atom and red. */
#include <string.h>

#include "emulator/canonical.h"
#include "emulator/decode_memory.h"
#include "emulator/decoders.h"
#include "emulator/fence.h"
#include "emulator/find.h"
#include "emulator/memory_flags.h"
#include "emulator/operands.h"
#include "emulator/order.h"
#include "emulator/soft.h"
#include "emulator/spin.h"

/* -- one lane -- */

typedef enum atom_op {
    ATOM_ADD,
    ATOM_MIN,
    ATOM_MAX,
    ATOM_AND,
    ATOM_OR,
    ATOM_XOR,
    ATOM_EXCH,
    ATOM_CAS,
    ATOM_INC,
    ATOM_DEC
} atom_op;

static float flush(float value)
{
    return value > -0x1p-126f && value < 0x1p-126f ? value * 0.0f : value;
}

/* In global memory, adding f32 flushes subnormal operands and results to zeros of their sign; in
 * shared memory it does not. */
static uint64_t add_f32(uint64_t old, uint64_t operand, bool flushes)
{
    const float a = f32_of_bits((uint32_t)old), b = f32_of_bits((uint32_t)operand);
    return bits_of_f32(canonical_f32(flushes ? flush(flush(a) + flush(b)) : a + b));
}

static uint64_t add_f64(uint64_t old, uint64_t operand)
{
    return bits_of_f64(canonical_f64(f64_of_bits(old) + f64_of_bits(operand)));
}

static uint64_t extend(uint64_t bits, tg_emu_type type)
{
    return type == TG_EMU_S32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)bits : bits;
}

/* Adds each f16 or bf16 by itself; subnormal numbers stay. */
static uint64_t add_halves(tg_emu_type half, unsigned bytes, uint64_t a, uint64_t b)
{
    const tg_emu_format *format = half == TG_EMU_F16 ? &tg_emu_f16 : &tg_emu_bf16;
    uint64_t sum = 0;
    for (unsigned bit = 0; bit < 8 * bytes; bit += 16)
        sum |= tg_emu_soft_add(format, TG_EMU_RN, a >> bit & 0xffff, b >> bit & 0xffff) << bit;
    return sum;
}

/* The new value in memory; `b` and `c` are the operands. */
static uint64_t atom_result(atom_op op, tg_emu_type type, tg_emu_space space, uint64_t old,
                            uint64_t b, uint64_t c)
{
    bool is_signed = tg_emu_types[type].kind == 's', is_less;
    uint64_t x = extend(old, type), y = extend(b, type);
    is_less = is_signed ? (int64_t)x < (int64_t)y : x < y;
    switch (op) {
    case ATOM_ADD:
        if (type == TG_EMU_F32) return add_f32(old, b, space == TG_EMU_GLOBAL);
        return type == TG_EMU_F64 ? add_f64(old, b) : old + b;
    case ATOM_MIN: return is_less ? old : b;
    case ATOM_MAX: return is_less ? b : old;
    case ATOM_AND: return old & b;
    case ATOM_OR: return old | b;
    case ATOM_XOR: return old ^ b;
    case ATOM_EXCH: return b;
    case ATOM_CAS: return old == b ? c : old;
    case ATOM_INC: return old >= b ? 0 : old + 1;
    default: return old == 0 || old > b ? b : old - 1;
    }
}

/* -- handler -- */

static const struct atom_form {
    const char *op, *types;
    atom_op code;
} atom_forms[] = {
    {"add", "u32 s32 u64 f32 f64", ATOM_ADD},
    {"min", "u32 s32 u64 s64", ATOM_MIN},
    {"max", "u32 s32 u64 s64", ATOM_MAX},
    {"and", "b32 b64", ATOM_AND},
    {"or", "b32 b64", ATOM_OR},
    {"xor", "b32 b64", ATOM_XOR},
    {"inc", "u32", ATOM_INC},
    {"dec", "u32", ATOM_DEC},
    {"exch", "b32 b64", ATOM_EXCH},
    {"cas", "b16 b32 b64", ATOM_CAS},
};

/* What inst->data points to. */
typedef struct atom {
    atom_op op;
    tg_emu_type type;
    tg_emu_type half; /* of add: F16 or BF16, of which `type` has one or two; else NONE */
    bool acquires, releases;
} atom;

/* Lanes execute one after the other; with a seed, any lane may be the first. */
static tg_emu_step exec_atom(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const atom *a = inst->data;
    unsigned bytes = tg_emu_types[a->type].bytes, first;
    unsigned char *data[TG_EMU_LANES],
        *result = inst->out_count ? tg_emu_at(exec, &inst->out[0]) : NULL;
    uint64_t b[TG_EMU_LANES], c[TG_EMU_LANES] = {0}, addresses[TG_EMU_LANES];
    tg_emu_addresses_of(exec, inst, addresses);
    if (!tg_emu_find_lanes(exec, inst, mask, bytes, TG_EMU_ATOMIC, true, data))
        return TG_EMU_TRAPPED;
    first = (unsigned)tg_emu_choose(exec->launch->seed, &exec->random, TG_EMU_LANES);
    for (unsigned lane = 0; lane < TG_EMU_LANES;
         lane++) { /* the result may be in an operand's register */
        b[lane] = tg_emu_lane_bits(tg_emu_at(exec, &inst->in[1]), bytes, lane);
        if (inst->in_count > 2)
            c[lane] = tg_emu_lane_bits(tg_emu_at(exec, &inst->in[2]), bytes, lane);
    }
    for (unsigned i = 0; i < TG_EMU_LANES; i++) {
        unsigned lane = (first + i) % TG_EMU_LANES;
        if (!(mask >> lane & 1)) continue;
        uint64_t old = 0, new;
        if (a->releases) tg_emu_fence_lane(exec, lane);
        tg_emu_fence_atomic(exec, lane, tg_emu_key_of(exec, inst, addresses[lane]));
        if (a->acquires) tg_emu_fence_lane(exec, lane);
        memcpy(&old, data[lane], bytes);
        new = a->half ? add_halves(a->half, bytes, old, b[lane])
                      : atom_result(a->op, a->type, tg_emu_memory_space(inst->flags), old, b[lane],
                                    c[lane]);
        if (memcmp(data[lane], &new, bytes) != 0) tg_emu_spin_changed(exec);
        memcpy(data[lane], &new, bytes);
        if (result) memcpy(result + (size_t)lane * bytes, &old, bytes);
    }
    return exec->no_memory ? TG_EMU_TRAPPED : TG_EMU_ON;
}

/* -- decoding -- */

/* Whether a list such as "u32 s32" has the type. */
static bool lists(const char *types, tg_emu_type type)
{
    const char *name = tg_emu_types[type].name;
    size_t length = strlen(name);
    for (const char *at = types; (at = strstr(at, name)); at += length)
        if ((at == types || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

/* .f16x2 or .bf16x2 */
static void take_pair(tg_emu_statement *s, atom *out)
{
    out->half = tg_emu_take(s, "f16x2")    ? TG_EMU_F16
                : tg_emu_take(s, "bf16x2") ? TG_EMU_BF16
                                           : TG_EMU_NONE;
    if (out->half != TG_EMU_NONE) out->type = TG_EMU_B32;
}

/* Takes one of .relaxed, .acquire, .release, .acq_rel; the default is .relaxed. */
static bool take_order(tg_emu_statement *s, atom *out)
{
    static const struct {
        const char *name;
        bool acquires, releases;
    } orders[] = {{"relaxed", false, false},
                  {"acquire", true, false},
                  {"release", false, true},
                  {"acq_rel", true, true}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (!tg_emu_take(s, orders[i].name)) continue;
        out->acquires = orders[i].acquires;
        out->releases = orders[i].releases;
        return true;
    }
    return false;
}

/* {.ORDER}{.SCOPE}{.SPACE}.OP{.noftz}.TYPE; order, scope and space stand in any order */
static tg_status take_form(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst, atom *out)
{
    bool is_cluster = false, is_global = false, is_shared = false, has_order = false,
         has_scope = false;
    p->entry->waits = true;
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        if (!is_global && !is_shared && (is_global = tg_emu_take(s, "global"))) goes_on = true;
        if (!is_global && !is_shared && (is_shared = tg_emu_take_shared(s, &is_cluster)))
            goes_on = true;
        if (!has_order && (has_order = take_order(s, out))) goes_on = true;
        if (!has_scope && (has_scope = tg_emu_take_scope(s))) goes_on = true;
    }
    if (!is_global && !is_shared)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &s->opcode,
                              "'%s': a space must be named, as in .global", s->name);
    const struct atom_form *form = NULL;
    for (size_t i = 0; !form && i < sizeof atom_forms / sizeof *atom_forms; i++)
        if (tg_emu_take(s, atom_forms[i].op)) form = &atom_forms[i];
    const bool is_noftz = form && form->code == ATOM_ADD && tg_emu_take(s, "noftz");
    out->type = tg_emu_take_type(s);
    if (out->type == TG_EMU_NONE && is_noftz) take_pair(s, out);
    out->half = is_noftz && out->type != TG_EMU_B32 ? out->type : out->half;
    if (is_noftz && out->half != TG_EMU_F16 && out->half != TG_EMU_BF16)
        return tg_emu_unknown(p, s);
    if (!form || out->type == TG_EMU_NONE || (!is_noftz && !lists(form->types, out->type)))
        return tg_emu_unknown(p, s);
    out->op = form->code;
    inst->flags = TG_EMU_MEMORY_OF(is_global ? TG_EMU_GLOBAL : TG_EMU_SHARED,
                                   tg_emu_types[out->type].bytes, 1);
    if (is_cluster) inst->flags |= TG_EMU_MEMORY_CLUSTER;
    return tg_emu_all_taken(p, s);
}

static tg_status decode(tg_emu_parser *p, tg_emu_statement *s, bool has_result, tg_emu_inst *inst)
{
    atom a = {.op = ATOM_ADD};
    TG_TRY(take_form(p, s, inst, &a));
    if (!has_result && (a.op == ATOM_EXCH || a.op == ATOM_CAS)) return tg_emu_unknown(p, s);
    const tg_emu_operand *o = s->operands;
    TG_TRY(tg_emu_want_operands(p, s, (has_result ? 3u : 2u) + (a.op == ATOM_CAS)));
    if (has_result) TG_TRY(tg_emu_out(p, o++, a.type, inst));
    TG_TRY(
        tg_emu_address(p, o++, tg_emu_memory_space(inst->flags), tg_emu_types[a.type].bytes, inst));
    while (o < s->operands + s->operand_count) TG_TRY(tg_emu_in(p, o++, a.type, inst));
    inst->exec = exec_atom;
    inst->data = tg_arena_copy(&p->module->arena, &a, sizeof a);
    return inst->data ? TG_OK : tg_emu_no_memory(p);
}

tg_status tg_emu_decode_atom(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    return decode(p, s, true, inst);
}

tg_status tg_emu_decode_red(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    return decode(p, s, false, inst);
}
