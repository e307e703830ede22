#include "emulator/sync.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/exec.h"

bool tg_emu_sync_begin(tg_emu_exec *exec)
{
    tg_emu_sync *s = &exec->sync;
    const uint32_t threads = exec->warp_count * TG_EMU_LANES;
    if (!exec->entry->is_partial) return true;
    s->groups = calloc(threads, sizeof *s->groups);
    if (!s->groups) return false;
    if (!exec->launch->races) return true;
    if (!tg_emu_clocks_begin(&s->clocks, threads + TG_EMU_COPY_ACTORS)) return false;
    s->scratch = tg_emu_clocks_row(&s->clocks);
    s->fenced = calloc(threads, sizeof *s->fenced);
    return s->scratch && s->fenced;
}

static void forget_mbarriers(tg_emu_sync *s)
{
    for (size_t i = 0; i < s->mbarrier_count; i++) {
        free(s->mbarriers[i].gathering);
        free(s->mbarriers[i].complete);
    }
    s->mbarrier_count = 0;
}

static void forget_copies(tg_emu_sync *s)
{
    for (size_t i = 0; i < s->bulk_count; i++) free(s->bulks[i].read);
    s->bulk_count = 0;
}

void tg_emu_sync_end(tg_emu_exec *exec)
{
    tg_emu_sync *s = &exec->sync;
    forget_mbarriers(s);
    forget_copies(s);
    for (uint32_t t = 0; s->fenced && t < exec->warp_count * TG_EMU_LANES; t++) free(s->fenced[t]);
    free(s->fenced);
    tg_emu_history_free(&s->history);
    tg_emu_clocks_end(&s->clocks);
    free(s->scratch);
    free(s->mbarriers);
    free(s->bulks);
    free(s->groups);
}

void tg_emu_sync_begin_cta(tg_emu_exec *exec)
{
    tg_emu_sync *s = &exec->sync;
    if (!exec->entry->is_partial) return;
    forget_mbarriers(s);
    forget_copies(s);
    memset(s->groups, 0, exec->warp_count * TG_EMU_LANES * sizeof *s->groups);
    tg_emu_history_free(&s->history);
}

void tg_emu_sync_fence(tg_emu_exec *exec, uint32_t thread)
{
    tg_emu_sync *s = &exec->sync;
    if (!s->clocks.rows) return;
    if (!s->fenced[thread]) s->fenced[thread] = tg_emu_clocks_row(&s->clocks);
    if (s->fenced[thread])
        tg_emu_clock_release(&s->clocks, thread, s->fenced[thread]);
    else
        exec->no_memory = true;
}
