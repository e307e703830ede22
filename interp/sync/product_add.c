#include "interp/sync/product_add.h"

#include <stdlib.h>

#include "interp/blocks/dot.h"
#include "interp/sync/async_block.h"

enum { LHS, RHS };

/* The matrices of a product as dense blocks of carriers: of `acc` the factors, and of the sum's dtype
 * the sum before it, unless that is replaced. */
typedef struct factors {
    int64_t m, n, k;
    unsigned char *lhs, *rhs, *sum;
} factors;

/* Returns false if memory runs out; free them in either case. */
static bool read_factors(const tg_machine *m, const tg_async_op *product, factors *out)
{
    const struct tg_inst_async *plan = product->inst->as.async;
    const tg_type *lhs = &plan->source[LHS].type, *rhs = &plan->source[RHS].type;
    *out = (factors){.m = lhs->shape[0], .n = rhs->shape[1], .k = lhs->shape[1]};
    out->lhs = tg_async_block_read(m, &product->source[LHS], lhs, plan->acc);
    out->rhs = tg_async_block_read(m, &product->source[RHS], rhs, plan->acc);
    if (!plan->replaces)
        out->sum = tg_async_block_read(m, &product->to, &plan->to.type, plan->to.type.dtype);
    return out->lhs && out->rhs && (out->sum || plan->replaces);
}

static void free_factors(factors *f)
{
    free(f->lhs);
    free(f->rhs);
    free(f->sum);
}

/* The product, in carriers of `acc`; NULL: memory ran out. */
static unsigned char *multiply(const tg_machine *m, const factors *f, tg_dtype acc)
{
    const tg_dot_shape shape = {.b = 1,
                                .m = f->m,
                                .n = f->n,
                                .k = f->k,
                                .lhs_m = f->k,
                                .lhs_k = 1,
                                .rhs_k = f->n,
                                .rhs_n = 1};
    const size_t bytes = (size_t)(f->m * f->n) * tg_carrier_bytes[tg_carrier_of(acc)];
    unsigned char *product = malloc(bytes + 1);
    void *workspace = malloc(tg_dot_workspace(&shape, acc) + 1);
    if (product && workspace)
        tg_dot(m->launch->elementwise, acc, &shape, f->lhs, f->rhs, product, workspace);
    const bool is_done = workspace != NULL;
    free(workspace);
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
    factors f;
    unsigned char *result = NULL;
    if (read_factors(m, product, &f)) result = multiply(m, &f, plan->acc);
    if (result) result = tg_async_block_convert(m, result, count, plan->acc, type->dtype);
    if (result && !plan->replaces) add(m, type->dtype, f.sum, result, count);
    const unsigned char *const sum = plan->replaces ? result : f.sum;
    const bool is_done = result && tg_async_block_write(m, &product->to, type, sum);
    free_factors(&f);
    free(result);
    return is_done;
}
