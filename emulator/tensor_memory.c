#include "emulator/tensor_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emulator/trapping.h"

tg_emu_tensor_memory *tg_emu_tensor_memory_of(tg_emu_exec *exec)
{
    tg_emu_tensor_memory ***list = &exec->tensor.memories, **own = NULL;
    if (!*list) *list = calloc(exec->cta_count, sizeof **list);
    if (*list) own = &(*list)[exec->warp->cta->rank];
    if (own && !*own) *own = calloc(1, sizeof **own);
    if (!own || !*own) exec->no_memory = true;
    return own ? *own : NULL;
}

void tg_emu_tensor_memory_forget(tg_emu_exec *exec)
{
    tg_emu_tensor_memory **list = exec->tensor.memories;
    for (uint32_t i = 0; list && i < exec->cta_count; i++) {
        free(list[i]);
        list[i] = NULL;
    }
}

bool tg_emu_tensor_check(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                         const tg_emu_tensor_part *p)
{
    const tg_emu_tensor_memory *m = tg_emu_tensor_memory_of(exec);
    const uint32_t end = p->column + p->columns;
    if (!m) return false;
    if (p->lane + p->lanes > TG_EMU_TENSOR_LANES || end > TG_EMU_TENSOR_COLUMNS) {
        tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_TENSOR,
                       "lanes %" PRIu32 " to %" PRIu32 " of columns %" PRIu32 " to %" PRIu32
                       ", and there are 128 lanes of 512 columns",
                       p->lane, p->lane + p->lanes - 1, p->column, end - 1);
        return false;
    }
    for (uint32_t c = p->column; c < end; c++) {
        if (m->owner[c] && m->owner[c] == m->owner[p->column]) continue;
        tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_TENSOR,
                       m->owner[c] ? "an access reaches column %" PRIu32 " of another allocation"
                                   : "an access reaches column %" PRIu32 ", which is not allocated",
                       c);
        return false;
    }
    return true;
}

static bool trap_race(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, uint32_t at_lane,
                      uint32_t column, const tg_emu_visit *other)
{
    tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_TENSOR_RACE,
                   "two accesses of column %" PRIu32 " from lane %" PRIu32
                   " on in no order, and at least one writes",
                   column, at_lane);
    exec->result->trap.has_other = true;
    tg_emu_place_inst(exec, &exec->entry->code[other->inst], &exec->result->trap.other);
    tg_emu_place_thread(exec, other->thread, &exec->result->trap.other);
    return false;
}

/* No instruction takes fewer lanes together than 16, so they have one history. */
static bool note(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                 const tg_emu_tensor_part *p, const tg_emu_visit *visit)
{
    enum { TOGETHER = 16, WORD = 4 };
    const uint64_t space = UINT64_C(1) << 62;
    const uint32_t slabs = exec->warp->cta->rank * (TG_EMU_TENSOR_LANES / TOGETHER);
    tg_emu_sync *s = &exec->sync;
    for (uint32_t l = p->lane; s->clocks.rows && l < p->lane + p->lanes; l += TOGETHER)
        for (uint32_t c = p->column; c < p->column + p->columns; c++) {
            const uint64_t cell = (uint64_t)(l / TOGETHER + slabs) * TG_EMU_TENSOR_COLUMNS + c;
            const tg_emu_visit *other = tg_emu_history_note(
                &s->history, &s->clocks, space | cell * WORD, WORD, visit, &exec->no_memory);
            if (exec->no_memory) return false;
            if (other) return trap_race(exec, inst, lane, l, c, other);
        }
    return true;
}

static bool is_defined(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                       const tg_emu_tensor_part *p)
{
    for (uint32_t l = p->lane; l < p->lane + p->lanes; l++)
        for (uint32_t c = p->column; c < p->column + p->columns; c++) {
            if (tg_emu_tensor_memory_of(exec)->is_defined[l][c]) continue;
            tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_UNINITIALISED_TENSOR,
                           "nothing has written lane %" PRIu32 " of column %" PRIu32, l, c);
            return false;
        }
    return true;
}

bool tg_emu_tensor_access(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                          const tg_emu_tensor_part *p, const tg_emu_visit *visit)
{
    if (!tg_emu_tensor_check(exec, inst, lane, p) || !note(exec, inst, lane, p, visit))
        return false;
    if (visit->touch == TG_EMU_READ) return is_defined(exec, inst, lane, p);
    for (uint32_t l = p->lane; l < p->lane + p->lanes; l++)
        memset(&tg_emu_tensor_memory_of(exec)->is_defined[l][p->column], true,
               p->columns * sizeof(bool));
    return true;
}
