/* A semaphore that several threads of a program raise and wait for: a counter that atomics change.  The
 * first thread of a team does so, between fences and barriers of the team, so that who waits knows what
 * the one who has raised it did before. */
#include "gpu_backend/instructions/semaphore_threads.h"

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/text/writer.h"

static void fence(tg_ptx_emitter *em) { tg_ptx_row(&em->w, "fence.acq_rel.%s;", tg_ptx_scope(em)); }

/* The counter now: an atomic, since it may change at the same time. */
static tg_ptx_reg look_at(tg_ptx_emitter *em, tg_ptx_space space, tg_ptx_reg at)
{
    const tg_ptx_reg now = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "atom.%s.or.b64 %s, [%s], 0;", tg_ptx_space_name(space), now.name, at.name);
    return now;
}

void tg_ptx_semaphore_raise_among(tg_ptx_emitter *em, tg_ptx_space space, tg_ptx_reg at,
                                  tg_ptx_reg amount)
{
    tg_ptx_settle(em);
    fence(em);
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    tg_ptx_row(&em->w, "red.%s.add.u64 [%s], %s;", tg_ptx_space_name(space), at.name, amount.name);
    tg_ptx_loop_end(em, &one);
}

tg_ptx_uniform tg_ptx_semaphore_read_among(tg_ptx_emitter *em, tg_ptx_space space, tg_ptx_reg at)
{
    const tg_ptx_reg now = look_at(em, space, at);
    fence(em);
    return tg_ptx_held(now);
}

void tg_ptx_semaphore_wait_among(tg_ptx_emitter *em, tg_ptx_space space, tg_ptx_reg at,
                                 tg_ptx_reg wanted, bool keeps)
{
    tg_ptx_writer *w = &em->w;
    const uint32_t again = tg_ptx_new_label(w);
    const tg_ptx_reg is_low = tg_ptx_new(w, TG_PTX_PRED), left = tg_ptx_new(w, TG_PTX_B64),
                     seen = tg_ptx_new(w, TG_PTX_B64);
    tg_ptx_settle(em);
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    tg_ptx_label(w, again);
    const tg_ptx_reg now = look_at(em, space, at);
    tg_ptx_row(w, "setp.lt.s64 %s, %s, %s;", is_low.name, now.name, wanted.name);
    tg_ptx_row(w, "@%s bra $L%u;", is_low.name, again);
    if (!keeps) {
        tg_ptx_row(w, "sub.s64 %s, %s, %s;", left.name, now.name, wanted.name);
        tg_ptx_row(w, "atom.%s.cas.b64 %s, [%s], %s, %s;", tg_ptx_space_name(space), seen.name,
                   at.name, now.name, left.name);
        tg_ptx_row(w, "setp.ne.b64 %s, %s, %s;", is_low.name, seen.name, now.name);
        tg_ptx_row(w, "@%s bra $L%u;", is_low.name, again);
    }
    tg_ptx_loop_end(em, &one);
    fence(em);
    tg_ptx_barrier(em);
}
