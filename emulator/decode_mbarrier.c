/* The instructions mbarrier. */
#include "emulator/decode_memory.h"
#include "emulator/decoders.h"
#include "emulator/mbarrier.h"
#include "emulator/memory_flags.h"
#include "emulator/operands.h"

enum { BYTES = 8 };

/* {.sem.{cta, cluster}}: the order that the instruction has anyway, and its scope. */
static bool take_order(tg_emu_statement *s, const char *order, tg_emu_inst *inst)
{
    if (!tg_emu_take(s, order) || tg_emu_take(s, "cta")) return true;
    inst->flags |= TG_EMU_MBARRIER_WIDE;
    return tg_emu_take(s, "cluster");
}

/* .shared{::cta}.b64 or, for arrivals and bytes, .shared::cluster.b64; then nothing */
static tg_status take_end(tg_emu_parser *p, tg_emu_statement *s, bool may_be_far, tg_emu_inst *inst)
{
    const bool is_far = may_be_far && tg_emu_take(s, "shared::cluster");
    if (is_far) inst->flags |= TG_EMU_MEMORY_CLUSTER;
    if (!is_far && !tg_emu_take(s, "shared") && !tg_emu_take(s, "shared::cta"))
        return tg_emu_unknown(p, s);
    if (!tg_emu_take(s, "b64")) return tg_emu_unknown(p, s);
    return tg_emu_all_taken(p, s);
}

static tg_status address(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_inst *inst)
{
    inst->flags |= TG_EMU_MEMORY_OF(TG_EMU_SHARED, BYTES, 1);
    return tg_emu_address(p, o, TG_EMU_SHARED, BYTES, inst);
}

static tg_status count(tg_emu_parser *p, const tg_emu_operand *o, tg_emu_inst *inst)
{
    return tg_emu_in(p, o, TG_EMU_U32, inst);
}

/* mbarrier.init.shared.b64 [a], count; also expect_tx and complete_tx */
static tg_status decode_plain(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst,
                              tg_emu_exec_fn *exec)
{
    TG_TRY(take_end(p, s, exec != tg_emu_exec_mbarrier_init, inst));
    TG_TRY(tg_emu_want_operands(p, s, 2));
    TG_TRY(address(p, &s->operands[0], inst));
    inst->exec = exec;
    return count(p, &s->operands[1], inst);
}

static tg_status decode_inval(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    TG_TRY(take_end(p, s, false, inst));
    TG_TRY(tg_emu_want_operands(p, s, 1));
    inst->exec = tg_emu_exec_mbarrier_inval;
    return address(p, &s->operands[0], inst);
}

/* mbarrier.arrive{.expect_tx}{.release.SCOPE}.shared.b64 _, [a]{, count} */
static tg_status decode_arrive(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    const bool expects = tg_emu_take(s, "expect_tx");
    if (!take_order(s, "release", inst)) return tg_emu_unknown(p, s);
    TG_TRY(take_end(p, s, true, inst));
    const bool has_count = expects || s->operand_count == 3;
    TG_TRY(tg_emu_want_operands(p, s, has_count ? 3 : 2));
    if (s->operands[0].kind != TG_EMU_OPERAND_SINK)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &s->operands[0].token,
                              "the state of an mbarrier: write _ instead");
    TG_TRY(address(p, &s->operands[1], inst));
    inst->exec = expects ? tg_emu_exec_mbarrier_arrive_expect : tg_emu_exec_mbarrier_arrive;
    if (has_count) return count(p, &s->operands[2], inst);
    return tg_emu_constant_slot(p, 1, sizeof(uint32_t), &inst->in[inst->in_count++]);
}

/* mbarrier.{test_wait, try_wait}.parity{.acquire.SCOPE}.shared.b64 p, [a], parity */
static tg_status decode_wait(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst,
                             tg_emu_exec_fn *exec)
{
    if (!tg_emu_take(s, "parity") || !take_order(s, "acquire", inst)) return tg_emu_unknown(p, s);
    TG_TRY(take_end(p, s, false, inst));
    TG_TRY(tg_emu_want_operands(p, s, 3));
    TG_TRY(tg_emu_out(p, &s->operands[0], TG_EMU_PRED, inst));
    TG_TRY(address(p, &s->operands[1], inst));
    inst->exec = exec;
    return count(p, &s->operands[2], inst);
}

tg_status tg_emu_decode_mbarrier(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    p->entry->is_partial = true;
    if (tg_emu_take(s, "init")) return decode_plain(p, s, inst, tg_emu_exec_mbarrier_init);
    if (tg_emu_take(s, "inval")) return decode_inval(p, s, inst);
    if (tg_emu_take(s, "arrive")) return decode_arrive(p, s, inst);
    if (tg_emu_take(s, "test_wait")) return decode_wait(p, s, inst, tg_emu_exec_mbarrier_test);
    if (tg_emu_take(s, "try_wait")) return decode_wait(p, s, inst, tg_emu_exec_mbarrier_wait);
    const bool expects = tg_emu_take(s, "expect_tx");
    if ((!expects && !tg_emu_take(s, "complete_tx")) || !take_order(s, "relaxed", inst))
        return tg_emu_unknown(p, s);
    return decode_plain(p, s, inst,
                        expects ? tg_emu_exec_mbarrier_expect : tg_emu_exec_mbarrier_complete);
}
