#include "emulator/variant.h"

#include "emulator/lanes.h"
#include "emulator/parser.h"

/* -- handlers -- they give another handler its operands in memory of their own. */

enum { PLACE = TG_EMU_LANES * sizeof(uint64_t) };
typedef struct scratch {
    _Alignas(64) unsigned char places[TG_EMU_MAX_IN + 1][PLACE];
} scratch;

static tg_emu_slot place(unsigned number)
{
    return (tg_emu_slot){TG_EMU_SCRATCH, number * PLACE, 0};
}

static uint32_t flush(uint32_t bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }

static tg_emu_step exec_flushed(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    scratch s;
    tg_emu_inst plain = *inst;
    exec->bank[TG_EMU_SCRATCH] = s.places[0];
    for (unsigned i = 0; i < inst->in_count; i++) {
        if (!(inst->flushed_in >> i & 1)) continue;
        const uint32_t *from = tg_emu_at(exec, &inst->in[i]);
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            ((uint32_t *)(void *)s.places[i])[lane] = flush(from[lane]);
        plain.in[i] = place(i);
    }
    const tg_emu_step step = inst->inner(exec, &plain, mask);
    if (step != TG_EMU_ON || !inst->is_flushed_out) return step;
    uint32_t *result = tg_emu_at(exec, &inst->out[0]);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1) result[lane] = flush(result[lane]);
    return TG_EMU_ON;
}

/* The operands of half of a pair: the first `count` ones are packed. */
static tg_emu_inst half_of(const tg_emu_exec *exec, const tg_emu_inst *inst, unsigned count,
                           unsigned upper, scratch *s)
{
    tg_emu_inst half = *inst;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t *from = tg_emu_at(exec, &inst->in[i]);
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            ((uint16_t *)(void *)s->places[i])[lane] = (uint16_t)(from[lane] >> 16 * upper);
        half.in[i] = place(i);
    }
    half.out[0] = place(TG_EMU_MAX_IN);
    memset(s->places[TG_EMU_MAX_IN], 0, PLACE);
    return half;
}

static tg_emu_step exec_pair(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    scratch s;
    uint32_t both[TG_EMU_LANES] = {0};
    exec->bank[TG_EMU_SCRATCH] = s.places[0];
    for (unsigned upper = 0; upper < 2; upper++) {
        const tg_emu_inst half = half_of(exec, inst, inst->in_count, upper, &s);
        const tg_emu_step step = inst->inner(exec, &half, mask);
        if (step != TG_EMU_ON) return step;
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            both[lane] |= (uint32_t)((const uint16_t *)(void *)s.places[TG_EMU_MAX_IN])[lane]
                          << 16 * upper;
    }
    put_32(tg_emu_at(exec, &inst->out[0]), both, mask);
    return TG_EMU_ON;
}

/* The results are predicates, that of the lower half first.  A third operand is one too, and may be the register
 * of a result. */
static tg_emu_step exec_compared_pair(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    scratch s;
    uint32_t truths[2];
    exec->bank[TG_EMU_SCRATCH] = s.places[0];
    for (unsigned upper = 0; upper < 2; upper++) {
        tg_emu_inst half = half_of(exec, inst, 2, upper, &s);
        half.out_count = 1;
        const tg_emu_step step = inst->inner(exec, &half, mask);
        if (step != TG_EMU_ON) return step;
        memcpy(&truths[upper], s.places[TG_EMU_MAX_IN], sizeof truths[upper]);
    }
    for (unsigned upper = 0; upper < 2; upper++) {
        uint32_t *to = tg_emu_at(exec, &inst->out[upper]);
        *to = (*to & ~mask) | (truths[upper] & mask);
    }
    return TG_EMU_ON;
}

/* -- decoding -- */

/* Removes `part` from the name; returns whether it was there. */
static bool cut(char *name, const char *part)
{
    char *at = strstr(name, part);
    if (!at) return false;
    memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
    return true;
}

bool tg_emu_variant_halve(char *name)
{
    char *const at = strstr(name, "f16x2");
    return at && cut(at + strlen("f16"), "x2");
}

/* add.f32 and the like become add.rn.f32. */
static bool round_to_nearest(char *name)
{
    static const char *const open[] = {"add.", "sub.", "mul."};
    static const char *const types[] = {"f32", "f64", "f16", "bf16"};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            if (strncmp(name, open[i], strlen(open[i])) != 0 ||
                strcmp(name + strlen(open[i]), types[k]) != 0)
                continue;
            strcpy(name, open[i]);
            strcat(name, "rn.");
            strcat(name, types[k]);
            return true;
        }
    return false;
}

const tg_emu_form *tg_emu_variant_find(const tg_emu_isa *isa, const char *name, tg_emu_variant *out)
{
    char plain[TG_EMU_MAX_NAME + sizeof "rn."];
    const tg_emu_form *form = tg_emu_form_find(isa, name);
    *out = (tg_emu_variant){0};
    if (form) return form;
    strcpy(plain, name); /* fits: a name is shorter than TG_EMU_MAX_NAME */
    out->is_flushed = cut(plain, ".ftz");
    while (tg_emu_variant_halve(plain)) out->is_pair = true;
    out->is_open = round_to_nearest(plain);
    form = tg_emu_form_find(isa, plain);
    if (!form) return NULL;
    const tg_emu_type type = form->operands[0];
    if (out->is_flushed && (out->is_pair || type != TG_EMU_F32)) return NULL;
    return out->is_pair && type != TG_EMU_F16 && type != TG_EMU_BF16 ? NULL : form;
}

tg_emu_type tg_emu_variant_type(const tg_emu_variant *variant, const tg_emu_form *form,
                                size_t operand)
{
    return variant->is_pair ? TG_EMU_B32 : form->operands[operand];
}

void tg_emu_variant_flush(tg_emu_inst *inst, uint8_t sources, bool result)
{
    inst->inner = inst->exec;
    inst->exec = exec_flushed;
    inst->flushed_in = sources;
    inst->is_flushed_out = result;
}

void tg_emu_variant_compare_pair(tg_emu_inst *inst)
{
    inst->inner = inst->exec;
    inst->exec = exec_compared_pair;
}

void tg_emu_variant_apply(const tg_emu_variant *variant, const tg_emu_form *form, tg_emu_inst *inst)
{
    inst->is_inexact |= variant->is_open;
    if (variant->is_pair) {
        inst->inner = inst->exec;
        inst->exec = exec_pair;
    }
    if (!variant->is_flushed) return;
    uint8_t sources = 0;
    for (unsigned i = 1; i < TG_EMU_FORM_OPERANDS && form->operands[i] != TG_EMU_NONE; i++)
        if (form->operands[i] == TG_EMU_F32) sources |= (uint8_t)(1u << (i - 1));
    tg_emu_variant_flush(inst, sources, true);
}
