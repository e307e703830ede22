#include "gpu_backend/instructions/tcgen05.h"

#include <inttypes.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/text/writer.h"

enum { MBARRIER = 8, WORD = 8 }; /* bytes; WORD: of the address */

bool tg_ptx_tensor_has(const tg_ptx_emitter *em, uint32_t root)
{
    return em->tensor && root < em->plan->kernel->param_count && em->tensor->is_held[root];
}

size_t tg_ptx_tensor_bytes(const tg_ptx_emitter *em)
{
    return em->tensor ? em->teams * (em->tensor->staged_bytes + MBARRIER) + WORD : 0;
}

/* ---- addresses ---- */

static tg_ptx_uniform start(tg_ptx_emitter *em, size_t offset)
{
    const tg_ptx_reg shared = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mov.u64 %s, tg_shared;", shared.name);
    return tg_ptx_add(em, tg_ptx_held(shared),
                      tg_ptx_known((int64_t)(em->tensor->offset + offset)));
}

/* Of what each team has `bytes` of, the team's own. */
static tg_ptx_reg of_team(tg_ptx_emitter *em, size_t offset, size_t bytes)
{
    const tg_ptx_uniform first = start(em, offset);
    if (em->teams == 1) return tg_ptx_uniform_reg(em, first);
    return tg_ptx_uniform_reg(em, tg_ptx_mul_add(em, tg_ptx_held(em->team), (int64_t)bytes, first));
}

tg_ptx_reg tg_ptx_tensor_staged(tg_ptx_emitter *em, int64_t offset)
{
    return of_team(em, (size_t)offset, em->tensor->staged_bytes);
}

tg_ptx_reg tg_ptx_tensor_mbarrier(tg_ptx_emitter *em)
{
    return of_team(em, em->teams * em->tensor->staged_bytes, MBARRIER);
}

static tg_ptx_reg word(tg_ptx_emitter *em)
{
    return tg_ptx_uniform_reg(em, start(em, em->teams * (em->tensor->staged_bytes + MBARRIER)));
}

/* ---- beginning and end ---- */

/* Skips what follows in all warps of the CTA but the first.  Returns the label behind it. */
static uint32_t first_warp(tg_ptx_emitter *em)
{
    const tg_ptx_reg tid = tg_ptx_new(&em->w, TG_PTX_B32), other = tg_ptx_new(&em->w, TG_PTX_PRED);
    const uint32_t skip = tg_ptx_new_label(&em->w);
    tg_ptx_row(&em->w, "mov.u32 %s, %%tid.x;", tid.name);
    tg_ptx_row(&em->w, "setp.ge.u32 %s, %s, %d;", other.name, tid.name, TG_PTX_WARP);
    tg_ptx_row(&em->w, "@%s bra.uni $L%u;", other.name, skip);
    tg_ptx_row(&em->w, "bar.warp.sync -1;");
    return skip;
}

void tg_ptx_tensor_begin(tg_ptx_emitter *em)
{
    tg_ptx_tensor *t = em->tensor;
    if (!t) return;
    const tg_ptx_reg at = word(em), mbarrier = tg_ptx_tensor_mbarrier(em);
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    tg_ptx_row(&em->w, "mbarrier.init.shared.b64 [%s], 1;", mbarrier.name);
    tg_ptx_loop_end(em, &one);
    const uint32_t others = first_warp(em);
    tg_ptx_row(&em->w, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s], %u;", at.name,
               t->allocated);
    tg_ptx_row(&em->w, "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    tg_ptx_label(&em->w, others);
    tg_ptx_tensor_before(em);
    tg_ptx_barrier_of_all(em);
    tg_ptx_tensor_after(em);
    t->address = tg_ptx_new(&em->w, TG_PTX_B32);
    t->phase = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "ld.shared.b32 %s, [%s];", t->address.name, at.name);
    tg_ptx_row(&em->w, "mov.b32 %s, 0;", t->phase.name);
}

void tg_ptx_tensor_end(tg_ptx_emitter *em)
{
    if (!em->tensor) return;
    tg_ptx_tensor_before(em);
    tg_ptx_barrier_of_all(em);
    tg_ptx_tensor_after(em);
    const uint32_t others = first_warp(em);
    tg_ptx_row(&em->w, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %s, %u;",
               em->tensor->address.name, em->tensor->allocated);
    tg_ptx_label(&em->w, others);
}

/* ---- order ---- */

void tg_ptx_tensor_before(tg_ptx_emitter *em)
{
    tg_ptx_row(&em->w, "tcgen05.fence::before_thread_sync;");
}

void tg_ptx_tensor_after(tg_ptx_emitter *em)
{
    tg_ptx_row(&em->w, "tcgen05.fence::after_thread_sync;");
}

void tg_ptx_tensor_commit(tg_ptx_emitter *em)
{
    const tg_ptx_reg at = tg_ptx_tensor_mbarrier(em);
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    tg_ptx_row(&em->w,
               "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%s];",
               at.name);
    tg_ptx_loop_end(em, &one);
    tg_ptx_row(&em->w, "xor.b32 %s, %s, 1;", em->tensor->phase.name, em->tensor->phase.name);
}

/* The phase before the first one counts as complete. */
void tg_ptx_tensor_wait(tg_ptx_emitter *em)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg at = tg_ptx_tensor_mbarrier(em), parity = tg_ptx_new(w, TG_PTX_B32),
                     done = tg_ptx_new(w, TG_PTX_PRED);
    const uint32_t again = tg_ptx_new_label(w);
    tg_ptx_row(w, "xor.b32 %s, %s, 1;", parity.name, em->tensor->phase.name);
    tg_ptx_label(w, again);
    tg_ptx_row(w, "mbarrier.try_wait.parity.shared.b64 %s, [%s], %s;", done.name, at.name,
               parity.name);
    tg_ptx_row(w, "@!%s bra $L%u;", done.name, again);
    tg_ptx_tensor_after(em);
}

void tg_ptx_tensor_end_chain(tg_ptx_emitter *em)
{
    if (!em->tensor) return;
    tg_ptx_tensor_wait(em); /* nobody commits before all have seen the phase before */
    tg_ptx_barrier(em);
    tg_ptx_tensor_commit(em);
    tg_ptx_tensor_wait(em);
    tg_ptx_tensor_before(em);
}
