#include "interp/sync/product_add.h"

#include <stdlib.h>
#include <string.h>

#include "interp/blocks/tensor_core.h"
#include "interp/sync/async_block.h"
#include "interp/sync/product_factors.h"

static tg_tensor_core core_of(const tg_machine *m, const struct tg_inst_async *plan)
{
    return tg_tensor_core_for(m->launch->setting.tensor_core, plan->acc, plan->source[0].type.dtype,
                              plan->source[1].type.dtype, true);
}

/* Rows of the left factor times the right one, in carriers of `acc`; on a tensor core added to what `to`
 * holds.  `to` is `rows` by n.  Returns false if memory runs out. */
static bool multiply_rows(const tg_machine *m, const tg_product_factors *f,
                          const struct tg_inst_async *plan, int64_t rows, const unsigned char *lhs,
                          const unsigned char *rhs, unsigned char *to)
{
    const tg_tensor_core core = core_of(m, plan);
    const tg_dot_shape shape = {.b = 1,
                                .m = rows,
                                .n = f->n,
                                .k = f->k,
                                .lhs_m = f->k,
                                .lhs_k = 1,
                                .rhs_k = f->n,
                                .rhs_n = 1};
    if (core != TG_TENSOR_CORE_EXACT) {
        tg_tensor_core_add(core, plan->source[0].type.dtype, plan->to.type.dtype, &shape,
                           (const void *)lhs, (const void *)rhs, (void *)to);
        return true;
    }
    void *workspace = malloc(tg_dot_workspace(&shape, plan->acc) + 1);
    if (!workspace) return false;
    tg_dot(m->launch->elementwise, plan->acc, &shape, lhs, rhs, to, workspace);
    free(workspace);
    return true;
}

/* A sparse left factor: for each of its rows, the rows of the right factor that its elements are
 * multiplied by. */
static bool multiply_sparse(const tg_machine *m, const tg_product_factors *f,
                            const struct tg_inst_async *plan, unsigned char *to)
{
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(plan->acc)],
                 row_bytes = (size_t)f->n * bytes;
    unsigned char *rhs = malloc((size_t)f->k * row_bytes + 1);
    bool is_done = rhs != NULL;
    for (int64_t row = 0; is_done && row < f->m; row++) {
        for (int64_t i = 0; i < f->k; i++)
            memcpy(rhs + (size_t)i * row_bytes,
                   f->rhs + (size_t)f->rows[row * f->k + i] * row_bytes, row_bytes);
        is_done = multiply_rows(m, f, plan, 1, f->lhs + (size_t)(row * f->k) * bytes, rhs,
                                to + (size_t)row * row_bytes);
    }
    free(rhs);
    return is_done;
}

/* What a tensor core adds to: the sum before, or zeros in its place. */
static void begin_sum(const tg_product_factors *f, unsigned char *to, size_t bytes)
{
    if (f->sum)
        memcpy(to, f->sum, bytes);
    else
        memset(to, 0, bytes);
}

/* The product, in carriers of `acc`, and on a tensor core the sum before it as well; NULL: memory ran
 * out. */
static unsigned char *multiply(const tg_machine *m, const tg_product_factors *f,
                               const struct tg_inst_async *plan)
{
    const size_t bytes = (size_t)(f->m * f->n) * tg_carrier_bytes[tg_carrier_of(plan->acc)];
    unsigned char *product = malloc(bytes + 1);
    if (!product) return NULL;
    if (core_of(m, plan) != TG_TENSOR_CORE_EXACT) begin_sum(f, product, bytes);
    const bool is_done = f->rows ? multiply_sparse(m, f, plan, product)
                                 : multiply_rows(m, f, plan, f->m, f->lhs, f->rhs, product);
    if (is_done) return product;
    free(product);
    return NULL;
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

bool tg_product_add(tg_machine *m, tg_async_op *product)
{
    const struct tg_inst_async *plan = product->inst->as.async;
    const tg_type *type = &plan->to.type;
    const size_t count = (size_t)tg_type_count(type);
    tg_product_factors f;
    unsigned char *result = NULL;
    if (tg_product_read(m, product, &f)) result = multiply(m, &f, plan);
    if (result) result = tg_async_block_convert(m, result, count, plan->acc, type->dtype);
    const bool adds = !plan->replaces && core_of(m, plan) == TG_TENSOR_CORE_EXACT;
    if (result && adds) add(m, type->dtype, f.sum, result, count);
    const unsigned char *const sum = adds ? f.sum : result;
    const bool is_done = result && tg_async_block_write(m, &product->to, type, sum);
    tg_product_factors_free(&f);
    free(result);
    return is_done;
}
