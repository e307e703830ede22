#include "emulator/epoch.h"

#include <stdlib.h>

static void forget_accesses(tg_emu_exec *exec)
{
    for (size_t i = 1; i < exec->memory->count; i++)
        tg_emu_shadow_free(&exec->memory->blocks[i].shadow);
    for (size_t i = 0; i < exec->module->block_count; i++)
        tg_emu_shadow_free(&exec->module->blocks[i].shadow);
    tg_emu_shadow_free(&exec->shared_shadow);
    exec->memory->epoch = 0;
    exec->epochs = (tg_emu_epochs){0, 0, 0};
    exec->start_count = 0;
}

void tg_emu_epoch_begin(tg_emu_exec *exec, bool is_new_cta)
{
    if (exec->memory->epoch == UINT32_MAX) forget_accesses(exec);
    exec->epochs.now = ++exec->memory->epoch;
    if (is_new_cta || exec->epochs.own == 0) exec->epochs.own = exec->epochs.now;
    if (exec->launch->cta_races && exec->epochs.since == 0) exec->epochs.since = exec->epochs.own;
}

bool tg_emu_epoch_note_start(tg_emu_exec *exec, uint64_t number)
{
    if (!exec->launch->cta_races) return true;
    uint64_t count = exec->start_count;
    if ((count & (count - 1)) == 0) { /* full: capacities are powers of two */
        void *wider = realloc(exec->starts, (count ? 2 * count : 1) * sizeof *exec->starts);
        if (!wider) return false;
        exec->starts = wider;
    }
    exec->starts[exec->start_count++] = (struct tg_emu_cta_start){exec->epochs.now, number};
    return true;
}
