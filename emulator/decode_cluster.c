/* The instruction mapa, and the barrier of a cluster. */
#include "emulator/decode_cluster.h"

#include "emulator/cluster.h"
#include "emulator/cluster_barrier.h"
#include "emulator/decoders.h"
#include "emulator/operands.h"

/* mapa.shared::cluster.{u32, u64} address, address of .shared::cta, rank */
tg_status tg_emu_decode_mapa(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (!tg_emu_take(s, "shared::cluster")) return tg_emu_unknown(p, s);
    const bool is_wide = tg_emu_take(s, "u64");
    if (!is_wide && !tg_emu_take(s, "u32")) return tg_emu_unknown(p, s);
    const tg_emu_type type = is_wide ? TG_EMU_U64 : TG_EMU_U32;
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 3));
    TG_TRY(tg_emu_out(p, &s->operands[0], type, inst));
    TG_TRY(tg_emu_in(p, &s->operands[1], type, inst));
    TG_TRY(tg_emu_in(p, &s->operands[2], TG_EMU_U32, inst));
    p->entry->is_partial = true;
    inst->flags = is_wide ? TG_EMU_MAPA_WIDE : 0;
    inst->exec = tg_emu_exec_mapa;
    return TG_OK;
}

tg_status tg_emu_decode_cluster_barrier(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    const bool arrives = tg_emu_take(s, "arrive");
    if (!arrives && !tg_emu_take(s, "wait")) return tg_emu_unknown(p, s);
    if (arrives && tg_emu_take(s, "relaxed"))
        inst->flags |= TG_EMU_CLUSTER_RELAXED;
    else
        (void)tg_emu_take(s, arrives ? "release" : "acquire");
    if (tg_emu_take(s, "aligned")) inst->flags |= TG_EMU_CLUSTER_ALIGNED;
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 0));
    p->entry->is_partial = true;
    inst->exec = arrives ? tg_emu_exec_cluster_arrive : tg_emu_exec_cluster_wait;
    return TG_OK;
}
