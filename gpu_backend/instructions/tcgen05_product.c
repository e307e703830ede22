/* Factors are copied to shared memory in steps of 32 bytes of k.  In each step 8 rows of m or n are 256 bytes:
 * 16 bytes of each row, then 16 more of each, which is K-major without a swizzle. */
#include "gpu_backend/instructions/tcgen05_product.h"

#include <inttypes.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/instructions/barrier.h"
#include "gpu_backend/instructions/dot_tile.h"
#include "gpu_backend/instructions/product_parts.h"
#include "gpu_backend/instructions/tcgen05.h"
#include "gpu_backend/instructions/tcgen05_plan.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

enum { LHS, RHS, UNIT = 16, ROWS = 8, CORE = UNIT * ROWS, STEP = TG_PTX_TENSOR_STEP };

/* A factor: its rows are those of m or n. */
typedef struct factor {
    tg_ptx_matrix matrix;
    int64_t rows, k;
    bool is_right;
    int64_t offset; /* in the memory of the team */
} factor;

/* ---- copying factors ---- */

/* The bits in memory of element (row, k). */
static tg_ptx_reg read_bits(tg_ptx_emitter *em, const factor *f, tg_ptx_reg row, tg_ptx_reg k)
{
    return tg_ptx_matrix_bits(em, &f->matrix, f->is_right ? k : row, f->is_right ? row : k);
}

/* Where byte `k_byte` of a row is, from the start of the factor. */
static tg_ptx_reg place_of(tg_ptx_emitter *em, const factor *f, tg_ptx_reg row, tg_ptx_reg k_byte)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg step = tg_ptx_with(em, TG_PTX_B32, "shr.u32", k_byte, 5),
                     unit = tg_ptx_with(em, TG_PTX_B32, "and.b32", k_byte, UNIT),
                     rest = tg_ptx_with(em, TG_PTX_B32, "and.b32", k_byte, UNIT - 1),
                     group = tg_ptx_with(em, TG_PTX_B32, "shr.u32", row, 3),
                     in_group = tg_ptx_with(em, TG_PTX_B32, "and.b32", row, ROWS - 1),
                     at = tg_ptx_new(w, TG_PTX_B32);
    tg_ptx_row(w, "mad.lo.u32 %s, %s, %" PRId64 ", %s;", at.name, step.name, f->rows * STEP,
               rest.name);
    tg_ptx_row(w, "mad.lo.u32 %s, %s, %d, %s;", at.name, group.name, 2 * CORE, at.name);
    tg_ptx_row(w, "mad.lo.u32 %s, %s, %d, %s;", at.name, unit.name, ROWS, at.name);
    tg_ptx_row(w, "mad.lo.u32 %s, %s, %d, %s;", at.name, in_group.name, UNIT, at.name);
    return at;
}

/* Copies elements first ... of k, up to `count`, those beyond k as zeros. */
static void stage(tg_ptx_emitter *em, const factor *f, int64_t bytes, int64_t first, int64_t count)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg base = tg_ptx_tensor_staged(em, f->offset);
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, f->rows * count);
    const tg_ptx_reg row = tg_ptx_with(em, TG_PTX_B32, "div.u32", loop.element, count),
                     within = tg_ptx_with(em, TG_PTX_B32, "rem.u32", loop.element, count),
                     k_byte = tg_ptx_with(em, TG_PTX_B32, "mul.lo.u32", within, bytes);
    tg_ptx_reg k = tg_ptx_with(em, TG_PTX_B32, "add.u32", within, first);
    const bool has_zeros = first + count > f->k;
    if (has_zeros) k = tg_ptx_with(em, TG_PTX_B32, "min.u32", k, f->k - 1);
    tg_ptx_reg bits = read_bits(em, f, row, k);
    if (has_zeros) {
        const tg_ptx_reg is_real = tg_ptx_new(w, TG_PTX_PRED), real = tg_ptx_new(w, TG_PTX_B32);
        tg_ptx_row(w, "setp.lt.u32 %s, %s, %" PRId64 ";", is_real.name, within.name, f->k - first);
        tg_ptx_row(w, "selp.b32 %s, %s, 0, %s;", real.name, bits.name, is_real.name);
        bits = real;
    }
    const tg_ptx_reg at = tg_ptx_beyond(em, base, place_of(em, f, row, k_byte), 1, 0);
    tg_ptx_store_bits(em, TG_PTX_SHARED, (int)bytes, at, bits);
    tg_ptx_loop_end(em, &loop);
}

/* ---- multiplying ---- */

/* The descriptor of a factor's first step. */
static tg_ptx_reg descriptor_of(tg_ptx_emitter *em, const factor *f)
{
    const uint64_t rest =
        (uint64_t)(CORE / UNIT) << 16 | (uint64_t)(2 * CORE / UNIT) << 32 | UINT64_C(1) << 46;
    const tg_ptx_reg base = tg_ptx_tensor_staged(em, f->offset),
                     units = tg_ptx_with(em, TG_PTX_B64, "shr.u64", base, 4);
    return tg_ptx_with(em, TG_PTX_B64, "or.b64", units, (int64_t)rest);
}

typedef struct sum {
    const tg_ptx_tensor_product *product;
    tg_ptx_reg address;        /* .b32 */
    tg_ptx_reg is_read, never; /* predicates */
    tg_ptx_reg descriptors[2];
} sum;

/* Step `step` of those that were copied, for the columns from `first` on. */
static void multiply_part(tg_ptx_emitter *em, const sum *s, int64_t step, int64_t first,
                          bool is_fresh)
{
    enum { MOST = 256 };
    const tg_ptx_tensor_product *p = s->product;
    const int64_t n = p->n - first < MOST ? p->n - first : MOST;
    const uint32_t descriptor = p->formats | (uint32_t)(n / 8) << 17 | (uint32_t)(p->m / 16) << 24;
    const tg_ptx_reg a = tg_ptx_with(em, TG_PTX_B64, "add.u64", s->descriptors[LHS],
                                     step * p->m * STEP / UNIT),
                     b = tg_ptx_with(em, TG_PTX_B64, "add.u64", s->descriptors[RHS],
                                     (step * p->n + first) * STEP / UNIT);
    tg_ptx_row(&em->w,
               "tcgen05.mma.cta_group::1.kind::%s [%s+%" PRId64 "], %s, %s, 0x%" PRIx32 ", %s;",
               p->kind, s->address.name, first, a.name, b.name, descriptor,
               is_fresh ? s->never.name : s->is_read.name);
}

static void multiply(tg_ptx_emitter *em, const factor *factors, const tg_ptx_tensor_product *p,
                     int64_t column, int64_t steps, bool is_fresh)
{
    enum { MOST = 256 };
    tg_ptx_writer *w = &em->w;
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    sum s = {.product = p,
             .address = tg_ptx_with(em, TG_PTX_B32, "add.u32", em->tensor->address, column),
             .is_read = tg_ptx_new(w, TG_PTX_PRED),
             .never = tg_ptx_new(w, TG_PTX_PRED)};
    tg_ptx_tensor_after(em);
    tg_ptx_row(w, "setp.eq.u32 %s, %s, %s;", s.is_read.name, em->tid.name, em->tid.name);
    tg_ptx_row(w, "setp.ne.u32 %s, %s, %s;", s.never.name, em->tid.name, em->tid.name);
    for (int i = LHS; i <= RHS; i++) s.descriptors[i] = descriptor_of(em, &factors[i]);
    for (int64_t step = 0; step < steps; step++)
        for (int64_t first = 0; first < p->n; first += MOST)
            multiply_part(em, &s, step, first, is_fresh && step == 0);
    tg_ptx_loop_end(em, &one);
    tg_ptx_tensor_commit(em);
}

void tg_ptx_tensor_multiply(tg_ptx_emitter *em, const struct tg_inst_async *product)
{
    const int64_t column =
        em->tensor->columns[product->to.root] + em->tensor->of_ref[product->to.ref];
    tg_ptx_tensor_product p;
    factor factors[2];
    (void)tg_ptx_tensor_can(em, product, &p);
    const int64_t of_step = STEP / p.bytes;
    for (int i = LHS; i <= RHS; i++) {
        tg_ptx_matrix_begin(em, &product->source[i], &factors[i].matrix);
        factors[i].rows = i == RHS ? p.n : p.m;
        factors[i].k = p.k;
        factors[i].is_right = i == RHS;
        factors[i].offset = i == RHS ? p.m * STEP * p.together : 0;
    }
    for (int64_t step = 0; step < p.steps; step += p.together) {
        const int64_t steps = p.steps - step < p.together ? p.steps - step : p.together;
        tg_ptx_tensor_wait(em); /* until products have read what was copied before */
        for (int i = LHS; i <= RHS; i++)
            stage(em, &factors[i], p.bytes, step * of_step, steps * of_step);
        tg_ptx_row(&em->w, "fence.proxy.async;");
        tg_ptx_tensor_before(em);
        tg_ptx_barrier(em);
        tg_ptx_ready_again(em);
        multiply(em, factors, &p, column, steps, product->replaces && step == 0);
    }
}

/* ---- arrivals ---- */

/* Where the threads do some of what the arrival is behind, they wait for the rest. */
void tg_ptx_tensor_arrive(tg_ptx_emitter *em, const tg_ptx_ref *barrier)
{
    if (!em->tensor->has_other) {
        tg_ptx_barrier_commit(em, barrier);
        return;
    }
    tg_ptx_tensor_wait(em);
    tg_ptx_tensor_before(em);
    tg_ptx_barrier_row(em);
    tg_ptx_barrier_arrive(em, barrier);
}
