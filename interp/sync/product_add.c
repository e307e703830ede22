#include "interp/sync/product_add.h"

#include <string.h>

#include "interp/blocks/tensor_core.h"
#include "interp/sync/async_block.h"
#include "interp/sync/product_factors.h"

/* A product that takes place. */
typedef struct work {
    const tg_machine *m;
    tg_room *room;
    const struct tg_inst_async *plan;
    tg_tensor_core core;
    tg_product_factors f;
    void *workspace; /* of tg_dot, for all rows */
} work;

static tg_tensor_core core_of(const tg_machine *m, const struct tg_inst_async *plan)
{
    return tg_tensor_core_for(m->launch->setting.tensor_core, plan->acc, plan->source[0].type.dtype,
                              plan->source[1].type.dtype, true);
}

/* The product of some rows of the left factor. */
static tg_dot_shape shape_of(const tg_product_factors *f, int64_t rows)
{
    return (tg_dot_shape){.b = 1,
                          .m = rows,
                          .n = f->n,
                          .k = f->k,
                          .lhs_m = f->k,
                          .lhs_k = 1,
                          .rhs_k = f->n,
                          .rhs_n = 1};
}

/* Returns false if memory runs out. */
static bool begin(work *w, const tg_machine *m, const tg_async_op *product)
{
    *w = (work){.m = m, .room = tg_room_enter(m->launch), .plan = product->inst->as.async};
    w->core = core_of(m, w->plan);
    if (!w->room || !tg_product_read(m, w->room, product, &w->f)) return false;
    const tg_dot_shape all = shape_of(&w->f, w->f.m);
    w->workspace = tg_room_take(w->room, tg_dot_workspace(&all, w->plan->acc));
    return w->workspace != NULL;
}

/* ---- where the sum is ---- */

/* Whether a product can be added where the sum is: that is in rows of what tg_dot_add computes. */
static bool finds_sum(const work *w, const tg_async_op *product, tg_view *sum)
{
    const tg_type *type = &w->plan->to.type;
    const tg_product_factors *f = &w->f;
    const bool is_plain = w->core == TG_TENSOR_CORE_EXACT && !f->rows &&
                          type->dtype == w->plan->acc && tg_is_native(type->dtype);
    return is_plain && f->n > 1 && f->k > 0 && f->k <= TG_DOT_IN_PLACE &&
           tg_async_block_rows(&product->to, type, sum);
}

static void add_in_place(const work *w, const tg_view *to)
{
    const tg_dot_shape shape = shape_of(&w->f, w->f.m);
    const tg_dot_sum sum = {.addend = w->plan->replaces ? NULL : to->data,
                            .addend_row = to->stride[0],
                            .out_row = to->stride[0]};
    tg_dot_add(w->m->launch->elementwise, w->plan->acc, &shape, w->f.lhs, w->f.rhs, &sum,
               (void *)to->data, w->workspace);
}

/* ---- by way of blocks ---- */

/* Rows of the left factor times the right one, in carriers of `acc`; on a tensor core added to what `to`
 * holds.  `to` is `rows` by n. */
static void multiply_rows(const work *w, int64_t rows, const unsigned char *lhs,
                          const unsigned char *rhs, unsigned char *to)
{
    const struct tg_inst_async *plan = w->plan;
    const tg_dot_shape shape = shape_of(&w->f, rows);
    if (w->core == TG_TENSOR_CORE_EXACT)
        tg_dot(w->m->launch->elementwise, plan->acc, &shape, lhs, rhs, to, w->workspace);
    else
        tg_tensor_core_add(w->core, plan->source[0].type.dtype, plan->to.type.dtype, &shape,
                           (const void *)lhs, (const void *)rhs, (void *)to);
}

/* A sparse left factor: for each of its rows, the rows of the right factor that its elements are
 * multiplied by.  Returns false if memory runs out. */
static bool multiply_sparse(const work *w, unsigned char *to)
{
    const tg_product_factors *f = &w->f;
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(w->plan->acc)],
                 row_bytes = (size_t)f->n * bytes;
    unsigned char *const rhs = tg_room_take(w->room, (size_t)f->k * row_bytes);
    for (int64_t row = 0; rhs && row < f->m; row++) {
        for (int64_t i = 0; i < f->k; i++)
            memcpy(rhs + (size_t)i * row_bytes,
                   f->rhs + (size_t)f->rows[row * f->k + i] * row_bytes, row_bytes);
        multiply_rows(w, 1, f->lhs + (size_t)(row * f->k) * bytes, rhs,
                      to + (size_t)row * row_bytes);
    }
    return rhs != NULL;
}

/* What a tensor core adds to: the sum before, or zeros in its place. */
static void begin_sum(const unsigned char *sum, unsigned char *to, size_t bytes)
{
    if (sum)
        memcpy(to, sum, bytes);
    else
        memset(to, 0, bytes);
}

/* The product, in carriers of `acc`, and on a tensor core the sum before it as well, which is NULL if it
 * is replaced.  Returns NULL if memory runs out. */
static unsigned char *multiply(const work *w, const unsigned char *sum)
{
    const tg_product_factors *f = &w->f;
    const size_t bytes = (size_t)(f->m * f->n) * tg_carrier_bytes[tg_carrier_of(w->plan->acc)];
    unsigned char *const product = tg_room_take(w->room, bytes);
    if (!product) return NULL;
    if (w->core != TG_TENSOR_CORE_EXACT) begin_sum(sum, product, bytes);
    if (f->rows) return multiply_sparse(w, product) ? product : NULL;
    multiply_rows(w, f->m, f->lhs, f->rhs, product);
    return product;
}

/* sum += product, both in carriers of `dtype`. */
static void add(const tg_machine *m, tg_dtype dtype, unsigned char *sum,
                const unsigned char *product, size_t count)
{
    const tg_elementwise_call call =
        tg_elementwise_op(m->launch->elementwise, TG_OP_add, dtype, dtype);
    const void *terms[] = {sum, product}, *const result = sum;
    call.compute(sum, terms, 0, count, 0);
    if (call.finish) call.finish(sum, &result, 0, count, 0);
}

static bool add_by_blocks(const work *w, const tg_async_op *product)
{
    const tg_type *type = &w->plan->to.type;
    const size_t count = (size_t)tg_type_count(type);
    unsigned char *sum = NULL;
    if (!w->plan->replaces) {
        sum = tg_async_block_read(w->m, w->room, &product->to, type, type->dtype);
        if (!sum) return false;
    }
    unsigned char *result = multiply(w, sum);
    if (result)
        result = tg_async_block_convert(w->m, w->room, result, count, w->plan->acc, type->dtype);
    const bool adds = sum && w->core == TG_TENSOR_CORE_EXACT;
    if (result && adds) add(w->m, type->dtype, sum, result, count);
    return result && tg_async_block_write(w->m, w->room, &product->to, type, adds ? sum : result);
}

bool tg_product_add(tg_machine *m, tg_async_op *product)
{
    work w;
    tg_view sum;
    bool is_done = begin(&w, m, product);
    if (is_done && finds_sum(&w, product, &sum))
        add_in_place(&w, &sum);
    else if (is_done)
        is_done = add_by_blocks(&w, product);
    tg_room_leave(m->launch, w.room);
    return is_done;
}
