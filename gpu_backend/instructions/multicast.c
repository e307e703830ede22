/* Which blocks the copies go to, and where there, is known when the program runs.  So the text has both: one copy
 * to all of them, and a copy to each. */
#include "gpu_backend/instructions/multicast.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/bulk.h"
#include "gpu_backend/instructions/dma.h"
#include "gpu_backend/text/writer.h"

/* ---- which copies ---- */

enum { MOST = 8 }; /* blocks of a cluster */

typedef struct copies {
    const tg_inst *list[MOST];
    uint32_t count; /* more than MOST: the list is incomplete */
} copies;

/* Where memory is, which is known before the refs to parts of it are. */
static bool is_in(const tg_ptx_emitter *em, uint32_t root, tg_ptx_space space)
{
    return root < em->plan->kernel->param_count && em->refs[root].space == space;
}

static bool may_be_one_of(const tg_ptx_emitter *em, const tg_inst *inst)
{
    if (inst->kind != TG_I_DMA) return false;
    const struct tg_inst_async *dma = inst->as.async;
    return dma->told == TG_ASYNC_TELLS_BARRIER && dma->is_expected && !dma->combines &&
           !dma->source[0].is_value && is_in(em, dma->source[0].root, TG_PTX_GLOBAL) &&
           is_in(em, dma->to.root, TG_PTX_CLUSTER);
}

static bool belong_together(const tg_inst *a, const tg_inst *b)
{
    const struct tg_inst_async *x = a->as.async, *y = b->as.async;
    return x->source[0].ref == y->source[0].ref && x->to.root == y->to.root &&
           x->signal_root == y->signal_root && x->zero_outside == y->zero_outside;
}

/* Whether an instruction only says what later ones are about, and accesses no memory that copies do. */
static bool is_passed(const tg_inst *inst)
{
    if (inst->kind == TG_I_GROUP) return !inst->as.group->may_be_in_memory;
    return inst->kind == TG_I_VIEW || inst->kind == TG_I_PROGRAM_ID;
}

/* The copy that comes next behind instruction `pc` and belongs to that one; the number of instructions where
 * there is none. */
static uint32_t next_of(const tg_ptx_emitter *em, uint32_t pc)
{
    const tg_code *code = &em->plan->body;
    const tg_inst *first = &code->list[pc];
    for (uint32_t i = pc + 1; i < code->count && !em->labels[i]; i++) {
        const tg_inst *inst = &code->list[i];
        if (inst->kind == TG_I_DMA)
            return may_be_one_of(em, inst) && belong_together(first, inst) ? i : code->count;
        if (!is_passed(inst)) break;
    }
    return code->count;
}

/* The copy before instruction `pc` to which that one belongs; UINT32_MAX where there is none. */
static uint32_t before(const tg_ptx_emitter *em, uint32_t pc)
{
    const tg_inst *list = em->plan->body.list;
    for (uint32_t i = pc; i > 0 && !em->labels[i]; i--)
        if (list[i - 1].kind == TG_I_DMA)
            return may_be_one_of(em, &list[i - 1]) && next_of(em, i - 1) == pc ? i - 1 : UINT32_MAX;
    return UINT32_MAX;
}

static void find(const tg_ptx_emitter *em, uint32_t pc, copies *out)
{
    *out = (copies){.count = 0};
    for (uint32_t earlier; (earlier = before(em, pc)) != UINT32_MAX;) pc = earlier;
    for (; pc < em->plan->body.count; pc = next_of(em, pc), out->count++)
        if (out->count < MOST) out->list[out->count] = &em->plan->body.list[pc];
}

/* ---- whether they are one ---- */

static const tg_ptx_ref *target_of(const tg_ptx_emitter *em, const tg_inst *inst)
{
    return &em->refs[inst->as.async->to.ref];
}

static const tg_ptx_ref *told_by(const tg_ptx_emitter *em, const tg_inst *inst)
{
    return &em->refs[inst->as.async->signal];
}

/* 1 or 0: whether two copies differ in nothing but the block. */
static tg_ptx_uniform have_one_place(tg_ptx_emitter *em, const tg_inst *a, const tg_inst *b)
{
    const tg_ptx_ref *x = target_of(em, a), *y = target_of(em, b);
    const size_t rank = (size_t)a->as.async->to.type.rank;
    if (memcmp(x->stride, y->stride, rank * sizeof *x->stride) != 0) return tg_ptx_known(0);
    return tg_ptx_both(em, tg_ptx_are_equal(em, x->origin, y->origin),
                       tg_ptx_are_equal(em, told_by(em, a)->origin, told_by(em, b)->origin));
}

/* The ranks of the blocks, .b32, of blocks that exist. */
static tg_ptx_reg mask_of(tg_ptx_emitter *em, const copies *all)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg mask = tg_ptx_new(w, TG_PTX_B32);
    tg_ptx_row(w, "mov.b32 %s, 0;", mask.name);
    for (uint32_t i = 0; i < all->count; i++) {
        const tg_ptx_reg wide = tg_ptx_uniform_reg(em, target_of(em, all->list[i])->rank),
                         rank = tg_ptx_new(w, TG_PTX_B32), bit = tg_ptx_new(w, TG_PTX_B32),
                         one = tg_ptx_new(w, TG_PTX_B32);
        tg_ptx_row(w, "cvt.u32.u64 %s, %s;", rank.name, wide.name);
        tg_ptx_row(w, "mov.b32 %s, 1;", one.name);
        tg_ptx_row(w, "shl.b32 %s, %s, %s;", bit.name, one.name, rank.name);
        tg_ptx_row(w, "or.b32 %s, %s, %s;", mask.name, mask.name, bit.name);
    }
    return mask;
}

/* 1 or 0: whether no two go to the same block. */
static tg_ptx_uniform are_of_blocks(tg_ptx_emitter *em, tg_ptx_reg mask, uint32_t count)
{
    const tg_ptx_reg bits = tg_ptx_new(&em->w, TG_PTX_B32), wide = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "popc.b32 %s, %s;", bits.name, mask.name);
    tg_ptx_row(&em->w, "cvt.u64.u32 %s, %s;", wide.name, bits.name);
    return tg_ptx_are_equal(em, tg_ptx_held(wide), tg_ptx_known(count));
}

static tg_ptx_uniform is_one(tg_ptx_emitter *em, const copies *all, tg_ptx_reg mask)
{
    tg_ptx_uniform one = are_of_blocks(em, mask, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        one = tg_ptx_both(em, one, tg_ptx_dma_is_bulk(em, all->list[i]->as.async));
        if (i > 0) one = tg_ptx_both(em, one, have_one_place(em, all->list[0], all->list[i]));
    }
    return one;
}

/* ---- starting ---- */

static void start_as_one(tg_ptx_emitter *em, const copies *all, tg_ptx_reg mask)
{
    const tg_ptx_reg ranks = tg_ptx_new(&em->w, TG_PTX_B16);
    tg_ptx_row(&em->w, "cvt.u16.u32 %s, %s;", ranks.name, mask.name);
    tg_ptx_bulk_start(em, all->list[0]->as.async, &ranks);
}

static void start_each(tg_ptx_emitter *em, const copies *all)
{
    const tg_inst *const last = em->inst;
    for (uint32_t i = 0; i < all->count; i++) {
        em->inst = all->list[i];
        tg_ptx_dma_start(em, em->inst->as.async);
        tg_ptx_barrier(em);
        tg_ptx_ready_again(em);
    }
    em->inst = last;
}

static void start(tg_ptx_emitter *em, const copies *all)
{
    const uint32_t each = tg_ptx_new_label(&em->w), end = tg_ptx_new_label(&em->w);
    const tg_ptx_reg mask = mask_of(em, all);
    const tg_ptx_uniform one = is_one(em, all, mask);
    if (tg_ptx_is_known(one, 0)) {
        start_each(em, all);
        return;
    }
    tg_ptx_row(&em->w, "@!%s bra.uni $L%u;", tg_ptx_is_set(em, one).name, each);
    start_as_one(em, all, mask);
    tg_ptx_row(&em->w, "bra.uni $L%u;", end);
    tg_ptx_label(&em->w, each);
    start_each(em, all);
    tg_ptx_label(&em->w, end);
    tg_ptx_barrier(em); /* so that no accesses are pending on either path */
}

bool tg_ptx_multicast(tg_ptx_emitter *em, const tg_inst *inst)
{
    copies all;
    if (!em->has_bulk || em->blocks == 1 || !may_be_one_of(em, inst)) return false;
    find(em, (uint32_t)(inst - em->plan->body.list), &all);
    if (all.count < 2 || all.count > MOST) return false;
    if (all.list[all.count - 1] == inst) start(em, &all);
    return true;
}
