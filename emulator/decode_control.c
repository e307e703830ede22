/* Branches, fences and exits. */
#include "emulator/decode_memory.h"
#include "emulator/decoders.h"
#include "emulator/fence.h"
#include "emulator/operands.h"
#include "emulator/warp.h"

tg_status tg_emu_decode_branch(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    inst->flags = tg_emu_take(s, "uni");
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 1));
    const tg_emu_operand *o = &s->operands[0];
    if (o->kind != TG_EMU_OPERAND_NAME || o->is_flipped || o->member.kind || o->second.kind)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &o->token, "expected a label");
    tg_emu_pending *list =
        tg_emu_grow(&p->scratch, p->pending, p->pending_count, &p->pending_capacity, sizeof *list);
    if (!list) return tg_emu_no_memory(p);
    p->pending = list;
    list[p->pending_count++] = (tg_emu_pending){o->token, (uint32_t)p->entry->code_count};
    inst->exec = tg_emu_exec_branch;
    inst->is_control = true;
    return TG_OK;
}

tg_status tg_emu_decode_exit(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 0));
    inst->exec = tg_emu_exec_exit;
    return TG_OK;
}

/* In a function: a branch to the end of its body, which is not known yet. */
tg_status tg_emu_decode_return(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    const bool is_uniform = tg_emu_take(s, "uni");
    if (!p->inlined) return tg_emu_decode_exit(p, s, inst);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 0));
    inst->flags = is_uniform;
    inst->exec = tg_emu_exec_branch;
    inst->is_control = true;
    inst->target = p->inlined->last_return;
    p->inlined->last_return = (uint32_t)p->entry->code_count;
    return TG_OK;
}

tg_status tg_emu_decode_trap(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 0));
    inst->exec = tg_emu_exec_trap;
    return TG_OK;
}

/* fence.proxy.tensormap::generic.release.SCOPE, .acquire.SCOPE [map], 128: tensor maps are read as threads read, so that
 * it is a fence like others. */
static tg_status decode_tensormap_fence(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    const bool acquires = tg_emu_take(s, "acquire");
    inst->exec = tg_emu_exec_fence;
    if ((!acquires && !tg_emu_take(s, "release")) || !tg_emu_take_scope(s))
        return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, acquires ? 2 : 0));
    return acquires ? tg_emu_address(p, &s->operands[0], TG_EMU_GLOBAL, 1, inst) : TG_OK;
}

/* membar.{cta,gl,sys}, fence.{acq_rel,sc}.{cta,cluster,gpu,sys}, fence.proxy.async{.shared::cta,
 * .shared::cluster}, fence.mbarrier_init.release.cluster */
tg_status tg_emu_decode_fence(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    const bool is_old = s->opcode.length == 6, is_proxy = !is_old && tg_emu_take(s, "proxy");
    inst->exec = is_proxy ? tg_emu_exec_fence_proxy : tg_emu_exec_fence;
    if (is_proxy && tg_emu_take(s, "tensormap::generic")) return decode_tensormap_fence(p, s, inst);
    if (is_proxy) {
        if (!tg_emu_take(s, "async")) return tg_emu_unknown(p, s);
        if (!tg_emu_take(s, "shared::cta")) (void)tg_emu_take(s, "shared::cluster");
    } else if (!is_old && tg_emu_take(s, "mbarrier_init")) {
        if (!tg_emu_take(s, "release") || !tg_emu_take(s, "cluster")) return tg_emu_unknown(p, s);
    } else {
        if (!is_old && !tg_emu_take(s, "acq_rel") && !tg_emu_take(s, "sc"))
            return tg_emu_unknown(p, s);
        const bool has_scope =
            is_old ? tg_emu_take(s, "cta") || tg_emu_take(s, "gl") || tg_emu_take(s, "sys")
                   : tg_emu_take_scope(s);
        if (!has_scope) return tg_emu_unknown(p, s);
    }
    TG_TRY(tg_emu_all_taken(p, s));
    return tg_emu_want_operands(p, s, 0);
}
