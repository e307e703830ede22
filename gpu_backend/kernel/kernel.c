/* The whole kernel: parameters, the walk over the grid, the blocks of each program, the body. */
#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/target.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, DEFAULT_SHARED = 48 * 1024, LEAST_THREADS = 32, MOST_THREADS = 256 };

/* ---- measures ---- */

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

static void place_workspace(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    size_t used = aligned(em->plan->workspace_bytes), extra = 0;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role != TG_ROLE_SCRATCH) continue;
        em->scratch_offset[p] = used;
        used += aligned((size_t)tg_type_count(&k->params[p].array) *
                        tg_dtypes[k->params[p].array.dtype].bytes);
    }
    em->extra_offset = used;
    for (uint32_t i = 0; i < em->plan->body.count; i++) {
        const tg_inst *inst = &em->plan->body.list[i];
        const size_t own = tg_ptx_extra(em, inst);
        if (own > extra) extra = own;
        if (inst->kind == TG_I_PRINT) em->has_prints = true;
    }
    em->workspace_bytes = used + aligned(extra);
}

/* Tiles come on top of the workspace: any chip that is meant has more than twice the 48 KiB. */
static size_t shared_bytes(const tg_ptx_emitter *em)
{
    return em->tiles_bytes + (em->space == TG_PTX_SHARED ? em->workspace_bytes : 0);
}

static uint32_t choose_threads(const tg_plan *plan)
{
    uint32_t threads = LEAST_THREADS;
    int64_t most = 0;
    for (uint32_t s = 0; s < plan->slot_count; s++)
        if (plan->slots[s].kind == TG_SLOT_WORK && plan->slots[s].count > most)
            most = plan->slots[s].count;
    while (threads < MOST_THREADS && threads < most) threads *= 2;
    return threads;
}

static bool prepare(tg_ptx_emitter *em, const tg_ptx_options *options)
{
    const tg_plan *plan = em->plan;
    const uint32_t params = plan->kernel->param_count, axes = TG_MAX_AXES;
    em->program = tg_arena_take(&em->arena, axes, sizeof *em->program);
    em->grid = tg_arena_take(&em->arena, axes, sizeof *em->grid);
    em->slot_base = tg_arena_take(&em->arena, plan->slot_count, sizeof *em->slot_base);
    em->has_base = tg_arena_take(&em->arena, plan->slot_count, sizeof *em->has_base);
    em->is_table = tg_arena_take(&em->arena, plan->slot_count, sizeof *em->is_table);
    em->refs = tg_arena_take(&em->arena, plan->ref_count, sizeof *em->refs);
    em->scratch_offset = tg_arena_take(&em->arena, params, sizeof *em->scratch_offset);
    if (!em->program || !em->grid || !em->slot_base || !em->has_base || !em->is_table ||
        !em->refs || !em->scratch_offset || !tg_ptx_find_in_place(em))
        return false;
    place_workspace(em);
    const size_t most = options->most_shared ? options->most_shared : DEFAULT_SHARED;
    em->space =
        !options->is_all_global && em->workspace_bytes <= most ? TG_PTX_SHARED : TG_PTX_GLOBAL;
    em->is_fast = options->is_fast;
    em->threads = options->threads ? options->threads : choose_threads(plan);
    tg_ptx_place_tiles(em);
    return true;
}

/* ---- prologue ---- */

static bool has_array(const tg_kernel *k, uint32_t p)
{
    return k->params[p].role != TG_ROLE_SCRATCH;
}

static tg_ptx_reg load_param(tg_ptx_emitter *em, const char *name)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "ld.param.u64 %s, [%s];", r.name, name);
    return r;
}

static tg_ptx_reg load_address(tg_ptx_emitter *em, const char *name)
{
    const tg_ptx_reg given = load_param(em, name), r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "cvta.to.global.u64 %s, %s;", r.name, given.name);
    return r;
}

/* A special register of 32 bits in one of 64. */
static tg_ptx_reg special(tg_ptx_emitter *em, const char *name)
{
    const tg_ptx_reg narrow = tg_ptx_new(&em->w, TG_PTX_B32), r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mov.u32 %s, %s;", narrow.name, name);
    tg_ptx_row(&em->w, "cvt.u64.u32 %s, %s;", r.name, narrow.name);
    return r;
}

static void find_workspace(tg_ptx_emitter *em, tg_ptx_reg cta)
{
    if (em->space == TG_PTX_SHARED) {
        em->workspace = tg_ptx_new(&em->w, TG_PTX_B64);
        tg_ptx_row(&em->w, "mov.u64 %s, tg_shared;", em->workspace.name);
        return;
    }
    const tg_ptx_value all = tg_ptx_held(load_address(em, "tg_workspace")),
                       own = tg_ptx_mul(em, tg_ptx_held(cta), (int64_t)em->workspace_bytes);
    em->workspace = tg_ptx_value_reg(em, tg_ptx_add(em, all, own));
}

/* Slots that exchange memory have their addresses in registers, which are what is exchanged. */
static void find_bases(tg_ptx_emitter *em)
{
    const tg_plan *plan = em->plan;
    for (tg_slot_id s = 0; s < plan->slot_count; s++) {
        const tg_slot_id root = tg_plan_exchange_root(plan, s);
        if (root == s) continue;
        for (int i = 0; i < 2; i++) {
            const tg_slot_id id = i ? root : s;
            if (em->has_base[id]) continue;
            const tg_ptx_reg base = tg_ptx_slot_address(em, id);
            em->slot_base[id] = base;
            em->has_base[id] = true;
        }
    }
}

static void find_memory(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    char name[24];
    for (uint32_t p = 0; p < k->param_count; p++) {
        tg_ptx_ref *ref = &em->refs[p];
        if (has_array(k, p)) {
            snprintf(name, sizeof name, "tg_array%u", p);
            ref->space = TG_PTX_GLOBAL;
            ref->base = tg_ptx_held_multiple(load_address(em, name), TG_PTX_ARRAY_ALIGN);
            ref->extent = (tg_ptx_extent){.is_array = true, .array = tg_param_owner(k, p)};
            continue;
        }
        const size_t bytes =
            (size_t)tg_type_count(&k->params[p].array) * tg_dtypes[k->params[p].array.dtype].bytes;
        ref->space = em->space;
        ref->base = tg_ptx_add(em, tg_ptx_held(em->workspace),
                               tg_ptx_known((int64_t)em->scratch_offset[p]));
        ref->extent = tg_ptx_extent_of(em->scratch_offset[p], bytes);
    }
}

static void find_grid(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    char name[24];
    for (int a = 0; a < k->axis_count; a++) {
        snprintf(name, sizeof name, "tg_axis%d", a);
        em->grid[a] = k->axes[a].size >= 0 ? tg_ptx_known(k->axes[a].size)
                                           : tg_ptx_held(load_param(em, name));
    }
}

/* ---- the walk over the grid ---- */

/* How many chains there are, or how many steps each has. */
static tg_ptx_value extent_of_axes(tg_ptx_emitter *em, tg_semantics semantics)
{
    tg_ptx_value product = tg_ptx_known(1);
    for (int a = 0; a < em->plan->kernel->axis_count; a++)
        if (em->plan->kernel->axes[a].semantics == semantics)
            product = tg_ptx_product(em, product, em->grid[a]);
    return product;
}

/* The program's index along each axis, and its place in the grid. */
static void locate(tg_ptx_emitter *em, tg_ptx_value chain, tg_ptx_value step)
{
    const tg_kernel *k = em->plan->kernel;
    tg_ptx_value left[2] = {chain, step}, order = tg_ptx_known(0);
    for (int a = k->axis_count - 1; a >= 0; a--) {
        tg_ptx_value *rest = &left[k->axes[a].semantics == TG_AXIS_ARBITRARY];
        bool is_outermost = true;
        for (int b = 0; b < a; b++)
            if (k->axes[b].semantics == k->axes[a].semantics) is_outermost = false;
        em->program[a] = is_outermost ? *rest : tg_ptx_rem(em, *rest, em->grid[a]);
        if (!is_outermost) *rest = tg_ptx_div(em, *rest, em->grid[a]);
    }
    for (int a = 0; a < k->axis_count; a++)
        order = tg_ptx_add(em, tg_ptx_product(em, order, em->grid[a]), em->program[a]);
    em->order = tg_ptx_value_reg(em, order);
}

static void reset_scratch(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role != TG_ROLE_SCRATCH) continue;
        tg_ptx_touch_extent(em, em->refs[p].extent, true);
        tg_ptx_ready(em);
        tg_ptx_fill_first(em, k->params[p].array.dtype, tg_type_count(&k->params[p].array),
                          em->workspace, (int64_t)em->scratch_offset[p]);
    }
}

/* One program: its blocks, then the body. */
static void program(tg_ptx_emitter *em)
{
    const tg_plan *plan = em->plan;
    for (uint32_t p = 0; p < plan->kernel->param_count && em->status == TG_OK; p++) {
        em->param = p;
        tg_ptx_place(em, plan->kernel->loc);
        if (!plan->mappings[p].is_affine) tg_ptx_code(em, &plan->mappings[p].code);
        if (!plan->mappings[p].is_affine)
            for (int d = 0; d < plan->kernel->params[p].array.rank; d++)
                tg_ptx_reads(em, &plan->mappings[p].index[d]);
        tg_ptx_ready(em);
        tg_ptx_ref_start(em, p);
    }
    tg_ptx_code(em, &plan->body);
    tg_ptx_settle(em);
}

static void walk_grid(tg_ptx_emitter *em, tg_ptx_reg cta)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_value chains = extent_of_axes(em, TG_AXIS_PARALLEL),
                       steps = extent_of_axes(em, TG_AXIS_ARBITRARY);
    const bool has_steps = !tg_ptx_is_known(steps, 1);
    const tg_ptx_reg ctas = special(em, "%nctaid.x"), chain_count = tg_ptx_value_reg(em, chains),
                     chain = tg_ptx_new(w, TG_PTX_B64), step = tg_ptx_new(w, TG_PTX_B64),
                     p = tg_ptx_new(w, TG_PTX_PRED);
    const uint32_t next_chain = tg_ptx_new_label(w), next_step = tg_ptx_new_label(w),
                   end = tg_ptx_new_label(w);
    em->end_chain = tg_ptx_new_label(w);
    tg_ptx_move(w, chain, cta);
    tg_ptx_label(w, next_chain);
    tg_ptx_row(w, "setp.ge.u64 %s, %s, %s;", p.name, chain.name, chain_count.name);
    tg_ptx_row(w, "@%s bra.uni $L%u;", p.name, end);
    reset_scratch(em);
    if (has_steps) {
        const tg_ptx_reg step_count = tg_ptx_value_reg(em, steps);
        tg_ptx_row(w, "mov.b64 %s, 0;", step.name);
        tg_ptx_settle(em);
        tg_ptx_label(w, next_step);
        tg_ptx_row(w, "setp.ge.u64 %s, %s, %s;", p.name, step.name, step_count.name);
        tg_ptx_row(w, "@%s bra.uni $L%u;", p.name, em->end_chain);
    }
    locate(em, tg_ptx_held(chain), has_steps ? tg_ptx_held(step) : tg_ptx_known(0));
    program(em);
    if (has_steps) {
        tg_ptx_row(w, "add.u64 %s, %s, 1;", step.name, step.name);
        tg_ptx_row(w, "bra.uni $L%u;", next_step);
    }
    if (has_steps || em->ends_early) tg_ptx_label(w, em->end_chain);
    tg_ptx_row(w, "add.u64 %s, %s, %s;", chain.name, chain.name, ctas.name);
    tg_ptx_row(w, "bra.uni $L%u;", next_chain);
    tg_ptx_label(w, end);
    tg_ptx_row(w, "ret;");
}

static void body(tg_ptx_emitter *em)
{
    em->tid = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "mov.u32 %s, %%tid.x;", em->tid.name);
    const tg_ptx_reg cta = special(em, "%ctaid.x");
    em->report = load_address(em, "tg_report");
    if (em->has_prints) em->prints = load_address(em, "tg_prints");
    find_workspace(em, cta);
    find_bases(em);
    find_memory(em);
    find_grid(em);
    tg_ptx_trace_start(em);
    walk_grid(em, cta);
}

/* ---- the text ---- */

static void entry_name(const tg_kernel *k, char *out, size_t size)
{
    snprintf(out, size, "tg_%s", k->name);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
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
    if (em->space == TG_PTX_SHARED || em->tiles_bytes)
        tg_text_put(&t, ".extern .shared .align 16 .b8 tg_shared[];\n");
    tg_text_add(&t,
                "\n.visible .entry %s(\n    .param .u64 tg_report,\n    .param .u64 tg_workspace",
                entry);
    if (em->has_prints) tg_text_put(&t, ",\n    .param .u64 tg_prints");
    for (uint32_t p = 0; p < k->param_count; p++)
        if (has_array(k, p)) tg_text_add(&t, ",\n    .param .u64 tg_array%u", p);
    for (int a = 0; a < k->axis_count; a++)
        if (k->axes[a].size < 0) tg_text_add(&t, ",\n    .param .u64 tg_axis%d", a);
    if (em->trace.sites)
        tg_text_put(&t, ",\n    .param .u64 tg_trace,\n    .param .u64 tg_trace_first"
                        ",\n    .param .u64 tg_trace_end");
    tg_text_add(&t, "\n)\n.reqntid %u, 1, 1\n{\n", em->threads);
    tg_ptx_declare(&em->w, &t);
    tg_text_put(&t, "\n");
    tg_text_put(&t, em->w.text.data ? em->w.text.data : "");
    tg_text_put(&t, "}\n");
    t.failed = t.failed || em->w.text.failed || em->tables.failed;
    return tg_text_finish(&t);
}

static tg_status finish(tg_ptx_emitter *em, const tg_ptx_options *options, tg_ptx *ptx)
{
    const char *target = options->target, *version;
    if (em->status != TG_OK) return em->status;
    TG_TRY(tg_ptx_target(&target, &version, em->diags));
    entry_name(em->plan->kernel, ptx->entry, sizeof ptx->entry);
    ptx->text = whole_text(em, target, version, ptx->entry);
    ptx->threads = em->threads;
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
    if (!ptx || !prepare(&em, options)) em.status = TG_ERR_NO_MEMORY;
    if (em.status == TG_OK) body(&em);
    if (em.status == TG_OK) em.status = finish(&em, options, ptx);
    tg_text_drop(&em.w.text);
    tg_text_drop(&em.tables);
    tg_arena_free(&em.arena);
    free(em.sites);
    if (em.status == TG_ERR_NO_MEMORY) tg_fail(diags, em.status, NULL, "memory is exhausted");
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
