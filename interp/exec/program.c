#include "interp/exec/program.h"

#include "interp/exec/block.h"
#include "interp/copies/dma.h"
#include "interp/state/fill.h"
#include "interp/copies/semaphore.h"
#include "interp/spin/spin.h"
#include "interp/memory/windows.h"

void tg_machine_reset_scratch(tg_machine *m)
{
    const tg_kernel *k = m->launch->plan->kernel;
    for (uint32_t p = 0; m->launch->scratch_bytes && p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_SCRATCH)
            tg_launch_fill_memory(m->launch, m->chain->scratch + m->launch->scratch_offset[p],
                                  k->params[p].array.dtype,
                                  (size_t)tg_type_count(&k->params[p].array));
    if (m->windows) tg_windows_begin(m);
    TG_DETECT(m, chain_begins, m)
}

void tg_machine_finish_scratch(tg_machine *m)
{
    const tg_kernel *k = m->launch->plan->kernel;
    tg_dma_finish(m, true);
    TG_DETECT(m, chain_ends, m)
    for (uint32_t p = 0; m->launch->scratch_bytes && p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_SCRATCH && tg_is_semaphore(k->params[p].array.dtype))
            tg_semaphores_end(m, NULL, &k->params[p],
                              (const void *)(m->chain->scratch + m->launch->scratch_offset[p]),
                              tg_type_count(&k->params[p].array));
}

void tg_machine_start(tg_machine *m, const int64_t *program, int64_t order, int64_t chain)
{
    for (int a = 0; a < m->launch->axis_count; a++) m->program[a] = program[a];
    m->order = order;
    m->chain->number = chain;
    m->actor = chain;
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
