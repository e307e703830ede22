/* Instructions that change nothing: createpolicy, prefetch, nanosleep. */
#include "emulator/decode_memory.h"
#include "emulator/decoders.h"
#include "emulator/operands.h"

/* createpolicy.fractional.L2::evict_last{.L2::evict_unchanged}.b64 policy, fraction: the policy is a number that
 * only caches know. */
tg_status tg_emu_decode_policy(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    static const char *const policies[] = {"L2::evict_last", "L2::evict_normal", "L2::evict_first",
                                           "L2::evict_unchanged"};
    bool is_known = false;
    if (!tg_emu_take(s, "fractional")) return tg_emu_unknown(p, s);
    for (unsigned level = 0; level < 2; level++)
        for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
            if (tg_emu_take(s, policies[i])) {
                is_known = true;
                break;
            }
    if (!is_known || !tg_emu_take(s, "b64")) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, s->operand_count == 2 ? 2 : 1));
    inst->exec = tg_emu_form_find(p->isa, "mov.b64")->exec;
    TG_TRY(tg_emu_out(p, &s->operands[0], TG_EMU_B64, inst));
    return tg_emu_constant_slot(p, 0, sizeof(uint64_t), &inst->in[inst->in_count++]);
}

static tg_emu_step exec_nothing(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    (void)exec, (void)inst, (void)mask;
    return TG_EMU_ON;
}

/* prefetch{.global}.{L1, L2} [a] */
tg_status tg_emu_decode_prefetch(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (!tg_emu_take(s, "global") || (!tg_emu_take(s, "L1") && !tg_emu_take(s, "L2")))
        return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 1));
    inst->exec = exec_nothing;
    return tg_emu_address(p, &s->operands[0], TG_EMU_GLOBAL, 1, inst);
}

/* nanosleep.u32 t */
tg_status tg_emu_decode_nanosleep(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (!tg_emu_take(s, "u32")) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 1));
    inst->exec = exec_nothing;
    return tg_emu_in(p, &s->operands[0], TG_EMU_U32, inst);
}
