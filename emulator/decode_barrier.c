/* Barriers: bar, barrier and bar.warp. */
#include "emulator/barrier.h"
#include "emulator/decode_cluster.h"
#include "emulator/decoders.h"
#include "emulator/operands.h"

/* bar.warp.sync MASK */
static tg_status decode_warp_barrier(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (!tg_emu_take(s, "sync")) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 1));
    TG_TRY(tg_emu_in(p, &s->operands[0], TG_EMU_B32, inst));
    p->entry->is_partial = true;
    inst->exec = tg_emu_exec_warp_barrier;
    return TG_OK;
}

/* bar{.cta}.sync N{, THREADS}; barrier{.cta}.sync{.aligned} N{, THREADS} */
tg_status tg_emu_decode_barrier(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    const bool is_short = s->opcode.length == 3;
    if (is_short && tg_emu_take(s, "warp")) return decode_warp_barrier(p, s, inst);
    if (!is_short && tg_emu_take(s, "cluster")) return tg_emu_decode_cluster_barrier(p, s, inst);
    (void)tg_emu_take(s, "cta");
    if (!tg_emu_take(s, "sync")) return tg_emu_unknown(p, s);
    if (!is_short) (void)tg_emu_take(s, "aligned");
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, s->operand_count == 2 ? 2 : 1));
    for (size_t i = 0; i < s->operand_count; i++)
        TG_TRY(tg_emu_in(p, &s->operands[i], TG_EMU_U32, inst));
    uint64_t number = 1; /* of a register: not known to be 0 */
    if (s->operands[0].kind == TG_EMU_OPERAND_NUMBER)
        TG_TRY(tg_emu_number_bits(p, &s->operands[0], TG_EMU_U32, &number));
    if (number || s->operand_count == 2) p->entry->is_partial = true;
    inst->exec = tg_emu_exec_barrier;
    inst->is_control = true;
    return TG_OK;
}
