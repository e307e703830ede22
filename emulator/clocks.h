/* Vector clocks: which accesses of others an actor knows to be over.  Actors are the threads of a
 * CTA and, behind them, copies that run beside the threads.
 *
 * An actor counts its steps; a step ends where it hands on what it has done.  A row has two parts:
 * up to which step of each actor its accesses are over for the actor itself, and for copies that it
 * starts, which see writes of threads only behind a fence.proxy.async.  In the second part a copy's row says
 * of the copy's own number up to which step it knows earlier copies of that number. */
#ifndef TG_EMULATOR_CLOCKS_H
#define TG_EMULATOR_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tg_emu_clocks {
    uint32_t actors;
    uint32_t *rows; /* actors rows; NULL: nothing is recorded */
} tg_emu_clocks;

/* Returns false if memory runs out. */
bool tg_emu_clocks_begin(tg_emu_clocks *clocks, uint32_t actors);
void tg_emu_clocks_end(tg_emu_clocks *clocks);

/* A row that nobody owns yet, of zeros; NULL if memory runs out.  The caller frees it. */
uint32_t *tg_emu_clocks_row(const tg_emu_clocks *clocks);

static inline uint32_t *tg_emu_clock(const tg_emu_clocks *c, uint32_t actor)
{
    return c->rows + (uint64_t)actor * 2 * c->actors;
}
static inline uint32_t tg_emu_clock_step(const tg_emu_clocks *c, uint32_t actor)
{
    return tg_emu_clock(c, actor)[actor];
}

/* Adds a row to another one. */
void tg_emu_clock_join(const tg_emu_clocks *clocks, uint32_t *to, const uint32_t *from);
/* Adds what the actor knows, and what it has done, to the row; then its next step begins. */
void tg_emu_clock_release(const tg_emu_clocks *clocks, uint32_t actor, uint32_t *row);
/* From here on the actor knows what the row says. */
void tg_emu_clock_acquire(const tg_emu_clocks *clocks, uint32_t actor, const uint32_t *row);
/* All know what each of them knows: a barrier of the threads in `masks`, one for each warp from that
 * of thread `first` on. */
void tg_emu_clock_meet(const tg_emu_clocks *clocks, uint32_t first, const uint32_t *masks,
                       uint32_t warps, uint32_t *scratch);
/* Copies that the thread starts from here on see what it knows to be written. */
void tg_emu_clock_fence(const tg_emu_clocks *clocks, uint32_t thread);

#endif
