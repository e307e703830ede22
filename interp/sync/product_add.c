#include "interp/sync/product_add.h"

#include <stdlib.h>
#include <string.h>

#include "interp/blocks/dot.h"
#include "interp/sync/async_block.h"
#include "interp/sync/product_factors.h"

/* Rows of the left factor times the right one, in carriers of `acc`.  `to` is `rows` by n.  Returns false
 * if memory runs out. */
static bool multiply_rows(const tg_machine *m, const tg_product_factors *f, tg_dtype acc,
                          int64_t rows, const unsigned char *lhs, const unsigned char *rhs,
                          unsigned char *to)
{
    const tg_dot_shape shape = {.b = 1,
                                .m = rows,
                                .n = f->n,
                                .k = f->k,
                                .lhs_m = f->k,
                                .lhs_k = 1,
                                .rhs_k = f->n,
                                .rhs_n = 1};
    void *workspace = malloc(tg_dot_workspace(&shape, acc) + 1);
    if (!workspace) return false;
    tg_dot(m->launch->elementwise, acc, &shape, lhs, rhs, to, workspace);
    free(workspace);
    return true;
}

/* A sparse left factor: for each of its rows, the rows of the right factor that its elements are
 * multiplied by. */
static bool multiply_sparse(const tg_machine *m, const tg_product_factors *f, tg_dtype acc,
                            unsigned char *to)
{
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(acc)], row_bytes = (size_t)f->n * bytes;
    unsigned char *rhs = malloc((size_t)f->k * row_bytes + 1);
    bool is_done = rhs != NULL;
    for (int64_t row = 0; is_done && row < f->m; row++) {
        for (int64_t i = 0; i < f->k; i++)
            memcpy(rhs + (size_t)i * row_bytes,
                   f->rhs + (size_t)f->rows[row * f->k + i] * row_bytes, row_bytes);
        is_done = multiply_rows(m, f, acc, 1, f->lhs + (size_t)(row * f->k) * bytes, rhs,
                                to + (size_t)row * row_bytes);
    }
    free(rhs);
    return is_done;
}

/* The product, in carriers of `acc`; NULL: memory ran out. */
static unsigned char *multiply(const tg_machine *m, const tg_product_factors *f, tg_dtype acc)
{
    const size_t bytes = (size_t)(f->m * f->n) * tg_carrier_bytes[tg_carrier_of(acc)];
    unsigned char *product = malloc(bytes + 1);
    if (!product) return NULL;
    const bool is_done = f->rows ? multiply_sparse(m, f, acc, product)
                                 : multiply_rows(m, f, acc, f->m, f->lhs, f->rhs, product);
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
    if (tg_product_read(m, product, &f)) result = multiply(m, &f, plan->acc);
    if (result) result = tg_async_block_convert(m, result, count, plan->acc, type->dtype);
    if (result && !plan->replaces) add(m, type->dtype, f.sum, result, count);
    const unsigned char *const sum = plan->replaces ? result : f.sum;
    const bool is_done = result && tg_async_block_write(m, &product->to, type, sum);
    tg_product_factors_free(&f);
    free(result);
    return is_done;
}
