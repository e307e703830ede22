#include "emulator/cp_async.h"

#include <stdlib.h>

#include "base/list.h"
#include "emulator/find.h"
#include "emulator/spin.h"

/* ---- taking place ---- */

static void set_state(const tg_emu_cp_copy *c, unsigned char state)
{
    memset(c->state, state, c->bytes);
}

static tg_emu_step take_place(tg_emu_exec *exec, const tg_emu_cp_copy *c)
{
    const unsigned char *from = NULL;
    set_state(c, TG_EMU_SHARED_DEFINED);
    if (c->read_bytes) {
        from = tg_emu_find_address(exec, c->inst, c->lane, TG_EMU_GLOBAL, c->from, c->read_bytes,
                                   TG_EMU_READ);
        if (!from) return TG_EMU_TRAPPED;
    }
    unsigned char *to =
        tg_emu_find_address(exec, c->inst, c->lane, TG_EMU_SHARED, c->to, c->bytes, TG_EMU_WRITE);
    if (!to) return TG_EMU_TRAPPED;
    memset(to, 0, c->bytes);
    if (from) memcpy(to, from, c->read_bytes);
    tg_emu_spin_changed(exec);
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_cp_async_wait(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_cp_list *l = &exec->copies;
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        const tg_emu_cp_copy *c = &l->list[i];
        const bool is_own = c->warp == exec->warp && mask >> c->lane & 1,
                   is_all = inst->immediate == TG_EMU_CP_WAIT_ALL;
        if (is_own &&
            (is_all || c->group + (uint64_t)inst->immediate < exec->warp->copy_groups[c->lane])) {
            if (take_place(exec, c) != TG_EMU_ON) return TG_EMU_TRAPPED;
        } else {
            l->list[kept++] = *c;
        }
    }
    l->count = kept;
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_cp_async_commit(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    (void)inst;
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1) exec->warp->copy_groups[lane]++;
    return TG_EMU_ON;
}

void tg_emu_cp_async_end_cta(tg_emu_exec *exec, const tg_emu_cta *cta)
{
    size_t kept = 0;
    for (size_t i = 0; i < exec->copies.count; i++)
        if (exec->copies.list[i].warp->cta != cta) exec->copies.list[kept++] = exec->copies.list[i];
    exec->copies.count = kept;
}

void tg_emu_cp_async_free(tg_emu_exec *exec)
{
    free(exec->copies.list);
    exec->copies = (tg_emu_cp_list){0};
}

/* ---- starting ---- */

/* The access is checked, and is one of the thread's, both here and where the copy takes place. */
static tg_emu_step start(tg_emu_exec *exec, tg_emu_cp_copy *c)
{
    tg_emu_cp_list *l = &exec->copies;
    if (c->read_bytes && !tg_emu_find_address(exec, c->inst, c->lane, TG_EMU_GLOBAL, c->from,
                                              c->read_bytes, TG_EMU_READ))
        return TG_EMU_TRAPPED;
    const unsigned char *to =
        tg_emu_find_address(exec, c->inst, c->lane, TG_EMU_SHARED, c->to, c->bytes, TG_EMU_WRITE);
    if (!to) return TG_EMU_TRAPPED;
    tg_emu_cp_copy *list = tg_list_grow(l->list, l->count, &l->capacity, sizeof *list);
    if (!list) {
        exec->no_memory = true;
        return TG_EMU_TRAPPED;
    }
    l->list = list;
    c->state = c->warp->cta->shared_state + (to - c->warp->cta->shared);
    set_state(c, TG_EMU_SHARED_IN_FLIGHT);
    list[l->count++] = *c;
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_cp_async(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const tg_emu_cp_form *f = inst->data;
    const void *to = tg_emu_at(exec, &inst->in[0]);
    const uint64_t *from = tg_emu_at(exec, &inst->in[1]);
    const uint32_t *read = tg_emu_at(exec, &inst->in[2]);
    const unsigned width = inst->flags & TG_EMU_CP_NARROW ? 4 : 8;
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        tg_emu_cp_copy c = {.inst = inst,
                            .warp = exec->warp,
                            .lane = lane,
                            .group = exec->warp->copy_groups[lane],
                            .to = tg_emu_lane_bits(to, width, lane) + (uint64_t)f->to,
                            .from = from[lane] + (uint64_t)f->from,
                            .bytes = f->bytes,
                            .read_bytes = read[lane] < f->bytes ? read[lane] : f->bytes};
        if (start(exec, &c) != TG_EMU_ON) return TG_EMU_TRAPPED;
    }
    return TG_EMU_ON;
}
