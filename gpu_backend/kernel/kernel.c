#include "gpu_backend/kernel/kernel.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/emit/place.h"
#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/instructions/tcgen05.h"
#include "gpu_backend/kernel/measures.h"
#include "gpu_backend/kernel/prologue.h"
#include "gpu_backend/kernel/walk.h"
#include "gpu_backend/text/target.h"
#include "gpu_backend/text/writer.h"
#include "ir/ir.h"
#include "ir/op.h"

static void entry_name(const tg_kernel *k, char *out, size_t size)
{
    snprintf(out, size, "tg_%s", k->name);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
}

/* Tiles add to the workspace's bytes: all supported chips have more than twice 48 KiB. */
static size_t shared_bytes(const tg_ptx_emitter *em)
{
    if (em->tensor) return em->tensor->offset + tg_ptx_tensor_bytes(em);
    if (em->has_barriers) return em->parity_offset + em->parity_bytes * em->teams;
    return em->tiles_bytes + (em->space == TG_PTX_SHARED ? em->workspace_bytes : 0);
}

static char *whole_text(tg_ptx_emitter *em, const char *target, const char *version,
                        const char *entry)
{
    const tg_kernel *k = em->plan->kernel;
    tg_text t = {0};
    tg_text_add(&t, "// kernel %s\n.version %s\n.target %s\n.address_size 64\n\n", k->name, version,
                target);
    tg_ptx_put_files(em, &t);
    for (uint32_t i = 0; i < em->w.table_count; i++) tg_text_put(&t, em->w.tables[i]);
    tg_text_put(&t, em->tables.data ? em->tables.data : "");
    if (em->space == TG_PTX_SHARED || shared_bytes(em))
        tg_text_put(&t, ".extern .shared .align 16 .b8 tg_shared[];\n");
    tg_text_add(&t,
                "\n.visible .entry %s(\n    .param .u64 tg_report,\n    .param .u64 tg_workspace",
                entry);
    if (em->has_prints) tg_text_put(&t, ",\n    .param .u64 tg_prints");
    for (uint32_t p = 0; p < k->param_count; p++)
        if (tg_ptx_has_array(k, p)) tg_text_add(&t, ",\n    .param .u64 tg_array%u", p);
    for (int a = 0; a < k->axis_count; a++)
        if (k->axes[a].size < 0) tg_text_add(&t, ",\n    .param .u64 tg_axis%d", a);
    if (em->trace.sites)
        tg_text_put(&t, ",\n    .param .u64 tg_trace,\n    .param .u64 tg_trace_first"
                        ",\n    .param .u64 tg_trace_end");
    tg_text_add(&t, "\n)\n.reqntid %u, 1, 1\n", em->threads * em->teams);
    if (em->blocks > 1)
        tg_text_add(&t, ".explicitcluster\n.reqnctapercluster %u, 1, 1\n", em->blocks);
    tg_text_put(&t, "{\n");
    tg_ptx_declare(&em->w, &t);
    tg_text_put(&t, "\n");
    tg_text_put(&t, em->w.text.data ? em->w.text.data : "");
    tg_text_put(&t, "}\n");
    t.failed = t.failed || em->w.text.failed || em->tables.failed;
    return tg_text_finish(&t);
}

/* Without a target the text is for as many chips as may be. */
static const char *target_of(const tg_ptx_emitter *em)
{
    return !em->target && (em->has_barriers || em->blocks > 1) ? "sm_90" : em->target;
}

/* What is refused as a whole. */
static void refuse(tg_ptx_emitter *em, const tg_ptx_options *options)
{
    enum { MOST_TEAMS = 32, MOST_BLOCKS = 8 };
    if (em->teams > MOST_TEAMS)
        tg_ptx_refuse(em, TG_PTX_REFUSES_THREADS, "%u of them", em->teams);
    else if (em->blocks > MOST_BLOCKS)
        tg_ptx_refuse(em, TG_PTX_REFUSES_CLUSTERS, "%u of them", em->blocks);
    else if (em->teams * em->blocks > 1 && options->trace)
        tg_ptx_refuse(em, TG_PTX_REFUSES_TRACE, "%u of them", em->teams * em->blocks);
    else if (em->has_barriers && em->target && !tg_ptx_target_waits(em->target))
        tg_ptx_refuse(em, TG_PTX_REFUSES_CHIP, "%s", em->target);
    else if (em->blocks > 1 && em->target && !tg_ptx_target_waits(em->target))
        tg_ptx_refuse(em, TG_PTX_REFUSES_CLUSTER_CHIP, "%s", em->target);
}

static tg_status finish(tg_ptx_emitter *em, tg_ptx *ptx)
{
    const char *target = target_of(em), *version;
    TG_TRY(tg_ptx_target(&target, &version, em->diags));
    if ((em->has_barriers || em->has_bulk || em->blocks > 1) && strcmp(version, "8.0") < 0)
        version = "8.0"; /* bytes of mbarriers, bulk copies, clusters */
    entry_name(em->plan->kernel, ptx->entry, sizeof ptx->entry);
    ptx->text = whole_text(em, target, version, ptx->entry);
    snprintf(ptx->target, sizeof ptx->target, "%s", target);
    ptx->is_published = em->tensor_core != TG_TENSOR_CORE_EXACT;
    ptx->is_fast = em->is_fast;
    ptx->threads = em->threads * em->teams;
    ptx->blocks = em->blocks;
    ptx->shared_bytes = shared_bytes(em);
    ptx->global_bytes = em->space == TG_PTX_SHARED ? 0 : em->workspace_bytes;
    ptx->has_prints = em->has_prints;
    ptx->site_count = em->site_count;
    ptx->sites = em->sites;
    ptx->has_trace = em->trace.sites != NULL;
    em->sites = NULL;
    return ptx->text ? TG_OK : TG_ERR_NO_MEMORY;
}

tg_status tg_ptx_emit(const tg_plan *plan, const tg_ptx_options *options, tg_ptx **out,
                      tg_diags *diags)
{
    static const tg_ptx_options usual = {0};
    if (!options) options = &usual;
    tg_ptx_emitter em = {.plan = plan, .diags = diags, .trace.sites = options->trace};
    tg_ptx *ptx = calloc(1, sizeof *ptx);
    *out = NULL;
    if (!ptx || !tg_ptx_prepare(&em, options)) em.status = TG_ERR_NO_MEMORY;
    if (em.status == TG_OK) refuse(&em, options);
    if (em.status == TG_OK) tg_ptx_walk_grid(&em, tg_ptx_prologue(&em));
    if (em.status == TG_OK) em.status = finish(&em, ptx);
    tg_text_drop(&em.w.text);
    tg_text_drop(&em.tables);
    tg_arena_free(&em.arena);
    free(em.sites);
    if (em.status == TG_ERR_NO_MEMORY) tg_no_memory(diags);
    if (em.status == TG_OK)
        *out = ptx;
    else
        tg_ptx_free(ptx);
    return em.status;
}

void tg_ptx_free(tg_ptx *ptx)
{
    if (!ptx) return;
    free(ptx->text);
    free(ptx->sites);
    free(ptx);
}
