/* Products beside the threads.  Each takes place where it starts, which is one of the times that
 * docs/semantics.md permits (dot_start), so nobody has to wait for them: by wgmma, or as one chain of fused
 * multiply-adds for each element, k ascending, as for products of values. */
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
#include "gpu_backend/instructions/product_parts.h"
#include "gpu_backend/instructions/tcgen05.h"
#include "gpu_backend/instructions/tcgen05_product.h"
#include "gpu_backend/instructions/wgmma.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

enum { LHS, RHS };

/* Element (row, column) of the product, in the type in which it is summed. */
static tg_ptx_reg multiply(tg_ptx_emitter *em, const tg_ptx_matrix *factors, tg_dtype acc,
                           tg_ptx_reg row, tg_ptx_reg column)
{
    const uint64_t zero = 0;
    const int64_t k = factors[RHS].place->type.shape[0];
    const tg_ptx_reg sum = tg_ptx_constant(&em->w, acc, &zero);
    if (k == 0) return sum;
    const tg_ptx_loop along = tg_ptx_serial_begin(em, k);
    const tg_ptx_reg a = tg_ptx_matrix_factor(em, &factors[LHS], row, along.element, acc),
                     b = tg_ptx_matrix_factor(em, &factors[RHS], along.element, column, acc);
    tg_ptx_multiply_add(em, acc, sum, a, b);
    tg_ptx_serial_end(em, &along);
    return sum;
}

/* All elements of the sum: those of the product, added to it or in its place. */
static void add_product(tg_ptx_emitter *em, const struct tg_inst_async *product)
{
    const tg_type *type = &product->to.type;
    tg_ptx_matrix factors[2], sum;
    tg_ptx_element at;
    tg_ptx_reg index[2];
    for (int i = LHS; i <= RHS; i++) tg_ptx_matrix_begin(em, &product->source[i], &factors[i]);
    tg_ptx_matrix_begin(em, &product->to, &sum);
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, tg_type_count(type));
    for (int d = 0; d < 2; d++) {
        index[d] = tg_ptx_new(&em->w, TG_PTX_B32); /* of an extent of 1, the index is 0 */
        tg_ptx_row(&em->w, d ? "rem.u32 %s, %s, %" PRId64 ";" : "div.u32 %s, %s, %" PRId64 ";",
                   index[d].name, loop.element.name, type->shape[1]);
    }
    const tg_ptx_reg made = multiply(em, factors, product->acc, index[0], index[1]);
    tg_ptx_reg value = tg_ptx_convert(&em->w, product->acc, type->dtype, made);
    const tg_ptx_reg old = tg_ptx_matrix_read(em, &sum, loop.element, &at);
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

/* Whether its bits are those of a tensor core, which no chain has. */
static bool is_on_tensor_core(const tg_ptx_emitter *em, const struct tg_inst_async *product)
{
    const tg_async_place *factors = product->source;
    return factors[RHS].type.shape[0] > 0 &&
           tg_tensor_core_for(em->tensor_core, product->acc, factors[LHS].type.dtype,
                              factors[RHS].type.dtype, true) != TG_TENSOR_CORE_EXACT;
}

void tg_ptx_inst_product(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_async *product = inst->as.async;
    if (tg_ptx_tensor_has(em, product->to.root)) {
        tg_ptx_tensor_multiply(em, product);
        return;
    }
    if (may_meet(em, product)) tg_ptx_refuse(em, TG_PTX_REFUSES_PRODUCTS, "dot_start");
    if (product->source_count > 2) {
        tg_ptx_refuse(em, TG_PTX_REFUSES_SCALES, "dot_start");
        return;
    }
    if (tg_type_count(&product->to.type) == 0) return;
    if (tg_ptx_wgmma_wants(em, product) && tg_ptx_wgmma_fits(em))
        tg_ptx_wgmma(em, product);
    else if (is_on_tensor_core(em, product))
        tg_ptx_refuse(em, TG_PTX_REFUSES_TENSOR_CORE, "dot_start");
    else
        add_product(em, product);
}

void tg_ptx_inst_arrival(tg_ptx_emitter *em, const tg_inst *inst)
{
    const tg_ptx_ref *signal = &em->refs[inst->as.async->signal];
    if (em->tensor)
        tg_ptx_tensor_arrive(em, signal);
    else
        tg_ptx_barrier_arrive(em, signal);
}
