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
    if (!tg_emu_clocks_begin(&s->clocks, threads + TG_EMU_COPY_ACTORS + TG_EMU_OTHER_ACTORS))
        return false;
    s->scratch = tg_emu_clocks_row(&s->clocks);
    s->cluster_gathering = tg_emu_clocks_row(&s->clocks);
    s->cluster_complete = tg_emu_clocks_row(&s->clocks);
    s->fenced = calloc(threads, sizeof *s->fenced);
    s->seen = calloc(threads, sizeof *s->seen);
    return s->scratch && s->cluster_gathering && s->cluster_complete && s->fenced && s->seen;
}

void tg_emu_sync_forget_rows(tg_emu_mbarrier *b)
{
    free(b->gathering);
    free(b->complete);
    free(b->gathering_wide);
    free(b->complete_wide);
}

static void forget_mbarriers(tg_emu_sync *s)
{
    for (size_t i = 0; i < s->mbarrier_count; i++) tg_emu_sync_forget_rows(&s->mbarriers[i]);
    s->mbarrier_count = 0;
}

static void forget_copies(tg_emu_sync *s)
{
    for (size_t i = 0; i < s->bulk_count; i++) {
        free(s->bulks[i].read);
        free(s->bulks[i].box);
    }
    s->bulk_count = 0;
    memset(s->holders, 0, sizeof s->holders);
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
    free(s->cluster_gathering);
    free(s->cluster_complete);
    free(s->mbarriers);
    free(s->bulks);
    free(s->groups);
}

static void clear_row(const tg_emu_sync *s, uint32_t *row)
{
    if (row) memset(row, 0, (size_t)2 * s->clocks.actors * sizeof *row);
}

void tg_emu_sync_begin_cluster(tg_emu_exec *exec)
{
    tg_emu_sync *s = &exec->sync;
    if (!exec->entry->is_partial) return;
    forget_mbarriers(s);
    forget_copies(s);
    forget_locations(s);
    memset(s->groups, 0, exec->warp_count * TG_EMU_LANES * sizeof *s->groups);
    tg_emu_history_free(&s->history);
    clear_row(s, s->cluster_gathering);
    clear_row(s, s->cluster_complete);
}

/* Makes the row of a new actor, which has nothing; returns the step that it would be at. */
static uint32_t begin_row(const tg_emu_clocks *c, uint32_t actor)
{
    uint32_t *row = tg_emu_clock(c, actor);
    const uint32_t step = row[actor] + 1;
    memset(row, 0, (size_t)2 * c->actors * sizeof *row);
    return step;
}

/* The number of a new actor: of one that nothing holds, if there is any. */
static uint32_t take_actor(tg_emu_sync *s, uint32_t *step)
{
    uint32_t number = s->next_actor++ % TG_EMU_OTHER_ACTORS;
    for (uint32_t i = 1; s->holders[TG_EMU_COPY_ACTORS + number] && i < TG_EMU_OTHER_ACTORS; i++)
        number = s->next_actor++ % TG_EMU_OTHER_ACTORS;
    const uint32_t actor = s->clocks.actors - TG_EMU_OTHER_ACTORS + number;
    *step = begin_row(&s->clocks, actor);
    return actor;
}

/* Its row says what it knows, of its own number what it knows of earlier actors. */
static void set_step(const tg_emu_clocks *c, uint32_t actor, uint32_t step)
{
    uint32_t *row = tg_emu_clock(c, actor);
    row[c->actors + actor] = row[actor];
    row[actor] = step;
}

uint32_t tg_emu_new_actor(tg_emu_sync *s, uint32_t first, uint32_t count)
{
    uint32_t step;
    const uint32_t actor = take_actor(s, &step);
    uint32_t *row = tg_emu_clock(&s->clocks, actor);
    for (uint32_t i = 0; i < count; i++) tg_emu_clock_release(&s->clocks, first + i, row);
    set_step(&s->clocks, actor, step);
    return actor;
}

static uint32_t first_copy_actor(const tg_emu_sync *s)
{
    return s->clocks.actors - TG_EMU_OTHER_ACTORS - TG_EMU_COPY_ACTORS;
}

/* The next number that no copy holds; TG_EMU_COPY_ACTORS: there is none. */
static uint32_t find_free(tg_emu_sync *s)
{
    for (uint32_t i = 0; i < TG_EMU_COPY_ACTORS; i++) {
        const uint32_t number = s->next_copy++ % TG_EMU_COPY_ACTORS;
        if (!s->holders[number]) return number;
    }
    return TG_EMU_COPY_ACTORS;
}

uint32_t tg_emu_new_copy_actor(tg_emu_sync *s, uint32_t first, uint32_t mask, uint32_t oldest)
{
    const uint32_t number = find_free(s);
    const bool is_new = number < TG_EMU_COPY_ACTORS;
    const uint32_t actor = is_new ? first_copy_actor(s) + number : oldest,
                   step = is_new ? begin_row(&s->clocks, actor) : 0;
    for (uint32_t lane = 0; lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1)
            tg_emu_clock_release(&s->clocks, first + lane, tg_emu_clock(&s->clocks, actor));
    if (is_new) set_step(&s->clocks, actor, step);
    return actor;
}

void tg_emu_hold_actor(tg_emu_sync *s, uint32_t actor)
{
    if (s->clocks.rows) s->holders[actor - first_copy_actor(s)]++;
}

void tg_emu_drop_actor(tg_emu_sync *s, uint32_t actor)
{
    if (s->clocks.rows) s->holders[actor - first_copy_actor(s)]--;
}

uint32_t tg_emu_new_actor_behind(tg_emu_sync *s, const uint32_t *known, const uint32_t *also)
{
    uint32_t step;
    const uint32_t actor = take_actor(s, &step);
    uint32_t *row = tg_emu_clock(&s->clocks, actor);
    tg_emu_clock_join(&s->clocks, row, known);
    if (also) tg_emu_clock_join(&s->clocks, row, also);
    set_step(&s->clocks, actor, step);
    return actor;
}
