/* The instructions cp.async of single threads; those of bulk copies, which may reduce, are decoded elsewhere. */
#include "emulator/cp_async.h"
#include "emulator/decode_bulk.h"
#include "emulator/decode_memory.h"
#include "emulator/decoders.h"
#include "emulator/operands.h"

static tg_status decode_wait(tg_emu_parser *p, tg_emu_statement *s, bool is_all, tg_emu_inst *inst)
{
    uint64_t newest;
    inst->exec = tg_emu_exec_cp_async_wait;
    inst->immediate = TG_EMU_CP_WAIT_ALL;
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, is_all ? 0 : 1));
    if (is_all) return TG_OK;
    if (s->operands[0].kind != TG_EMU_OPERAND_NUMBER)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &s->operands[0].token, "expected a number");
    TG_TRY(tg_emu_number_bits(p, &s->operands[0], TG_EMU_U32, &newest));
    inst->immediate = (int64_t)newest;
    return TG_OK;
}

/* {.ca, .cg}.shared{::cta}.global{.L2::cache_hint}{.L2::64B, .L2::128B, .L2::256B} */
static bool take_form(tg_emu_statement *s, bool *is_cg, bool *has_policy)
{
    static const char *const prefetches[] = {"L2::64B", "L2::128B", "L2::256B"};
    *is_cg = tg_emu_take(s, "cg");
    if (!*is_cg && !tg_emu_take(s, "ca")) return false;
    if (!tg_emu_take(s, "shared") && !tg_emu_take(s, "shared::cta")) return false;
    if (!tg_emu_take(s, "global")) return false;
    *has_policy = tg_emu_take(s, "L2::cache_hint");
    for (size_t i = 0; i < sizeof prefetches / sizeof *prefetches; i++)
        if (tg_emu_take(s, prefetches[i])) break;
    return true;
}

/* The number of bytes: 4, 8 or 16, of .cg 16. */
static tg_status take_bytes(tg_emu_parser *p, const tg_emu_operand *o, bool is_cg, uint32_t *out)
{
    uint64_t bytes = 0;
    if (o->kind == TG_EMU_OPERAND_NUMBER) TG_TRY(tg_emu_number_bits(p, o, TG_EMU_U32, &bytes));
    if (bytes != 16 && (is_cg || (bytes != 4 && bytes != 8)))
        return tg_emu_fail_at(p, TG_ERR_INVALID, &o->token,
                              is_cg ? "a cp.async.cg has 16 bytes"
                                    : "a cp.async.ca has 4, 8 or 16 bytes");
    *out = (uint32_t)bytes;
    return TG_OK;
}

/* cp.async.FORM [to], [from], bytes{, bytes that are read}{, policy} */
static tg_status decode_copy(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    bool is_cg, has_policy;
    tg_emu_cp_form f = {0, 0, 0};
    if (!take_form(s, &is_cg, &has_policy)) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    const bool has_read = s->operand_count - has_policy == 4;
    TG_TRY(tg_emu_want_operands(p, s, 3u + has_read + has_policy));
    TG_TRY(take_bytes(p, &s->operands[2], is_cg, &f.bytes));
    TG_TRY(tg_emu_address(p, &s->operands[0], TG_EMU_SHARED, f.bytes, inst));
    f.to = inst->immediate;
    const uint32_t flags = inst->flags & 1 ? TG_EMU_CP_NARROW : 0; /* as tg_emu_address says it */
    TG_TRY(tg_emu_address(p, &s->operands[1], TG_EMU_GLOBAL, f.bytes, inst));
    f.from = inst->immediate;
    inst->flags = flags;
    if (has_read)
        TG_TRY(tg_emu_in(p, &s->operands[3], TG_EMU_B32, inst));
    else
        TG_TRY(tg_emu_constant_slot(p, f.bytes, sizeof f.bytes, &inst->in[inst->in_count++]));
    if (has_policy) TG_TRY(tg_emu_take_policy(p, &s->operands[s->operand_count - 1]));
    inst->exec = tg_emu_exec_cp_async;
    inst->data = tg_arena_copy(&p->module->arena, &f, sizeof f);
    return inst->data ? TG_OK : tg_emu_no_memory(p);
}

tg_status tg_emu_decode_copy(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    const bool reduces = tg_emu_take(s, "reduce");
    if (!tg_emu_take(s, "async")) return tg_emu_unknown(p, s);
    if (tg_emu_take(s, "bulk")) return tg_emu_decode_bulk(p, s, reduces, inst);
    if (reduces) return tg_emu_unknown(p, s);
    if (tg_emu_take(s, "wait_group")) return decode_wait(p, s, false, inst);
    if (tg_emu_take(s, "wait_all")) return decode_wait(p, s, true, inst);
    if (!tg_emu_take(s, "commit_group")) return decode_copy(p, s, inst);
    inst->exec = tg_emu_exec_cp_async_commit;
    TG_TRY(tg_emu_all_taken(p, s));
    return tg_emu_want_operands(p, s, 0);
}
