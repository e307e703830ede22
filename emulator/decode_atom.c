/* The instructions atom and red. */
#include <string.h>

#include "emulator/decode_memory.h"
#include "emulator/decoders.h"
#include "emulator/fence.h"
#include "emulator/find.h"
#include "emulator/memory_flags.h"
#include "emulator/operands.h"
#include "emulator/order.h"
#include "emulator/spin.h"

/* What inst->data points to. */
typedef struct atom {
    tg_emu_atom_op op;
    tg_emu_type type;
    tg_emu_type half; /* of a pair, which `type` holds: F16 or BF16; else NONE */
    bool acquires, releases;
} atom;

/* -- handler -- */

/* The new value in memory; `b` and `c` are the operands.  Each of a pair is added by itself. */
static uint64_t result_of(const atom *a, bool flushes, uint64_t old, uint64_t b, uint64_t c)
{
    if (a->half == TG_EMU_NONE) return tg_emu_atom_result(a->op, a->type, flushes, old, b, c);
    uint64_t both = 0;
    for (unsigned bit = 0; bit < 32; bit += 16)
        both |=
            tg_emu_atom_result(a->op, a->half, flushes, old >> bit & 0xffff, b >> bit & 0xffff, 0)
            << bit;
    return both;
}

/* Lanes execute one after the other; with a seed, any lane may be the first. */
static tg_emu_step exec_atom(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const atom *a = inst->data;
    const bool flushes = tg_emu_memory_space(inst->flags) == TG_EMU_GLOBAL;
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
        new = result_of(a, flushes, old, b[lane], c[lane]);
        if (memcmp(data[lane], &new, bytes) != 0) tg_emu_spin_changed(exec);
        memcpy(data[lane], &new, bytes);
        if (result) memcpy(result + (size_t)lane * bytes, &old, bytes);
    }
    return exec->no_memory ? TG_EMU_TRAPPED : TG_EMU_ON;
}

/* -- decoding -- */

/* .noftz.f16x2 or .noftz.bf16x2 */
static bool take_pair(tg_emu_statement *s, atom *out)
{
    const size_t start = s->next_modifier;
    if (!tg_emu_take(s, "noftz")) return false;
    out->half = tg_emu_take(s, "f16x2")    ? TG_EMU_F16
                : tg_emu_take(s, "bf16x2") ? TG_EMU_BF16
                                           : TG_EMU_NONE;
    if (out->half == TG_EMU_NONE) s->next_modifier = start;
    out->type = TG_EMU_B32;
    return out->half != TG_EMU_NONE;
}

/* .OP{.noftz}.TYPE */
static bool take_operation(tg_emu_statement *s, atom *out)
{
    out->op = tg_emu_take_atom(s);
    return (out->op == TG_EMU_ATOM_ADD && take_pair(s, out)) ||
           tg_emu_take_atom_type(s, out->op, TG_EMU_ATOM_BY_THREAD, &out->type);
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
    if (!take_operation(s, out)) return tg_emu_unknown(p, s);
    inst->flags = TG_EMU_MEMORY_OF(is_global ? TG_EMU_GLOBAL : TG_EMU_SHARED,
                                   tg_emu_types[out->type].bytes, 1);
    if (is_cluster) inst->flags |= TG_EMU_MEMORY_CLUSTER;
    return tg_emu_all_taken(p, s);
}

static tg_status decode(tg_emu_parser *p, tg_emu_statement *s, bool has_result, tg_emu_inst *inst)
{
    atom a = {0};
    TG_TRY(take_form(p, s, inst, &a));
    if (!has_result && (a.op == TG_EMU_ATOM_EXCH || a.op == TG_EMU_ATOM_CAS))
        return tg_emu_unknown(p, s);
    const tg_emu_operand *o = s->operands;
    TG_TRY(tg_emu_want_operands(p, s, (has_result ? 3u : 2u) + (a.op == TG_EMU_ATOM_CAS)));
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
