#include "interp/sync/product_factors.h"

#include <string.h>

#include "interp/sync/async_block.h"
#include "ir/product.h"

enum { LHS, RHS };

static size_t count_of(const tg_type *type) { return (size_t)tg_type_count(type); }

static unsigned char *read_source(const tg_machine *m, tg_room *room, const tg_async_op *product,
                                  uint32_t which, tg_dtype as)
{
    const tg_async_place *place = &product->inst->as.async->source[which];
    return tg_async_block_read(m, room, &product->source[which], &place->type, as);
}

/* ---- scales ---- */

/* Repeats the scales: one for each element of the factor. */
static void repeat(const unsigned char *scales, int64_t blocks, const tg_type *factor,
                   bool is_right, size_t bytes, unsigned char *to)
{
    for (int64_t row = 0; row < factor->shape[0]; row++)
        for (int64_t column = 0; column < factor->shape[1]; column++, to += bytes) {
            const int64_t at = tg_product_scale_of(factor, is_right, blocks, row, column);
            memcpy(to, scales + (size_t)at * bytes, bytes);
        }
}

static void multiply(const tg_machine *m, tg_dtype dtype, unsigned char *factor,
                     const unsigned char *scales, size_t count)
{
    const tg_elementwise_call call =
        tg_elementwise_op(m->launch->elementwise, TG_OP_mul, dtype, dtype);
    const void *terms[] = {factor, scales}, *const result = factor;
    call.compute(factor, terms, 0, count, 0);
    if (call.finish) call.finish(factor, &result, 0, count, 0);
}

/* Multiplies the block of a factor by its scales.  Returns false if memory runs out. */
static bool scale(const tg_machine *m, tg_room *room, const tg_async_op *product, uint32_t which,
                  unsigned char *factor)
{
    const struct tg_inst_async *plan = product->inst->as.async;
    const uint32_t from = plan->scales + which;
    const tg_type *type = &plan->source[which].type;
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(plan->acc)];
    const unsigned char *const scales = read_source(m, room, product, from, plan->acc);
    unsigned char *const repeated = tg_room_take(room, count_of(type) * bytes);
    if (!scales || !repeated) return false;
    repeat(scales, plan->source[from].type.shape[1], type, which == RHS, bytes, repeated);
    multiply(m, plan->acc, factor, repeated, count_of(type));
    return true;
}

/* ---- all ---- */

int64_t *tg_product_rows(const tg_machine *m, tg_room *room, const tg_async_op *product)
{
    const struct tg_inst_async *plan = product->inst->as.async;
    const tg_type *type = &plan->source[plan->selection].type;
    const size_t count = count_of(type);
    const unsigned char *const selected =
        read_source(m, room, product, plan->selection, type->dtype);
    int64_t *const rows = selected ? tg_room_take(room, count * sizeof *rows) : NULL;
    for (size_t i = 0; rows && i < count; i++) {
        const int64_t group = (int64_t)i % type->shape[1] / TG_SPARSE_KEPT;
        rows[i] = group * TG_SPARSE_GROUP + selected[i] % TG_SPARSE_GROUP;
    }
    return rows;
}

bool tg_product_read(const tg_machine *m, tg_room *room, const tg_async_op *product,
                     tg_product_factors *out)
{
    const struct tg_inst_async *plan = product->inst->as.async;
    const tg_type *lhs = &plan->source[LHS].type, *rhs = &plan->source[RHS].type;
    *out = (tg_product_factors){.m = lhs->shape[0], .n = rhs->shape[1], .k = lhs->shape[1]};
    out->lhs = read_source(m, room, product, LHS, plan->acc);
    out->rhs = read_source(m, room, product, RHS, plan->acc);
    if (plan->selection) out->rows = tg_product_rows(m, room, product);
    bool is_done = out->lhs && out->rhs && (out->rows || !plan->selection);
    if (is_done && plan->scales)
        is_done = scale(m, room, product, LHS, out->lhs) && scale(m, room, product, RHS, out->rhs);
    return is_done;
}
