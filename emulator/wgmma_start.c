/* wgmma.mma_async: what is checked when a product starts. */
#include "base/list.h"
#include "emulator/trapping.h"
#include "emulator/warp.h"
#include "emulator/warpgroup.h"
#include "emulator/wgmma.h"
#include "emulator/wgmma_form.h"
#include "emulator/wgmma_part.h"

enum { REGISTER_BYTES = 4 * TG_EMU_LANES };

static tg_emu_step trap(tg_emu_exec *exec, const tg_emu_inst *inst, const char *what)
{
    return tg_emu_trap_at(exec, inst, TG_EMU_ALL, TG_EMU_TRAP_WGMMA, "%s", what);
}

/* The latest part in flight that sums in the register; NULL: none. */
static const tg_emu_wgmma_part *latest_with(const tg_emu_wgmma_warp *warp, uint32_t reg)
{
    for (size_t i = warp->count; i > 0 && warp->in_flight[reg]; i--) {
        const tg_emu_wgmma_form *f = warp->parts[i - 1].inst->data;
        for (uint32_t k = 0; k < f->sum_count; k++)
            if (f->sum[k].reg == reg) return &warp->parts[i - 1];
    }
    return NULL;
}

static bool is_fenced(const tg_emu_exec *exec, const tg_emu_slot *slot)
{
    const tg_emu_wgmma_warp *warp = tg_emu_wgmma_of(exec);
    return slot->bank != TG_EMU_FRAME ||
           memcmp(warp->fenced + slot->offset, tg_emu_at(exec, slot), REGISTER_BYTES) == 0;
}

static tg_emu_step check_sum(tg_emu_exec *exec, const tg_emu_inst *inst, bool adds)
{
    const tg_emu_wgmma_form *f = inst->data;
    const tg_emu_wgmma_warp *warp = tg_emu_wgmma_of(exec);
    for (uint32_t i = 0; i < f->sum_count; i++) {
        const uint32_t reg = f->sum[i].reg;
        const tg_emu_wgmma_part *other = latest_with(warp, reg);
        const tg_emu_wgmma_form *of = other ? other->inst->data : NULL;
        if (of && of->sum_count == f->sum_count && of->result == f->result && of->sum[i].reg == reg)
            continue;
        if (of)
            return tg_emu_wgmma_trap_register(
                exec, inst, reg, TG_EMU_TRAP_WGMMA,
                "belongs to a product in flight whose sum is another one");
        if (adds && exec->defined[reg] != TG_EMU_ALL)
            return tg_emu_wgmma_trap_register(exec, inst, reg, TG_EMU_TRAP_UNINITIALISED_REGISTER,
                                              "has not been written");
        if (!is_fenced(exec, &f->sum[i]))
            return tg_emu_wgmma_trap_register(exec, inst, reg, TG_EMU_TRAP_WGMMA,
                                              "has changed since the last wgmma.fence");
    }
    return TG_EMU_ON;
}

static tg_emu_step check_lhs(tg_emu_exec *exec, const tg_emu_inst *inst)
{
    const tg_emu_wgmma_form *f = inst->data;
    for (unsigned i = 0; f->in_registers && i < TG_EMU_WGMMA_LHS_REGISTERS; i++)
        if (!is_fenced(exec, &inst->in[TG_EMU_WGMMA_LHS + i]))
            return tg_emu_wgmma_trap_register(exec, inst, inst->in[TG_EMU_WGMMA_LHS + i].reg,
                                              TG_EMU_TRAP_WGMMA,
                                              "has changed since the last wgmma.fence");
    return TG_EMU_ON;
}

/* The value that all lanes have; *differs is set if they have several. */
static uint64_t common(const tg_emu_exec *exec, const tg_emu_slot *slot, bool *differs)
{
    const uint64_t *lanes = tg_emu_at(exec, slot);
    for (unsigned lane = 1; lane < TG_EMU_LANES; lane++) *differs |= lanes[lane] != lanes[0];
    return lanes[0];
}

/* What all threads of the warp have in common. */
static tg_emu_step read_operands(tg_emu_exec *exec, const tg_emu_inst *inst, tg_emu_wgmma_step *out)
{
    const tg_emu_wgmma_form *f = inst->data;
    const uint32_t truth = *(const uint32_t *)tg_emu_at(exec, &inst->in[TG_EMU_WGMMA_ADDS]);
    bool differs = truth != 0 && truth != TG_EMU_ALL;
    out->inst = inst;
    out->adds = truth != 0;
    out->rhs = common(exec, &inst->in[TG_EMU_WGMMA_RHS], &differs);
    if (!f->in_registers) out->lhs = common(exec, &inst->in[TG_EMU_WGMMA_LHS], &differs);
    if (!differs) return TG_EMU_ON;
    return tg_emu_trap_at(exec, inst, TG_EMU_ALL, TG_EMU_TRAP_DIVERGENT_SYNC,
                          "the threads of the warp have different operands: a descriptor, or "
                          "whether the sum is read");
}

static tg_emu_step read_descriptors(tg_emu_exec *exec, const tg_emu_wgmma_step *step,
                                    tg_emu_wgmma_part *part)
{
    const tg_emu_wgmma_form *f = step->inst->data;
    const char *wrong = tg_emu_smem_read(step->rhs, 0, &part->rhs);
    if (!wrong && !f->in_registers) wrong = tg_emu_smem_read(step->lhs, 0, &part->lhs);
    return wrong ? trap(exec, step->inst, wrong) : TG_EMU_ON;
}

/* The parts of a group are one actor, so that few are in flight. */
static uint32_t actor_of(tg_emu_exec *exec, const tg_emu_wgmma_warp *warp)
{
    tg_emu_clocks *c = &exec->sync.clocks;
    const tg_emu_wgmma_part *last = warp->count > 1 ? &warp->parts[warp->count - 2] : NULL;
    const uint32_t first = exec->warp->first_tid;
    if (!last || last->group != warp->group)
        return tg_emu_new_actor(&exec->sync, first, TG_EMU_LANES);
    for (uint32_t lane = 0; lane < TG_EMU_LANES; lane++)
        tg_emu_clock_release(c, first + lane, tg_emu_clock(c, last->actor));
    return last->actor;
}

static tg_emu_step start(tg_emu_exec *exec, const tg_emu_wgmma_part *part)
{
    const tg_emu_wgmma_form *f = part->inst->data;
    tg_emu_wgmma_warp *warp = tg_emu_wgmma_of(exec);
    tg_emu_wgmma_part *list = tg_list_grow(warp->parts, warp->count, &warp->capacity, sizeof *list);
    if (!list) {
        exec->no_memory = true;
        return TG_EMU_TRAPPED;
    }
    warp->parts = list;
    tg_emu_wgmma_part *to = &list[warp->count++];
    *to = *part;
    to->group = warp->group;
    if (exec->sync.clocks.rows) to->actor = actor_of(exec, warp);
    for (unsigned i = 0; f->in_registers && i < TG_EMU_WGMMA_LHS_REGISTERS; i++)
        memcpy(to->registers[i], tg_emu_at(exec, &part->inst->in[TG_EMU_WGMMA_LHS + i]),
               REGISTER_BYTES);
    for (uint32_t i = 0; i < f->sum_count; i++) {
        warp->in_flight[f->sum[i].reg]++;
        exec->defined[f->sum[i].reg] = 0;
    }
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_wgmma(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_wgmma_step own = {0};
    tg_emu_wgmma_part part = {.inst = inst};
    tg_emu_step step = TG_EMU_ON;
    if (!tg_emu_whole_warp(exec, inst, mask, "wgmma", &step)) return step;
    if (!tg_emu_wgmma_of(exec)->fenced)
        return trap(exec, inst, "no wgmma.fence comes before the first product");
    step = read_operands(exec, inst, &own);
    if (step == TG_EMU_ON) step = tg_emu_warpgroup_execute(exec, &own);
    if (step == TG_EMU_ON) step = read_descriptors(exec, &own, &part);
    if (step == TG_EMU_ON) step = check_sum(exec, inst, own.adds);
    if (step == TG_EMU_ON) step = check_lhs(exec, inst);
    part.adds = own.adds;
    return step == TG_EMU_ON ? start(exec, &part) : step;
}
