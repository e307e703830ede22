#include "gpu_backend/kernel/barriers.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/parity.h"
#include "gpu_backend/text/writer.h"
#include "ir/ir.h"
#include "ir/type.h"

static bool is_barrier(const tg_param *param)
{
    return param->role == TG_ROLE_SCRATCH && param->array.dtype == TG_DT_barrier;
}

void tg_ptx_barriers_find(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    size_t first = SIZE_MAX; /* offset of the first barrier */
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_param *param = &k->params[p];
        if (!is_barrier(param)) continue;
        const tg_ptx_reg base = tg_ptx_new(&em->w, TG_PTX_B64);
        if (first == SIZE_MAX) first = em->scratch_offset[p];
        tg_ptx_row(&em->w, "mov.u64 %s, tg_shared;", base.name);
        tg_ptx_row(&em->w, "add.u64 %s, %s, %zu;", base.name, base.name,
                   em->barriers_offset + em->scratch_offset[p] - first);
        em->refs[p].space = TG_PTX_SHARED;
        em->refs[p].base = tg_ptx_held(base);
        tg_ptx_cluster_start(em, &em->refs[p], param);
    }
    tg_ptx_parity_find(em);
}

/* A row for each barrier, by the CTA's first thread. */
static void each(tg_ptx_emitter *em, const char *op, bool has_count)
{
    const tg_kernel *k = em->plan->kernel;
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg tid = tg_ptx_new(w, TG_PTX_B32), first = tg_ptx_new(w, TG_PTX_PRED);
    tg_ptx_row(w, "mov.u32 %s, %%tid.x;", tid.name);
    tg_ptx_row(w, "setp.eq.u32 %s, %s, 0;", first.name, tid.name);
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_param *param = &k->params[p];
        if (!is_barrier(param)) continue;
        char count[32] = "";
        if (has_count) snprintf(count, sizeof count, ", %" PRId64, param->arrivals);
        for (int64_t i = 0; i < tg_ptx_part(em, param); i++)
            tg_ptx_row(w, "@%s mbarrier.%s.shared.b64 [%s+%" PRId64 "]%s;", first.name, op,
                       em->refs[p].base.reg.name, i * tg_dtypes[TG_DT_barrier].bytes, count);
    }
}

void tg_ptx_barriers_begin(tg_ptx_emitter *em)
{
    if (!em->has_barriers) return;
    each(em, "init", true);
    tg_ptx_parity_begin(em);
}

void tg_ptx_barriers_end(tg_ptx_emitter *em)
{
    if (em->has_barriers) each(em, "inval", false);
}
