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
    s->seen = calloc(threads, sizeof *s->seen);
    return s->scratch && s->fenced && s->seen;
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

static void forget_locations(tg_emu_sync *s)
{
    for (size_t i = 0; i < s->location_count; i++) free(s->locations[i].row);
    s->location_count = 0;
}

static void forget_rows(uint32_t **rows, uint32_t count)
{
    for (uint32_t i = 0; rows && i < count; i++) {
        free(rows[i]);
        rows[i] = NULL;
    }
}

void tg_emu_sync_end(tg_emu_exec *exec)
{
    tg_emu_sync *s = &exec->sync;
    forget_mbarriers(s);
    forget_copies(s);
    forget_locations(s);
    forget_rows(s->fenced, exec->warp_count * TG_EMU_LANES);
    forget_rows(s->seen, exec->warp_count * TG_EMU_LANES);
    free(s->fenced);
    free(s->seen);
    free(s->locations);
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
    forget_locations(s);
    memset(s->groups, 0, exec->warp_count * TG_EMU_LANES * sizeof *s->groups);
    tg_emu_history_free(&s->history);
}
