#include "gpu_backend/instructions/tcgen05_plan.h"

#include <string.h>

#include "base/arena.h"
#include "gpu_backend/emit/own_block.h"
#include "gpu_backend/instructions/tcgen05.h"
#include "gpu_backend/text/target.h"
#include "ir/ir.h"
#include "ir/type.h"
#include "plan/inst.h"

/* STAGED: bytes of a team for factors; more than that only if a single step needs it. */
enum { WARPGROUP = 128, MOST_TEAMS = 8, COLUMNS = 512, LEAST_COLUMNS = 32, STAGED = 32 * 1024 };

/* ---- products ---- */

/* The kind of the instruction by the dtype of a factor, and the dtype's code. */
static const struct {
    const char *kind;
    uint32_t code;
} dtypes[TG_DT_COUNT] = {
    [TG_DT_f16] = {"f16", 0},         [TG_DT_bf16] = {"f16", 1},      [TG_DT_f32] = {"tf32", 2},
    [TG_DT_f8e4m3fn] = {"f8f6f4", 0}, [TG_DT_f8e5m2] = {"f8f6f4", 1}, [TG_DT_u8] = {"i8", 0},
    [TG_DT_i8] = {"i8", 1},
};

/* Integers are exact in every way.  Floats are where profile fast may add in another order, or the model
 * of the tensor core is asked for, which alone cuts f32 to tf32. */
static bool may_add(const tg_ptx_emitter *em, tg_dtype factor)
{
    const bool is_modelled = em->tensor_core == TG_TENSOR_CORE_SM100;
    if (tg_is_int(factor) || is_modelled) return true;
    return em->is_fast && factor != TG_DT_f32;
}

static bool has_dtypes(const tg_ptx_emitter *em, const struct tg_inst_async *product,
                       tg_ptx_tensor_product *out)
{
    enum { F32 = 1u << 4, S32 = 2u << 4 };
    const tg_dtype a = product->source[0].type.dtype, b = product->source[1].type.dtype,
                   sum = product->to.type.dtype;
    if (!dtypes[a].kind || !dtypes[b].kind || strcmp(dtypes[a].kind, dtypes[b].kind) != 0 ||
        !may_add(em, a))
        return false;
    const bool is_int = tg_is_int(a);
    if (sum != (is_int ? TG_DT_i32 : TG_DT_f32) || product->acc != sum) return false;
    if (!is_int && tg_dtypes[a].bytes == 2 && a != b) return false;
    out->bytes = tg_dtypes[a].bytes;
    out->kind = dtypes[a].kind;
    out->formats =
        (is_int ? (uint32_t)S32 : (uint32_t)F32) | dtypes[a].code << 7 | dtypes[b].code << 10;
    return true;
}

/* n is made of parts of up to 256 columns, each of a legal size. */
static bool has_shape(const tg_ptx_tensor_product *p, bool is_int)
{
    const int64_t step = p->m == 128 || (is_int && p->n > 32) ? 16 : 8;
    return (p->m == 64 || p->m == 128) && p->n > 0 && p->n % step == 0 && p->k > 0;
}

bool tg_ptx_tensor_can(const tg_ptx_emitter *em, const struct tg_inst_async *product,
                       tg_ptx_tensor_product *out)
{
    const tg_type *sum = &product->to.type;
    if (product->source_count != 2 || sum->rank != 2 || !has_dtypes(em, product, out)) return false;
    out->m = sum->shape[0];
    out->n = sum->shape[1];
    out->k = product->source[1].type.shape[0];
    if (!has_shape(out, tg_is_int(product->source[0].type.dtype))) return false;
    const int64_t of_step = (out->m + out->n) * TG_PTX_TENSOR_STEP;
    out->steps = (out->k * out->bytes + TG_PTX_TENSOR_STEP - 1) / TG_PTX_TENSOR_STEP;
    out->together = out->steps * of_step <= STAGED ? out->steps : STAGED / of_step;
    if (out->together == 0) out->together = 1;
    return true;
}

/* ---- uses ---- */

/* Its last two dimensions are those of the matrix; in a cluster, those before them are the block's coordinates. */
static bool is_tensor_memory(const tg_ptx_emitter *em, const tg_param *param)
{
    const tg_type *type = &param->array;
    const int64_t *matrix = &type->shape[param->cluster];
    return param->role == TG_ROLE_SCRATCH && param->space && strcmp(param->space, "tmem") == 0 &&
           (type->dtype == TG_DT_f32 || type->dtype == TG_DT_i32) &&
           type->rank == param->cluster + 2 && (param->cluster || em->blocks == 1) &&
           (matrix[0] == 64 || matrix[0] == 128) && matrix[1] % 8 == 0 && matrix[1] <= COLUMNS;
}

int64_t tg_ptx_tensor_columns(const tg_param *param)
{
    return param->array.shape[param->array.rank - 1];
}

static bool is_static_slice(const tg_access_dim *dim, int64_t extent)
{
    return dim->kind == TG_INDEX_SLICE && !dim->has_operand && dim->stride == 1 &&
           dim->start >= 0 && dim->start + dim->size <= extent;
}

/* Whether the view is all rows of some columns that are known, of the own block. */
static bool is_columns(const tg_ptx_emitter *em, const tg_access_plan *a)
{
    const int of_block = a->ref == a->root ? (int)em->plan->kernel->params[a->root].cluster : 0;
    const tg_access_dim *rows = &a->dims[of_block], *columns = &a->dims[of_block + 1];
    if (a->rank != of_block + 2) return false;
    for (int d = 0; d < of_block; d++)
        if (a->dims[d].kind != TG_INDEX_AT || !tg_ptx_is_own_coordinate(em, &a->dims[d].operand, d))
            return false;
    return is_static_slice(rows, a->ref_shape[of_block]) && rows->size == a->ref_shape[of_block] &&
           is_static_slice(columns, a->ref_shape[of_block + 1]);
}

/* A move between tensor memory and registers. */
static bool is_move(const struct tg_inst_async *dma, bool is_load)
{
    return dma->engine == (is_load ? TG_ENGINE_LOADS : TG_ENGINE_STORES) &&
           dma->told == TG_ASYNC_TELLS_GROUP && !dma->combines && !dma->zero_outside &&
           !dma->source[0].is_value && dma->to.type.rank == 2 && dma->to.type.shape[1] % 8 == 0;
}

typedef struct uses {
    tg_ptx_emitter *em;
    const tg_inst *inst;
} uses;

/* Whether the instruction uses `ref` as tensor memory may be. */
static bool is_good(const uses *u, tg_ref_use use, tg_ref_id ref)
{
    const tg_inst *inst = u->inst;
    tg_ptx_tensor_product product;
    switch (inst->kind) {
    case TG_I_VIEW: return is_columns(u->em, &inst->as.view->access);
    case TG_I_DMA:
        return is_move(inst->as.async, use == TG_REF_READ) &&
               (use == TG_REF_READ || use == TG_REF_WRITTEN);
    case TG_I_PRODUCT:
        return ref == inst->as.async->to.ref && (use & TG_REF_WRITTEN) &&
               tg_ptx_tensor_can(u->em, inst->as.async, &product);
    default: return false;
    }
}

static void look(void *context, tg_ref_use use, tg_ref_id ref, uint32_t root)
{
    const uses *u = context;
    if (tg_ptx_tensor_has(u->em, root) && !is_good(u, use, ref))
        u->em->tensor->is_held[root] = false;
}

static void find_columns(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_view *view = inst->as.view;
    if (inst->kind != TG_I_VIEW || !tg_ptx_tensor_has(em, view->access.root)) return;
    em->tensor->of_ref[view->out] =
        em->tensor->of_ref[view->access.ref] + view->access.dims[view->access.rank - 1].start;
}

/* A copy from one held scratch to another is none to registers. */
static void look_at_both(tg_ptx_emitter *em, const tg_inst *inst)
{
    if (inst->kind != TG_I_DMA) return;
    const struct tg_inst_async *dma = inst->as.async;
    if (tg_ptx_tensor_has(em, dma->source[0].root) && tg_ptx_tensor_has(em, dma->to.root))
        em->tensor->is_held[dma->source[0].root] = em->tensor->is_held[dma->to.root] = false;
}

/* ---- places ---- */

/* Each held scratch that has room gets its columns. */
static void place(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    tg_ptx_tensor *t = em->tensor;
    int64_t used = 0;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (!t->is_held[p]) continue;
        const int64_t columns = tg_ptx_tensor_columns(&k->params[p]);
        t->is_held[p] = used + columns <= COLUMNS;
        t->columns[p] = used;
        if (t->is_held[p]) used += columns;
    }
    for (t->allocated = used ? LEAST_COLUMNS : 0; t->allocated < used;) t->allocated *= 2;
}

/* Memory for factors, and what is left to the threads. */
static void measure(tg_ptx_emitter *em)
{
    tg_ptx_tensor *t = em->tensor;
    for (uint32_t i = 0; i < em->plan->body.count; i++) {
        const tg_inst *inst = &em->plan->body.list[i];
        tg_ptx_tensor_product product;
        if (inst->kind == TG_I_DMA && inst->as.async->engine == TG_ENGINE_PRODUCTS)
            t->has_other = true;
        if (inst->kind != TG_I_PRODUCT) continue;
        if (!tg_ptx_tensor_has(em, inst->as.async->to.root)) {
            t->has_other = true;
            continue;
        }
        if (!tg_ptx_tensor_can(em, inst->as.async, &product)) continue;
        const size_t bytes =
            (size_t)((product.m + product.n) * TG_PTX_TENSOR_STEP * product.together);
        if (bytes > t->staged_bytes) t->staged_bytes = bytes;
    }
}

static bool is_wanted(const tg_ptx_emitter *em, const tg_ptx_options *options)
{
    return tg_ptx_target_has_tcgen05(em->target) && em->teams <= MOST_TEAMS &&
           options->threads % WARPGROUP == 0;
}

bool tg_ptx_tensor_find(tg_ptx_emitter *em, const tg_ptx_options *options)
{
    const tg_plan *plan = em->plan;
    const uint32_t params = plan->kernel->param_count;
    if (!is_wanted(em, options)) return true;
    tg_ptx_tensor *t = tg_arena_take(&em->arena, 1, sizeof *t);
    if (!t) return false;
    t->is_held = tg_arena_take(&em->arena, params, sizeof *t->is_held);
    t->columns = tg_arena_take(&em->arena, params, sizeof *t->columns);
    t->of_ref = tg_arena_take(&em->arena, plan->ref_count, sizeof *t->of_ref);
    if (!t->is_held || !t->columns || !t->of_ref) return false;
    em->tensor = t;
    for (uint32_t p = 0; p < params; p++)
        t->is_held[p] = is_tensor_memory(em, &plan->kernel->params[p]);
    for (uint32_t i = 0; i < plan->body.count; i++) {
        uses u = {em, &plan->body.list[i]};
        tg_inst_refs(u.inst, look, &u);
        look_at_both(em, u.inst);
        find_columns(em, u.inst);
    }
    place(em);
    measure(em);
    if (!t->allocated || !t->staged_bytes) em->tensor = NULL;
    return true;
}
