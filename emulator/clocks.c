#include "emulator/clocks.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32 };

bool tg_emu_clocks_begin(tg_emu_clocks *c, uint32_t actors)
{
    c->actors = actors;
    c->rows = calloc((size_t)actors * 2 * actors, sizeof *c->rows);
    if (!c->rows) return false;
    for (uint32_t a = 0; a < actors; a++) tg_emu_clock(c, a)[a] = 1;
    return true;
}

void tg_emu_clocks_end(tg_emu_clocks *c)
{
    free(c->rows);
    c->rows = NULL;
}

uint32_t *tg_emu_clocks_row(const tg_emu_clocks *c)
{
    return calloc((size_t)2 * c->actors, sizeof(uint32_t));
}

void tg_emu_clock_join(const tg_emu_clocks *c, uint32_t *to, const uint32_t *from)
{
    for (uint32_t i = 0; i < 2 * c->actors; i++)
        if (from[i] > to[i]) to[i] = from[i];
}

void tg_emu_clock_release(const tg_emu_clocks *c, uint32_t actor, uint32_t *row)
{
    tg_emu_clock_join(c, row, tg_emu_clock(c, actor));
    tg_emu_clock(c, actor)[actor]++;
}

void tg_emu_clock_acquire(const tg_emu_clocks *c, uint32_t actor, const uint32_t *row)
{
    tg_emu_clock_join(c, tg_emu_clock(c, actor), row);
}

void tg_emu_clock_meet(const tg_emu_clocks *c, uint32_t first, const uint32_t *masks,
                       uint32_t warps, uint32_t *scratch)
{
    memset(scratch, 0, (size_t)2 * c->actors * sizeof *scratch);
    for (uint32_t t = 0; t < warps * LANES; t++)
        if (masks[t / LANES] >> t % LANES & 1)
            tg_emu_clock_join(c, scratch, tg_emu_clock(c, first + t));
    for (uint32_t t = 0; t < warps * LANES; t++) {
        if (!(masks[t / LANES] >> t % LANES & 1)) continue;
        memcpy(tg_emu_clock(c, first + t), scratch, (size_t)2 * c->actors * sizeof *scratch);
        tg_emu_clock(c, first + t)[first + t]++;
    }
}

void tg_emu_clock_fence(const tg_emu_clocks *c, uint32_t thread)
{
    uint32_t *own = tg_emu_clock(c, thread);
    memcpy(own + c->actors, own, (size_t)c->actors * sizeof *own);
    own[thread]++;
}
