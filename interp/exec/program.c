#include "interp/exec/program.h"

#include <string.h>

#include "interp/exec/block.h"
#include "interp/sync/barrier.h"
#include "interp/sync/async.h"
#include "interp/sync/async_order.h"
#include "interp/state/actors.h"
#include "interp/state/fill.h"
#include "interp/sync/semaphore.h"
#include "interp/spin/spin.h"
#include "interp/memory/windows.h"

static void fill_scratch(const tg_machine *m)
{
    const tg_kernel *k = m->launch->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_SCRATCH)
            tg_launch_fill_memory(m->launch, m->chain->scratch + m->launch->scratch_offset[p],
                                  k->params[p].array.dtype,
                                  (size_t)tg_type_count(&k->params[p].array));
}

void tg_machine_begin_chain(tg_machine *m, int64_t chain, int64_t thread, int64_t program_index)
{
    m->actor = tg_actor_of_thread(chain, thread, m->launch->threads);
    if (m->chain == &m->own_chain) {
        m->chain->number = chain;
        if (m->launch->scratch_bytes) fill_scratch(m);
        tg_async_begin(m->chain, program_index);
    }
    memset(m->closed_groups, 0, sizeof m->closed_groups);
    memset(m->newest_started, 0, sizeof m->newest_started);
    tg_async_order_begin(m);
    if (m->launch->barrier_count) tg_barriers_begin(m);
    if (m->windows) tg_windows_begin(m);
    TG_DETECT(m, chain_begins, m)
}

/* Whether semaphores end with their chain.  Those that all chains share end with the run, and may
 * keep a value. */
static bool have_to_be_0(const tg_param *param)
{
    return param->role == TG_ROLE_SCRATCH && tg_is_semaphore(param->array.dtype) &&
           param->array.dtype != TG_DT_barrier && !param->is_shared;
}

/* Reports semaphores of scratch that are not 0. */
static void end_semaphores(tg_machine *m)
{
    const tg_kernel *k = m->launch->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (have_to_be_0(&k->params[p]))
            tg_semaphores_end(m, NULL, &k->params[p],
                              (const void *)(m->chain->scratch + m->launch->scratch_offset[p]),
                              tg_type_count(&k->params[p].array));
}

void tg_machine_end_chain(tg_machine *m, bool reports)
{
    const bool is_own = m->chain == &m->own_chain;
    if (is_own && m->chain->async_ops.count) tg_async_finish(m, reports);
    if (!reports) return;
    TG_DETECT(m, chain_ends, m)
    if (is_own && m->launch->scratch_bytes) end_semaphores(m);
}

void tg_machine_start(tg_machine *m, const int64_t *program, int64_t program_index)
{
    for (int a = 0; a < m->launch->axis_count; a++) m->program[a] = program[a];
    m->program_index = program_index;
    m->stopped_in = NULL;
    m->all_turns = 0;
    m->looks = 0;
    if (m->spin) tg_spin_reset(m);
    TG_DETECT(m, program_begins, m)
    for (uint32_t p = 0; p < m->launch->plan->kernel->param_count; p++) tg_ref_start(m, p);
    if (m->windows) tg_windows_start(m);
    TG_DETECT(m, blocks_found, m)
    m->pc = 0;
}
