/* Products beside the threads.  Each takes place where it starts, which is one of the times that
 * docs/semantics.md permits (dot_start): one chain of fused multiply-adds for each element, k ascending,
 * as for products of values.  So nobody has to wait for them. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/elementwise/convert.h"
#include "gpu_backend/emit/apply.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/instructions/barrier.h"
#include "gpu_backend/instructions/dot_parts.h"
#include "gpu_backend/instructions/insts.h"
#include "gpu_backend/instructions/whole.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

enum { LHS, RHS };

/* A factor or the sum: a ref, or a value. */
typedef struct matrix {
    const tg_async_place *place;
    tg_ptx_whole whole; /* of a ref */
} matrix;

static void begin(tg_ptx_emitter *em, const tg_async_place *place, matrix *out)
{
    out->place = place;
    if (!place->is_value) tg_ptx_whole_begin(em, place, &out->whole);
}

/* The linear index of element (row, column), .b32. */
static tg_ptx_reg number_of(tg_ptx_emitter *em, const matrix *m, tg_ptx_reg row, tg_ptx_reg column)
{
    const tg_ptx_reg number = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "mad.lo.s32 %s, %s, %" PRId64 ", %s;", number.name, row.name,
               m->place->type.shape[1], column.name);
    return number;
}

/* An element of memory as a carrier; *at is where it is. */
static tg_ptx_reg read_element(tg_ptx_emitter *em, const matrix *m, tg_ptx_reg number,
                               tg_ptx_element *at)
{
    *at = tg_ptx_find(em, &m->whole.walk, number);
    const tg_ptx_reg bits = tg_ptx_read_bits(em, &m->whole.walk, at);
    return tg_ptx_from_memory(&em->w, m->place->type.dtype, bits);
}

static tg_ptx_reg factor(tg_ptx_emitter *em, const matrix *m, tg_ptx_reg row, tg_ptx_reg column,
                         tg_dtype acc)
{
    const tg_ptx_reg index[2] = {row, column};
    tg_ptx_element at;
    const tg_ptx_reg value = m->place->is_value
                                 ? tg_ptx_load(em, &m->place->value, index)
                                 : read_element(em, m, number_of(em, m, row, column), &at);
    return tg_ptx_convert(&em->w, m->place->type.dtype, acc, value);
}

/* Element (row, column) of the product, in the type in which it is summed. */
static tg_ptx_reg multiply(tg_ptx_emitter *em, const matrix *factors, tg_dtype acc, tg_ptx_reg row,
                           tg_ptx_reg column)
{
    const uint64_t zero = 0;
    const int64_t k = factors[RHS].place->type.shape[0];
    const tg_ptx_reg sum = tg_ptx_constant(&em->w, acc, &zero);
    if (k == 0) return sum;
    const tg_ptx_loop along = tg_ptx_serial_begin(em, k);
    const tg_ptx_reg a = factor(em, &factors[LHS], row, along.element, acc),
                     b = factor(em, &factors[RHS], along.element, column, acc);
    tg_ptx_multiply_add(em, acc, sum, a, b);
    tg_ptx_serial_end(em, &along);
    return sum;
}

/* All elements of the sum: those of the product, added to it or in its place. */
static void add_product(tg_ptx_emitter *em, const struct tg_inst_async *product)
{
    const tg_type *type = &product->to.type;
    matrix factors[2], sum;
    tg_ptx_element at;
    tg_ptx_reg index[2];
    for (int i = LHS; i <= RHS; i++) begin(em, &product->source[i], &factors[i]);
    begin(em, &product->to, &sum);
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, tg_type_count(type));
    for (int d = 0; d < 2; d++) {
        index[d] = tg_ptx_new(&em->w, TG_PTX_B32); /* of an extent of 1, the index is 0 */
        tg_ptx_row(&em->w, d ? "rem.u32 %s, %s, %" PRId64 ";" : "div.u32 %s, %s, %" PRId64 ";",
                   index[d].name, loop.element.name, type->shape[1]);
    }
    const tg_ptx_reg made = multiply(em, factors, product->acc, index[0], index[1]);
    tg_ptx_reg value = tg_ptx_convert(&em->w, product->acc, type->dtype, made);
    const tg_ptx_reg old = read_element(em, &sum, loop.element, &at);
    if (!product->replaces) value = tg_ptx_apply_two(em, TG_OP_add, type->dtype, old, value);
    tg_ptx_write_bits(em, &sum.whole.walk, &at, tg_ptx_to_memory(&em->w, type->dtype, value));
    tg_ptx_loop_end(em, &loop);
}

/* Each element is written while others are still computed. */
static bool may_meet(const tg_ptx_emitter *em, const struct tg_inst_async *product)
{
    const tg_ptx_ref *sum = &em->refs[product->to.ref];
    for (int i = LHS; i <= RHS; i++) {
        const tg_async_place *place = &product->source[i];
        if (!place->is_value && tg_ptx_overlap(&sum->extent, &em->refs[place->ref].extent))
            return true;
    }
    return false;
}

void tg_ptx_inst_product(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_async *product = inst->as.async;
    if (may_meet(em, product)) tg_ptx_refuse(em, TG_PTX_REFUSES_PRODUCTS, "dot_start");
    if (product->source_count > 2) {
        tg_ptx_refuse(em, TG_PTX_REFUSES_SCALES, "dot_start");
        return;
    }
    if (tg_type_count(&product->to.type)) add_product(em, product);
}

void tg_ptx_inst_arrival(tg_ptx_emitter *em, const tg_inst *inst)
{
    tg_ptx_barrier_arrive(em, &em->refs[inst->as.async->signal]);
}
