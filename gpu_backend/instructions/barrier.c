/* Arrivals at barriers and waits for their phases, as mbarriers.  The first thread of a team arrives,
 * behind a barrier of the team; all its threads wait, so that each knows what the phase hands on. */
#include "gpu_backend/instructions/barrier.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/report.h"
#include "gpu_backend/emit/scalar.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/insts.h"
#include "gpu_backend/instructions/parity.h"
#include "gpu_backend/text/ptx.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

enum { MODIFIERS = 64 };

/* The number of the barrier in its scratch.  For one outside, which has been reported, it is 0. */
static tg_ptx_uniform number_of(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    return tg_ptx_choose(em, ref->is_inside, ref->origin, tg_ptx_known(0));
}

static tg_ptx_reg address_from(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_ptx_uniform base)
{
    const tg_ptx_uniform offset =
        tg_ptx_mul(em, number_of(em, ref), tg_dtypes[TG_DT_barrier].bytes);
    return tg_ptx_uniform_reg(em, tg_ptx_add(em, base, offset));
}

tg_ptx_reg tg_ptx_barrier_address(tg_ptx_emitter *em, const tg_ptx_ref *ref, bool is_own)
{
    return address_from(em, ref, is_own ? ref->base : tg_ptx_ref_base(em, ref));
}

/* The order, scope and space of an operation on a barrier, which may be another block's. */
static const char *modifiers_of(tg_ptx_emitter *em, const char *order, char *out, size_t size)
{
    snprintf(out, size, ".%s.%s.%s.b64", order, tg_ptx_scope(em),
             em->blocks > 1 ? "shared::cluster" : "shared");
    return out;
}

/* Skips what follows if the barrier does not exist.  Returns the label behind it, or UINT32_MAX. */
static uint32_t skip_outside(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    if (tg_ptx_is_known(ref->is_inside, 1)) return UINT32_MAX;
    const uint32_t skip = tg_ptx_new_label(&em->w);
    tg_ptx_row(&em->w, "@!%s bra.uni $L%u;", tg_ptx_is_set(em, ref->is_inside).name, skip);
    return skip;
}

static void end_skip(tg_ptx_emitter *em, uint32_t skip)
{
    if (skip != UINT32_MAX) tg_ptx_label(&em->w, skip);
}

/* A row of the team's first thread, without the address. */
static void arrive(tg_ptx_emitter *em, const tg_ptx_ref *ref, const char *row)
{
    tg_ptx_settle(em);
    const uint32_t skip = skip_outside(em, ref);
    const tg_ptx_reg at = tg_ptx_barrier_address(em, ref, false);
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    tg_ptx_row(&em->w, "%s [%s];", row, at.name);
    tg_ptx_loop_end(em, &one);
    end_skip(em, skip);
}

void tg_ptx_barrier_arrive(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    char modifiers[MODIFIERS], row[MODIFIERS + 24];
    snprintf(row, sizeof row, "mbarrier.arrive%s _,",
             modifiers_of(em, "release", modifiers, sizeof modifiers));
    arrive(em, ref, row);
}

void tg_ptx_barrier_commit(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    arrive(em, ref, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64");
}

/* An mbarrier counts less than 2^20 bytes, which is more than shared memory has: a phase that lacks
 * more of them, or less than none, is never complete. */
static tg_ptx_uniform countable(tg_ptx_emitter *em, tg_ptx_uniform bytes)
{
    const tg_ptx_uniform most = tg_ptx_known((1 << 20) - 1);
    const tg_ptx_uniform is_negative = tg_ptx_is_less(em, bytes, tg_ptx_known(0));
    return tg_ptx_choose(em, is_negative, most, tg_ptx_min(em, bytes, most));
}

static void change_bytes(tg_ptx_emitter *em, const tg_ptx_ref *ref, const char *op,
                         tg_ptx_uniform bytes)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg at = tg_ptx_barrier_address(em, ref, false),
                     wide = tg_ptx_uniform_reg(em, bytes), narrow = tg_ptx_new(w, TG_PTX_B32);
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    tg_ptx_row(w, "cvt.u32.u64 %s, %s;", narrow.name, wide.name);
    char modifiers[MODIFIERS];
    tg_ptx_row(w, "mbarrier.%s%s [%s], %s;", op,
               modifiers_of(em, "relaxed", modifiers, sizeof modifiers), at.name, narrow.name);
    tg_ptx_loop_end(em, &one);
}

void tg_ptx_barrier_expect(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_ptx_uniform bytes)
{
    const uint32_t skip = skip_outside(em, ref);
    change_bytes(em, ref, "expect_tx", countable(em, bytes));
    end_skip(em, skip);
}

void tg_ptx_barrier_bring(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_ptx_uniform bytes)
{
    tg_ptx_settle(em);
    const uint32_t skip = skip_outside(em, ref);
    tg_ptx_row(&em->w, "fence.acq_rel.%s;", tg_ptx_scope(em)); /* complete_tx is relaxed */
    change_bytes(em, ref, "complete_tx", bytes);
    end_skip(em, skip);
}

/* ---- waiting ---- */

/* A single team is alone with its barriers: what is not complete when it waits never will be.  That
 * is reported, and the chain ends there. */
static void wait_alone(tg_ptx_emitter *em, tg_ptx_reg at, tg_ptx_reg parity)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg done = tg_ptx_new(w, TG_PTX_PRED), never = tg_ptx_new(w, TG_PTX_PRED);
    tg_ptx_settle(em);
    tg_ptx_row(w, "mbarrier.test_wait.parity.shared.b64 %s, [%s], %s;", done.name, at.name,
               parity.name);
    tg_ptx_row(w, "not.pred %s, %s;", never.name, done.name);
    tg_ptx_report(em, TG_PTX_SITE_DEADLOCK, never);
    tg_ptx_barrier_row(em); /* nobody arrives before all have looked */
    tg_ptx_row(w, "@%s bra.uni $L%u;", never.name, em->end_chain);
    em->ends_early = true;
}

static void wait_for_others(tg_ptx_emitter *em, tg_ptx_reg at, tg_ptx_reg parity)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg done = tg_ptx_new(w, TG_PTX_PRED);
    const uint32_t again = tg_ptx_new_label(w);
    tg_ptx_label(w, again);
    tg_ptx_row(w, "mbarrier.try_wait.parity.acquire.%s.shared.b64 %s, [%s], %s;", tg_ptx_scope(em),
               done.name, at.name, parity.name);
    tg_ptx_row(w, "@!%s bra $L%u;", done.name, again);
}

/* Threads can wait for barriers of their own block only. */
static void require_own(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    const tg_ptx_uniform is_own = tg_ptx_is_own(em, ref);
    if (!tg_ptx_is_known(is_own, 1))
        tg_ptx_row(&em->w, "@!%s trap;", tg_ptx_is_set(em, is_own).name);
}

/* The instruction's accesses (kernel/hazard.h) make the next arrival of the team stand behind a
 * barrier, so that no thread can miss the phase while others complete the next ones. */
static void wait(tg_ptx_emitter *em, const struct tg_inst_barrier *barrier, const tg_ptx_ref *ref)
{
    const uint32_t skip = skip_outside(em, ref);
    const tg_ptx_reg number = tg_ptx_new(&em->w, TG_PTX_B32),
                     wide = tg_ptx_uniform_reg(em, number_of(em, ref)),
                     at = tg_ptx_barrier_address(em, ref, true);
    require_own(em, ref);
    tg_ptx_row(&em->w, "cvt.u32.u64 %s, %s;", number.name, wide.name);
    const tg_ptx_reg parity = tg_ptx_parity_of(em, barrier->root, number);
    if (em->teams * em->blocks == 1 && !em->tells_later)
        wait_alone(em, at, parity);
    else
        wait_for_others(em, at, parity);
    tg_ptx_parity_turn(em, barrier->root, number, barrier->followers);
    end_skip(em, skip);
}

void tg_ptx_inst_barrier(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_barrier *barrier = inst->as.barrier;
    const tg_ptx_ref *ref = &em->refs[barrier->ref];
    if (inst->op == TG_OP_barrier_arrive)
        tg_ptx_barrier_arrive(em, ref);
    else if (barrier->expects)
        tg_ptx_barrier_expect(em, ref, tg_ptx_scalar(em, &barrier->bytes));
    else
        wait(em, barrier, ref);
}

/* It only says what threads do. */
void tg_ptx_inst_collective(tg_ptx_emitter *em, const tg_inst *inst) { (void)em, (void)inst; }
