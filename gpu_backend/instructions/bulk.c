/* The threads of a team start the rows of a copy, each some of them.  So each has groups of its own, of
 * which all close and await the same ones. */
#include "gpu_backend/instructions/bulk.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/scalar.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/barrier.h"
#include "gpu_backend/instructions/insts.h"
#include "gpu_backend/instructions/tcgen05.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

enum { UNIT = 16 }; /* bytes: what addresses and sizes are multiples of */

/* ---- whether it is possible ---- */

/* Elements that follow one another on both sides: the last dimensions, from *rest on. */
static int64_t row_of(const tg_ptx_emitter *em, const struct tg_inst_async *dma, int *rest)
{
    const tg_type *type = &dma->to.type;
    const tg_ptx_ref *from = &em->refs[dma->source[0].ref], *to = &em->refs[dma->to.ref];
    int64_t row = 1;
    for (*rest = type->rank; *rest > 0; --*rest) {
        const int d = *rest - 1;
        if (type->shape[d] != 1 && (from->stride[d] != row || to->stride[d] != row)) break;
        row *= type->shape[d];
    }
    return row;
}

static bool is_told(const tg_ptx_emitter *em, const struct tg_inst_async *dma)
{
    const tg_ptx_ref *from = &em->refs[dma->source[0].ref], *to = &em->refs[dma->to.ref];
    if (dma->told == TG_ASYNC_TELLS_BARRIER)
        return tg_ptx_is_in_shared(to) && (!tg_ptx_is_in_shared(from) || em->blocks > 1);
    return dma->told == TG_ASYNC_TELLS_GROUP && dma->engine == TG_ENGINE_COPIES &&
           !em->waits_for_copies_of_others && tg_ptx_is_in_shared(from) && !tg_ptx_is_in_shared(to);
}

static bool has_whole_rows(const tg_ptx_emitter *em, const struct tg_inst_async *dma)
{
    const tg_ptx_ref *const sides[2] = {&em->refs[dma->source[0].ref], &em->refs[dma->to.ref]};
    const int64_t bytes = tg_dtypes[dma->to.type.dtype].bytes;
    int rest;
    if (sides[0]->through || sides[1]->through) return false;
    if (row_of(em, dma, &rest) * bytes % UNIT) return false;
    for (int d = 0; d < rest; d++)
        for (int i = 0; i < 2; i++)
            if (dma->to.type.shape[d] != 1 && sides[i]->stride[d] * bytes % UNIT) return false;
    return true;
}

/* The address of a side's first element, or of the one in the same place of the own block. */
static tg_ptx_uniform first_of(tg_ptx_emitter *em, const tg_ptx_ref *ref, bool is_own,
                               tg_dtype dtype)
{
    const tg_ptx_uniform base = is_own ? ref->base : tg_ptx_ref_base(em, ref);
    return tg_ptx_add(em, base, tg_ptx_mul(em, ref->origin, tg_dtypes[dtype].bytes));
}

/* A source in shared memory is the own block's. */
static bool is_own_source(const tg_ptx_ref *ref, int side)
{
    return side == 0 && tg_ptx_is_in_shared(ref);
}

/* 1 or 0: whether the copy is from the own block, and tells a barrier of the block that it is to. */
static tg_ptx_uniform has_fitting_blocks(tg_ptx_emitter *em, const struct tg_inst_async *dma)
{
    const tg_ptx_ref *from = &em->refs[dma->source[0].ref], *to = &em->refs[dma->to.ref];
    const tg_ptx_uniform is_own =
        tg_ptx_is_in_shared(from) ? tg_ptx_is_own(em, from) : tg_ptx_known(1);
    if (dma->told != TG_ASYNC_TELLS_BARRIER) return is_own;
    return tg_ptx_both(em, is_own, tg_ptx_same_block(em, to, &em->refs[dma->signal]));
}

/* 1 or 0: whether all elements of a side exist. */
static tg_ptx_uniform is_whole(tg_ptx_emitter *em, const tg_ptx_ref *ref, const tg_type *type)
{
    tg_ptx_uniform all = tg_ptx_known(1);
    for (int d = 0; d < type->rank; d++) {
        const tg_ptx_uniform extent = tg_ptx_known(type->shape[d]), one = tg_ptx_known(1);
        all = tg_ptx_both(em, all, tg_ptx_is_less(em, ref->low[d], one));
        all = tg_ptx_both(em, all, tg_ptx_is_less(em, extent, tg_ptx_add(em, ref->high[d], one)));
    }
    return type->rank ? all : ref->is_inside;
}

static tg_ptx_uniform is_aligned(tg_ptx_emitter *em, tg_ptx_uniform address)
{
    if (tg_ptx_multiple_of(address) % UNIT == 0) return tg_ptx_known(1);
    const tg_ptx_uniform rest = tg_ptx_rem(em, address, tg_ptx_known(UNIT));
    return tg_ptx_is_less(em, rest, tg_ptx_known(1));
}

tg_ptx_uniform tg_ptx_bulk_is_possible(tg_ptx_emitter *em, const struct tg_inst_async *dma)
{
    const tg_type *type = &dma->to.type;
    const tg_ptx_ref *const sides[2] = {&em->refs[dma->source[0].ref], &em->refs[dma->to.ref]};
    if (!em->has_bulk || dma->source[0].is_value || !is_told(em, dma) || dma->combines ||
        !has_whole_rows(em, dma))
        return tg_ptx_known(0);
    tg_ptx_uniform all = has_fitting_blocks(em, dma);
    for (int i = 0; i < 2; i++) {
        all = tg_ptx_both(em, all, is_whole(em, sides[i], type));
        all = tg_ptx_both(
            em, all,
            is_aligned(em, first_of(em, sides[i], is_own_source(sides[i], i), type->dtype)));
    }
    return all;
}

/* ---- starting ---- */

static tg_ptx_reg row_address(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_dtype dtype,
                              tg_ptx_reg first, int rest, const int64_t *shape,
                              const tg_ptx_reg *index)
{
    return tg_ptx_address_of(em, first, &(tg_ptx_strided){rest, shape, ref->stride}, index,
                             tg_dtypes[dtype].bytes);
}

/* To shared memory, of one block or of those in the mask. */
static void row_to_shared(tg_ptx_emitter *em, const tg_ptx_ref *from, const char *operands,
                          const tg_ptx_reg *mask)
{
    const char *const source = tg_ptx_is_in_shared(from) ? "shared::cta" : "global";
    if (mask)
        tg_ptx_row(&em->w,
                   "cp.async.bulk.shared::cluster.%s.mbarrier::complete_tx::bytes"
                   ".multicast::cluster %s, %s;",
                   source, operands, mask->name);
    else
        tg_ptx_row(&em->w, "cp.async.bulk.shared::cluster.%s.mbarrier::complete_tx::bytes %s;",
                   source, operands);
}

/* What threads have written and know to be written is visible to the copy behind the fence, and the
 * fences of all threads of the team are before any of them starts a row. */
void tg_ptx_bulk_start(tg_ptx_emitter *em, const struct tg_inst_async *dma, const tg_ptx_reg *mask)
{
    const tg_type *type = &dma->to.type;
    const tg_ptx_ref *from = &em->refs[dma->source[0].ref], *to = &em->refs[dma->to.ref];
    const bool to_shared = dma->told == TG_ASYNC_TELLS_BARRIER;
    tg_ptx_reg index[TG_MAX_RANK];
    int rest;
    int64_t rows = 1;
    const int64_t bytes = row_of(em, dma, &rest) * tg_dtypes[type->dtype].bytes;
    for (int d = 0; d < rest; d++) rows *= type->shape[d];
    tg_ptx_row(&em->w, "fence.proxy.async;");
    tg_ptx_barrier(em);
    tg_ptx_ready_again(em);
    const tg_ptx_reg source = tg_ptx_uniform_reg(
                         em, first_of(em, from, is_own_source(from, 0), type->dtype)),
                     target = tg_ptx_uniform_reg(em, first_of(em, to, mask != NULL, type->dtype));
    const tg_ptx_reg told = to_shared
                                ? tg_ptx_barrier_address(em, &em->refs[dma->signal], mask != NULL)
                                : (tg_ptx_reg){0};
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, rows);
    tg_ptx_unravel(em, loop.element, rest, type->shape, index);
    const tg_ptx_reg at = row_address(em, from, type->dtype, source, rest, type->shape, index),
                     there = row_address(em, to, type->dtype, target, rest, type->shape, index);
    if (to_shared) {
        char operands[128];
        snprintf(operands, sizeof operands, "[%s], [%s], %" PRId64 ", [%s]", there.name, at.name,
                 bytes, told.name);
        row_to_shared(em, from, operands, mask);
    } else {
        tg_ptx_row(&em->w, "cp.async.bulk.global.shared::cta.bulk_group [%s], [%s], %" PRId64 ";",
                   there.name, at.name, bytes);
    }
    tg_ptx_loop_end(em, &loop);
}

/* ---- groups ---- */

/* The number of groups not to wait for is a part of the instruction; if it is known at run time only,
 * the wait is for all. */
static void wait_for(tg_ptx_emitter *em, const struct tg_inst_async_group *group)
{
    const tg_ptx_uniform newest = tg_ptx_scalar(em, &group->newest);
    const int64_t kept = newest.is_known && newest.known > 0 ? newest.known : 0;
    tg_ptx_row(&em->w, "cp.async.bulk.wait_group%s %" PRId64 ";", group->reads ? ".read" : "",
               kept);
    tg_ptx_barrier(em); /* the rows that other threads of the team have started */
}

void tg_ptx_inst_async_group(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_async_group *group = inst->as.async_group;
    if (group->engine == TG_ENGINE_PRODUCTS && group->waits && em->tensor) tg_ptx_tensor_wait(em);
    if (group->engine != TG_ENGINE_COPIES || !em->has_bulk) return;
    if (group->waits)
        wait_for(em, group);
    else
        tg_ptx_row(&em->w, "cp.async.bulk.commit_group;");
}

void tg_ptx_bulk_end(tg_ptx_emitter *em)
{
    if (!em->has_bulk) return;
    tg_ptx_row(&em->w, "cp.async.bulk.commit_group;"); /* those of an open group */
    tg_ptx_row(&em->w, "cp.async.bulk.wait_group 0;");
}
