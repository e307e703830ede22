/* The instructions cp.async.bulk and cp.reduce.async.bulk. */
#include "emulator/decode_bulk.h"

#include "emulator/bulk.h"
#include "emulator/decode_memory.h"
#include "emulator/operands.h"

enum { MOST_ADDRESSES = 4, LEAST_BYTES = 16 };

/* An address operand becomes in[i]; its offset goes to the instruction's list. */
static tg_status address(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_space space,
                         unsigned bytes, int64_t *offsets, tg_emu_inst *inst)
{
    enum { NARROW = 1 }; /* as tg_emu_address says it */
    const unsigned operand = inst->in_count;
    const uint32_t flags = inst->flags;
    inst->flags = 0;
    TG_TRY(tg_emu_address(p, o, space, bytes, inst));
    inst->flags = flags | (inst->flags & NARROW) << (TG_EMU_BULK_NARROW + operand);
    offsets[operand] = inst->immediate;
    return TG_OK;
}

static void set_reduction(tg_emu_atom_op op, tg_emu_type type, uint32_t *flags)
{
    *flags |= (uint32_t)op << TG_EMU_BULK_OP | (uint32_t)type << TG_EMU_BULK_TYPE;
}

/* .shared::cluster.{global, shared::cta}.mbarrier::complete_tx::bytes{.multicast::cluster}
 * .global.shared::cta.bulk_group */
static bool take_form(tg_emu_statement *s, uint32_t *flags)
{
    if (!tg_emu_take(s, "shared::cluster")) {
        *flags = TG_EMU_BULK_FROM_SHARED;
        return tg_emu_take(s, "global") && tg_emu_take(s, "shared::cta") &&
               tg_emu_take(s, "bulk_group");
    }
    *flags = TG_EMU_BULK_TO_SHARED;
    const bool from_global = tg_emu_take(s, "global");
    if (!from_global && tg_emu_take(s, "shared::cta"))
        *flags |= TG_EMU_BULK_FROM_SHARED;
    else if (!from_global)
        return false;
    if (!tg_emu_take(s, "mbarrier::complete_tx::bytes")) return false;
    if (from_global && tg_emu_take(s, "multicast::cluster")) *flags |= TG_EMU_BULK_MULTICAST;
    return true;
}

/* .OP{.noftz}.TYPE, from shared memory only */
static bool take_reduction(tg_emu_statement *s, uint32_t *flags)
{
    const tg_emu_atom_place place =
        *flags & TG_EMU_BULK_TO_SHARED ? TG_EMU_ATOM_TO_SHARED : TG_EMU_ATOM_TO_GLOBAL;
    const tg_emu_atom_op op = tg_emu_take_atom(s);
    tg_emu_type type;
    if (!(*flags & TG_EMU_BULK_FROM_SHARED) || !tg_emu_take_atom_type(s, op, place, &type))
        return false;
    set_reduction(op, type, flags);
    return true;
}

/* The last operand is that of .L2::cache_hint, if it is there. */
static tg_status want_operands(tg_emu_parser *p, const tg_emu_statement *s, size_t count,
                               bool has_policy)
{
    TG_TRY(tg_emu_want_operands(p, s, count + has_policy));
    return has_policy ? tg_emu_take_policy(p, &s->operands[count]) : TG_OK;
}

/* cp.async.bulk.FORM{.L2::cache_hint} [to], [from], bytes{, [mbarrier]{, mask}}{, policy} */
static tg_status decode_copy(tg_emu_parser *p, tg_emu_statement *s, bool reduces, tg_emu_inst *inst)
{
    int64_t offsets[MOST_ADDRESSES] = {0};
    if (!take_form(s, &inst->flags)) return tg_emu_unknown(p, s);
    const bool has_policy = tg_emu_take(s, "L2::cache_hint");
    if (reduces && !take_reduction(s, &inst->flags)) return tg_emu_unknown(p, s);
    const bool to_shared = inst->flags & TG_EMU_BULK_TO_SHARED,
               from_shared = inst->flags & TG_EMU_BULK_FROM_SHARED,
               is_multicast = inst->flags & TG_EMU_BULK_MULTICAST;
    if (has_policy && to_shared && from_shared) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(want_operands(p, s, 3u + to_shared + is_multicast, has_policy));
    TG_TRY(address(p, &s->operands[0], to_shared ? TG_EMU_SHARED : TG_EMU_GLOBAL, LEAST_BYTES,
                   offsets, inst));
    TG_TRY(address(p, &s->operands[1], from_shared ? TG_EMU_SHARED : TG_EMU_GLOBAL, LEAST_BYTES,
                   offsets, inst));
    TG_TRY(tg_emu_in(p, &s->operands[2], TG_EMU_U32, inst));
    if (to_shared)
        TG_TRY(address(p, &s->operands[3], TG_EMU_SHARED, sizeof(uint64_t), offsets, inst));
    if (is_multicast) TG_TRY(tg_emu_in(p, &s->operands[4], TG_EMU_B16, inst));
    inst->exec = tg_emu_exec_bulk;
    inst->data = tg_arena_copy(&p->module->arena, offsets, sizeof offsets);
    return inst->data ? TG_OK : tg_emu_no_memory(p);
}

/* .Nd.{shared::cta, shared::cluster}.global{.tile}.mbarrier::complete_tx::bytes,
 * .Nd.global.shared::cta{.OP}{.tile}.bulk_group */
static bool take_tensor_form(tg_emu_statement *s, bool reduces, unsigned *rank, uint32_t *flags)
{
    static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d"};
    for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++)
        if (tg_emu_take(s, ranks[i])) *rank = i + 1;
    if (!*rank) return false;
    const bool from_shared = tg_emu_take(s, "global");
    *flags = from_shared ? TG_EMU_BULK_FROM_SHARED : TG_EMU_BULK_TO_SHARED;
    if (!from_shared && !tg_emu_take(s, "shared::cta") && !tg_emu_take(s, "shared::cluster"))
        return false;
    if (!tg_emu_take(s, from_shared ? "shared::cta" : "global")) return false;
    if (reduces) {
        const tg_emu_atom_op op = tg_emu_take_atom(s);
        if (!from_shared || !tg_emu_atom_has(op, TG_EMU_ATOM_TO_TENSOR, TG_EMU_U32)) return false;
        set_reduction(op, TG_EMU_NONE, flags);
    }
    (void)tg_emu_take(s, "tile");
    return tg_emu_take(s, from_shared ? "bulk_group" : "mbarrier::complete_tx::bytes");
}

/* cp.async.bulk.tensor.FORM{.L2::cache_hint} [to], [map, {x, ...}], [mbarrier]{, policy},
 * or of the other direction [map, {x, ...}], [from]{, policy} */
static tg_status decode_tensor(tg_emu_parser *p, tg_emu_statement *s, bool reduces,
                               tg_emu_inst *inst)
{
    int64_t offsets[MOST_ADDRESSES] = {0};
    unsigned rank = 0;
    if (!take_tensor_form(s, reduces, &rank, &inst->flags)) return tg_emu_unknown(p, s);
    const bool to_shared = inst->flags & TG_EMU_BULK_TO_SHARED,
               has_policy = tg_emu_take(s, "L2::cache_hint");
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(want_operands(p, s, to_shared ? 3 : 2, has_policy));
    tg_emu_operand map = s->operands[to_shared ? 1 : 0];
    const tg_emu_operand *coordinates = map.elements;
    if (map.kind != TG_EMU_OPERAND_ADDRESS || map.element_count != rank)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &map.token, "expected %u coordinates here", rank);
    map.element_count = 0;
    TG_TRY(address(p, &s->operands[to_shared ? 0 : 1], TG_EMU_SHARED, LEAST_BYTES, offsets, inst));
    TG_TRY(address(p, &map, TG_EMU_GLOBAL, LEAST_BYTES, offsets, inst));
    if (to_shared)
        TG_TRY(address(p, &s->operands[2], TG_EMU_SHARED, sizeof(uint64_t), offsets, inst));
    else
        TG_TRY(tg_emu_constant_slot(p, 0, sizeof(uint64_t), &inst->in[inst->in_count++]));
    for (unsigned d = 0; d < rank; d++) TG_TRY(tg_emu_in(p, &coordinates[d], TG_EMU_S32, inst));
    inst->exec = tg_emu_exec_bulk_tensor;
    inst->data = tg_arena_copy(&p->module->arena, offsets, sizeof offsets);
    return inst->data ? TG_OK : tg_emu_no_memory(p);
}

/* cp.async.bulk.wait_group{.read} N */
static tg_status decode_wait(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    uint64_t newest;
    if (tg_emu_take(s, "read")) inst->flags = TG_EMU_BULK_READ;
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 1));
    if (s->operands[0].kind != TG_EMU_OPERAND_NUMBER)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &s->operands[0].token, "expected a number");
    TG_TRY(tg_emu_number_bits(p, &s->operands[0], TG_EMU_U32, &newest));
    inst->immediate = (int64_t)newest;
    inst->exec = tg_emu_exec_bulk_wait;
    return TG_OK;
}

tg_status tg_emu_decode_bulk(tg_emu_parser *p, tg_emu_statement *s, bool reduces, tg_emu_inst *inst)
{
    p->entry->is_partial = true;
    if (!reduces && tg_emu_take(s, "wait_group")) return decode_wait(p, s, inst);
    if (tg_emu_take(s, "tensor")) return decode_tensor(p, s, reduces, inst);
    if (reduces || !tg_emu_take(s, "commit_group")) return decode_copy(p, s, reduces, inst);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 0));
    inst->exec = tg_emu_exec_bulk_commit;
    return TG_OK;
}
