#include "gpu_backend/instructions/wgmma.h"

#include <inttypes.h>

#include "base/text.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/dot_tile.h"
#include "gpu_backend/instructions/wgmma_fragment.h"
#include "gpu_backend/instructions/wgmma_stage.h"
#include "gpu_backend/text/target.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

enum { LHS, RHS, MOST_WARPGROUPS = 2 };

/* ---- which products ---- */

static bool is_fp8(tg_dtype d) { return d == TG_DT_f8e4m3fn || d == TG_DT_f8e5m2; }
static bool is_byte(tg_dtype d) { return d == TG_DT_i8 || d == TG_DT_u8; }

/* Whether there is a form.  Integers of different signedness want a later version of PTX. */
static bool has_form(tg_dtype lhs, tg_dtype rhs, tg_dtype sum)
{
    if (is_byte(lhs)) return lhs == rhs && (sum == TG_DT_i32 || sum == TG_DT_u32);
    if (is_fp8(lhs)) return is_fp8(rhs) && (sum == TG_DT_f32 || sum == TG_DT_f16);
    if (lhs != rhs) return false;
    if (lhs == TG_DT_f16 && sum == TG_DT_f16) return true;
    return sum == TG_DT_f32 && (lhs == TG_DT_f16 || lhs == TG_DT_bf16 || lhs == TG_DT_f32);
}

/* Sums of integers are exact.  Profile fast allows what its bounds are about; nothing says that f32 may become
 * tf32, which the tensor core asked for makes of it. */
static bool are_bits_allowed(const tg_ptx_emitter *em, tg_dtype lhs, tg_dtype sum)
{
    if (is_byte(lhs) || em->tensor_core == TG_TENSOR_CORE_SM90) return true;
    return em->is_fast && sum == TG_DT_f32 && (lhs == TG_DT_f16 || lhs == TG_DT_bf16);
}

bool tg_ptx_wgmma_wants(const tg_ptx_emitter *em, const struct tg_inst_async *product)
{
    const tg_type *lhs = &product->source[LHS].type, *rhs = &product->source[RHS].type,
                  *sum = &product->to.type;
    return tg_ptx_target_has_wgmma(em->target) && product->source_count == 2 && rhs->shape[0] > 0 &&
           tg_type_count(sum) > 0 && has_form(lhs->dtype, rhs->dtype, sum->dtype) &&
           are_bits_allowed(em, lhs->dtype, sum->dtype);
}

bool tg_ptx_wgmma_fits(const tg_ptx_emitter *em)
{
    enum { SHARED = 227 * 1024 };
    const size_t workspace = em->space == TG_PTX_SHARED ? em->workspace_bytes : 0;
    return em->threads % TG_PTX_WARPGROUP == 0 &&
           em->threads <= MOST_WARPGROUPS * TG_PTX_WARPGROUP &&
           workspace + em->tiles_bytes + em->barriers_bytes <= SHARED;
}

/* ---- measures ---- */

/* Instructions for integers have 8, 16, 24, 32, 48 and 64 columns, others any multiple of 8. */
static int64_t columns_of(const struct tg_inst_async *product)
{
    enum { STEP = 8, WIDE = 32, MOST = TG_PTX_WGMMA_COLUMNS };
    const int64_t n = product->to.type.shape[1],
                  step = is_byte(product->source[LHS].type.dtype) && n > WIDE ? 2 * STEP : STEP;
    return n >= MOST ? MOST : (n + step - 1) / step * step;
}

/* Chunks are whole steps: one more, of zeros alone, is not quite nothing (-0 becomes 0). */
static int64_t chunk_bytes_of(const struct tg_inst_async *product)
{
    enum { STEP = TG_PTX_WGMMA_STEP_BYTES };
    const tg_type *rhs = &product->source[RHS].type;
    const int64_t steps = (rhs->shape[0] * tg_dtypes[rhs->dtype].bytes + STEP - 1) / STEP;
    return steps % 2 ? STEP : TG_PTX_WGMMA_CHUNK_BYTES;
}

static int64_t rows_of(const tg_ptx_emitter *em)
{
    return em->threads / TG_PTX_WARPGROUP * TG_PTX_WGMMA_ROWS;
}

size_t tg_ptx_wgmma_bytes(const tg_ptx_emitter *em, const struct tg_inst_async *product)
{
    if (!tg_ptx_wgmma_wants(em, product)) return 0;
    return em->teams * (size_t)((rows_of(em) + columns_of(product)) * chunk_bytes_of(product));
}

/* The address of the team's tiles, with room for any of its products. */
static tg_ptx_reg tiles_of_team(tg_ptx_emitter *em)
{
    const tg_ptx_reg memory = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mov.u64 %s, tg_shared;", memory.name);
    tg_ptx_uniform at =
        tg_ptx_add(em, tg_ptx_held(memory), tg_ptx_known((int64_t)em->tiles_offset));
    if (em->teams > 1)
        at = tg_ptx_mul_add(em, tg_ptx_held(em->team), (int64_t)(em->tiles_bytes / em->teams), at);
    return tg_ptx_uniform_reg(em, at);
}

static void measure(tg_ptx_emitter *em, const struct tg_inst_async *product, tg_ptx_wgmma_tiles *t)
{
    const int64_t extents[2] = {rows_of(em), columns_of(product)};
    *t = (tg_ptx_wgmma_tiles){.product = product,
                              .factor = product->source[LHS].type.dtype,
                              .result = product->to.type.dtype,
                              .k = product->source[RHS].type.shape[0],
                              .chunk_bytes = chunk_bytes_of(product)};
    t->element_bytes = tg_dtypes[t->factor].bytes;
    for (int i = LHS; i <= RHS; i++) {
        t->sides[i].rows = product->to.type.shape[i];
        t->sides[i].tile_rows = extents[i];
        tg_ptx_matrix_begin(em, &product->source[i], &t->sides[i].matrix);
    }
    t->sides[RHS].offset = (size_t)(extents[LHS] * t->chunk_bytes);
    tg_ptx_matrix_begin(em, &product->to, &t->sum);
    t->memory = tiles_of_team(em);
}

/* ---- instructions ---- */

static const char *type_of(tg_dtype d)
{
    switch (d) {
    case TG_DT_f16: return "f16";
    case TG_DT_bf16: return "bf16";
    case TG_DT_f8e4m3fn: return "e4m3";
    case TG_DT_f8e5m2: return "e5m2";
    case TG_DT_i8: return "s8";
    case TG_DT_u8: return "u8";
    default: return "tf32";
    }
}

static void put_instruction(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t,
                            const tg_ptx_reg *descriptors, tg_ptx_reg adds)
{
    const char *const result = t->result == TG_DT_f32   ? "f32"
                               : t->result == TG_DT_f16 ? "f16"
                                                        : "s32";
    tg_text sums = {0};
    for (int i = 0; i < t->sum_count; i++)
        tg_text_add(&sums, "%s%s", i ? ", " : "", t->sums[i].name);
    em->w.text.failed = em->w.text.failed || sums.failed;
    tg_ptx_row(&em->w,
               "wgmma.mma_async.sync.aligned.m64n%" PRId64 "k%d.%s.%s.%s {%s}, %s, %s, %s%s%s;",
               t->sides[RHS].tile_rows, TG_PTX_WGMMA_STEP_BYTES / t->element_bytes, result,
               type_of(t->factor), type_of(t->product->source[RHS].type.dtype),
               sums.data ? sums.data : "", descriptors[LHS].name, descriptors[RHS].name, adds.name,
               is_byte(t->factor) ? "" : ", 1, 1", t->element_bytes == 2 ? ", 0, 0" : "");
    tg_text_drop(&sums);
}

/* The products of the chunk in memory.  With `replaces`, the first of all does not read the sum. */
static void multiply(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t)
{
    const int steps = (int)(t->chunk_bytes / TG_PTX_WGMMA_STEP_BYTES);
    const tg_ptx_reg always = tg_ptx_new(&em->w, TG_PTX_PRED),
                     first = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.eq.u32 %s, %s, %s;", always.name, em->tid.name, em->tid.name);
    tg_ptx_row(&em->w, t->product->replaces ? "setp.ne.u32 %s, %s, 0;" : "setp.ge.u32 %s, %s, 0;",
               first.name, t->chunk.name);
    tg_ptx_row(&em->w, "bar.warp.sync 0xffffffff;"); /* .aligned wants the warp together */
    tg_ptx_row(&em->w, "wgmma.fence.sync.aligned;");
    for (int step = 0; step < steps; step++) {
        tg_ptx_reg descriptors[2];
        for (int i = LHS; i <= RHS; i++)
            descriptors[i] = tg_ptx_with(em, TG_PTX_B64, "add.s64", t->descriptor[i],
                                         step * tg_ptx_wgmma_descriptor_step(&t->sides[i]));
        put_instruction(em, t, descriptors, step ? always : first);
    }
    tg_ptx_row(&em->w, "wgmma.commit_group.sync.aligned;");
    tg_ptx_row(&em->w, "wgmma.wait_group.sync.aligned 0;");
}

/* ---- tiles ---- */

static void go_along_k(tg_ptx_emitter *em, tg_ptx_wgmma_tiles *t)
{
    const int64_t bytes = t->k * t->element_bytes;
    const tg_ptx_loop chunks =
        tg_ptx_serial_begin(em, (bytes + t->chunk_bytes - 1) / t->chunk_bytes);
    t->chunk = chunks.element;
    tg_ptx_wgmma_stage(em, t);
    tg_ptx_row(&em->w, "fence.proxy.async;"); /* wgmma reads what the threads have written */
    tg_ptx_barrier(em);
    multiply(em, t);
    tg_ptx_barrier(em);
    tg_ptx_serial_end(em, &chunks);
}

static int64_t tiles_along(const tg_ptx_wgmma_side *side)
{
    return (side->rows + side->tile_rows - 1) / side->tile_rows;
}

static void one_tile(tg_ptx_emitter *em, tg_ptx_wgmma_tiles *t, tg_ptx_reg number)
{
    const int64_t across = tiles_along(&t->sides[RHS]);
    for (int i = LHS; i <= RHS; i++) {
        tg_ptx_wgmma_side *side = &t->sides[i];
        const tg_ptx_reg place =
            tg_ptx_with(em, TG_PTX_B32, i == LHS ? "div.u32" : "rem.u32", number, across);
        side->first = tg_ptx_with(em, TG_PTX_B32, "mul.lo.u32", place, side->tile_rows);
    }
    tg_ptx_wgmma_place_sum(em, t);
    if (!t->product->replaces) tg_ptx_wgmma_load_sum(em, t);
    go_along_k(em, t);
    tg_ptx_wgmma_store_sum(em, t);
}

void tg_ptx_wgmma(tg_ptx_emitter *em, const struct tg_inst_async *product)
{
    tg_ptx_wgmma_tiles t;
    measure(em, product, &t);
    tg_ptx_wgmma_describe(em, &t);
    const tg_ptx_loop tiles =
        tg_ptx_serial_begin(em, tiles_along(&t.sides[LHS]) * tiles_along(&t.sides[RHS]));
    one_tile(em, &t, tiles.element);
    tg_ptx_serial_end(em, &tiles);
    /* The barriers within cleared all accesses declared before them; the sum was written after the last one. */
    tg_ptx_ready_again(em);
}
