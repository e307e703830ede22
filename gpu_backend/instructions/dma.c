#include "gpu_backend/instructions/dma.h"

#include "gpu_backend/instructions/insts.h"

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/ref.h"
#include "gpu_backend/emit/report.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/access_walk.h"
#include "gpu_backend/instructions/atomic.h"
#include "gpu_backend/instructions/barrier.h"
#include "gpu_backend/instructions/bulk.h"
#include "gpu_backend/instructions/multicast.h"
#include "gpu_backend/instructions/semaphore.h"
#include "gpu_backend/instructions/tcgen05_move.h"
#include "gpu_backend/instructions/whole.h"
#include "gpu_backend/text/ptx.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* Whether the two sides may share memory. */
static bool may_meet(const tg_kernel *k, const struct tg_inst_async *dma)
{
    const uint32_t from = dma->source[0].root, to = dma->to.root;
    if (dma->source[0].is_value) return false;
    if (from == UINT32_MAX || to == UINT32_MAX) return from == to;
    return tg_param_owner(k, from) == tg_param_owner(k, to);
}

size_t tg_ptx_dma_extra(const tg_kernel *k, const struct tg_inst_async *dma)
{
    const tg_type *type = &dma->to.type;
    return may_meet(k, dma) ? (size_t)tg_type_count(type) * tg_dtypes[type->dtype].bytes : 0;
}

/* Puts the bits of an element in the place of the one that is there, or combines it with that. */
static void deliver(tg_ptx_emitter *em, const struct tg_inst_async *dma, const tg_ptx_whole *to,
                    const tg_ptx_element *at, tg_ptx_reg bits)
{
    if (!dma->combines) {
        tg_ptx_write_bits(em, &to->walk, at, bits);
        return;
    }
    const uint32_t skip = tg_ptx_new_label(&em->w);
    const tg_ptx_change change = {.op = dma->combine,
                                  .value = tg_ptx_from_memory(&em->w, dma->to.type.dtype, bits)};
    if (at->may_be_absent) tg_ptx_row(&em->w, "@!%s bra $L%u;", at->is_there.name, skip);
    (void)tg_ptx_change_element(em, &to->walk, at, &change);
    if (at->may_be_absent) tg_ptx_label(&em->w, skip);
}

static void move(tg_ptx_emitter *em, const struct tg_inst_async *dma, const tg_ptx_whole *from,
                 const tg_ptx_whole *to)
{
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, from->walk.count);
    const tg_ptx_element source = tg_ptx_find(em, &from->walk, loop.element),
                         target = tg_ptx_find(em, &to->walk, loop.element);
    deliver(em, dma, to, &target, tg_ptx_read_bits(em, &from->walk, &source));
    tg_ptx_loop_end(em, &loop);
}

static void move_value(tg_ptx_emitter *em, const struct tg_inst_async *dma, const tg_ptx_whole *to)
{
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, to->walk.count);
    const tg_ptx_element target = tg_ptx_find(em, &to->walk, loop.element);
    const tg_ptx_reg value = tg_ptx_load(em, &dma->source[0].value, target.index);
    deliver(em, dma, to, &target, tg_ptx_to_memory(&em->w, dma->to.type.dtype, value));
    tg_ptx_loop_end(em, &loop);
}

/* The address of an element in the instruction's temporary memory. */
static tg_ptx_reg own_place(tg_ptx_emitter *em, const tg_ptx_whole *s, tg_ptx_reg element)
{
    const tg_ptx_uniform first =
        tg_ptx_add(em, tg_ptx_held(em->workspace), tg_ptx_known((int64_t)em->extra_offset));
    return tg_ptx_address_in_row(em, tg_ptx_uniform_reg(em, first), s->walk.count, element,
                                 tg_ptx_element_bytes(&s->walk));
}

/* Copies through temporary memory, since the sides may overlap. */
static void move_by_way(tg_ptx_emitter *em, const struct tg_inst_async *dma,
                        const tg_ptx_whole *from, const tg_ptx_whole *to)
{
    const int bytes = tg_ptx_element_bytes(&from->walk);
    const tg_ptx_loop out = tg_ptx_loop_begin(em, from->walk.count);
    const tg_ptx_element source = tg_ptx_find(em, &from->walk, out.element);
    const tg_ptx_reg read = tg_ptx_read_bits(em, &from->walk, &source);
    tg_ptx_store_bits(em, em->space, bytes, own_place(em, from, out.element), read);
    tg_ptx_loop_end(em, &out);
    tg_ptx_barrier(em);
    tg_ptx_ready_again(em);
    const tg_ptx_loop back = tg_ptx_loop_begin(em, to->walk.count);
    const tg_ptx_element target = tg_ptx_find(em, &to->walk, back.element);
    const tg_ptx_reg bits = tg_ptx_new(&em->w, bytes == 8 ? TG_PTX_B64 : TG_PTX_B32);
    tg_ptx_row(&em->w, "ld.%s.%s %s, [%s];", tg_ptx_space_name(em->space), tg_ptx_bits_type(bytes),
               bits.name, own_place(em, to, back.element).name);
    deliver(em, dma, to, &target, bits);
    tg_ptx_loop_end(em, &back);
}

/* 1 or 0: whether both sides have the same extents. */
static tg_ptx_uniform same_shape(tg_ptx_emitter *em, const struct tg_inst_async *dma,
                                 const tg_ptx_ref *from)
{
    const tg_ptx_ref *to = &em->refs[dma->to.ref];
    const tg_ptx_uniform one = tg_ptx_known(1);
    tg_ptx_uniform same = one;
    for (int d = 0; d < dma->to.type.rank; d++) {
        same = tg_ptx_both(em, same,
                           tg_ptx_is_less(em, from->shape[d], tg_ptx_add(em, to->shape[d], one)));
        same = tg_ptx_both(em, same,
                           tg_ptx_is_less(em, to->shape[d], tg_ptx_add(em, from->shape[d], one)));
    }
    return same;
}

/* 1 or 0: whether the semaphore exists; a copy of a group has none. */
static tg_ptx_uniform has_told(tg_ptx_emitter *em, const struct tg_inst_async *dma)
{
    return dma->told == TG_ASYNC_TELLS_GROUP ? tg_ptx_known(1) : em->refs[dma->signal].is_inside;
}

/* Bulk copies have fences of their own. */
void tg_ptx_inst_proxy_fence(tg_ptx_emitter *em, const tg_inst *inst) { (void)em, (void)inst; }

/* Copies element by element, where the copy starts. */
static void move_now(tg_ptx_emitter *em, const struct tg_inst_async *dma, tg_ptx_uniform bytes)
{
    tg_ptx_whole from, to;
    tg_ptx_whole_begin(em, &dma->to, &to);
    if (dma->source[0].is_value) {
        move_value(em, dma, &to);
    } else {
        tg_ptx_whole_begin(em, &dma->source[0], &from);
        from.walk.is_zero_outside = dma->zero_outside;
        if (may_meet(em->plan->kernel, dma))
            move_by_way(em, dma, &from, &to);
        else
            move(em, dma, &from, &to);
    }
    if (dma->told == TG_ASYNC_TELLS_SEMAPHORE)
        tg_ptx_semaphore_raise(em, &em->refs[dma->signal], bytes);
    if (dma->told == TG_ASYNC_TELLS_BARRIER)
        tg_ptx_barrier_bring(em, &em->refs[dma->signal], bytes);
}

/* Without an expectation of the program's, the phase waits for the copy all the same. */
static void copy(tg_ptx_emitter *em, const struct tg_inst_async *dma, tg_ptx_uniform bytes)
{
    const tg_ptx_uniform is_bulk = tg_ptx_bulk_is_possible(em, dma);
    if (dma->told == TG_ASYNC_TELLS_BARRIER && !dma->is_expected)
        tg_ptx_barrier_expect(em, &em->refs[dma->signal], bytes);
    if (is_bulk.is_known && is_bulk.known) {
        tg_ptx_bulk_start(em, dma, NULL);
        return;
    }
    if (is_bulk.is_known) {
        move_now(em, dma, bytes);
        return;
    }
    const uint32_t by_element = tg_ptx_new_label(&em->w), end = tg_ptx_new_label(&em->w);
    tg_ptx_row(&em->w, "@!%s bra.uni $L%u;", tg_ptx_is_set(em, is_bulk).name, by_element);
    tg_ptx_bulk_start(em, dma, NULL);
    tg_ptx_row(&em->w, "bra.uni $L%u;", end);
    tg_ptx_label(&em->w, by_element);
    move_now(em, dma, bytes);
    tg_ptx_label(&em->w, end);
    tg_ptx_barrier(em); /* so that no accesses are pending on either path */
}

/* What is copied; a value is whole. */
static tg_ptx_ref source_of(tg_ptx_emitter *em, const struct tg_inst_async *dma)
{
    const tg_type *type = &dma->to.type;
    tg_ptx_ref value = {0};
    if (!dma->source[0].is_value) return em->refs[dma->source[0].ref];
    tg_ptx_ref_set_whole(&value, type->rank, type->shape);
    return value;
}

tg_ptx_uniform tg_ptx_dma_is_bulk(tg_ptx_emitter *em, const struct tg_inst_async *dma)
{
    const tg_ptx_ref from = source_of(em, dma);
    return tg_ptx_both(em, tg_ptx_both(em, has_told(em, dma), same_shape(em, dma, &from)),
                       tg_ptx_bulk_is_possible(em, dma));
}

void tg_ptx_inst_dma(tg_ptx_emitter *em, const tg_inst *inst)
{
    if (tg_ptx_tensor_moves(em, inst->as.async))
        tg_ptx_tensor_move(em, inst->as.async);
    else if (!tg_ptx_multicast(em, inst))
        tg_ptx_dma_start(em, inst->as.async);
}

void tg_ptx_dma_start(tg_ptx_emitter *em, const struct tg_inst_async *dma)
{
    /* Nothing is copied, not even undefined values, if the source is empty or the semaphore does not
     * exist. */
    const tg_ptx_ref from = source_of(em, dma);
    const tg_ptx_uniform bytes = tg_ptx_copied_bytes(em, &from, &dma->to.type),
                         exists = has_told(em, dma),
                         is_real =
                             tg_ptx_both(em, exists, tg_ptx_is_less(em, tg_ptx_known(0), bytes));
    const uint32_t skip = tg_ptx_new_label(&em->w);
    if (tg_ptx_is_known(is_real, 0)) return;
    tg_ptx_report_unless(em, TG_PTX_SITE_ACCESS,
                         tg_ptx_choose(em, exists, same_shape(em, dma, &from), tg_ptx_known(1)));
    if (!is_real.is_known)
        tg_ptx_row(&em->w, "@!%s bra.uni $L%u;", tg_ptx_is_set(em, is_real).name, skip);
    copy(em, dma, bytes);
    if (is_real.is_known) return;
    tg_ptx_label(&em->w, skip);
    tg_ptx_barrier(em); /* so that no accesses are pending on either path */
}
