#include "emulator/tensor_ops.h"

#include <stdlib.h>

#include "base/list.h"
#include "emulator/mbarrier.h"
#include "emulator/order.h"
#include "emulator/spin.h"
#include "emulator/sync.h"
#include "emulator/tensor_move.h"
#include "emulator/tensor_order.h"
#include "emulator/tensor_product.h"
#include "emulator/warp.h"

/* Of those that have not taken place: each has two actors at most, of TG_EMU_OTHER_ACTORS. */
enum { MOST_IN_FLIGHT = 24 };

tg_emu_visit tg_emu_tensor_visit(const tg_emu_exec *exec, const tg_emu_tensor_op *op,
                                 tg_emu_tensor_actor actor, tg_emu_touch touch)
{
    return (tg_emu_visit){.actor = actor.number,
                          .step = actor.step,
                          .thread = op->thread,
                          .inst = (uint32_t)(op->inst - exec->entry->code),
                          .touch = touch,
                          .is_copy = true};
}

static bool is_move(const tg_emu_tensor_op *op)
{
    return op->kind == TG_EMU_TENSOR_LOAD || op->kind == TG_EMU_TENSOR_STORE;
}

/* ---- taking place ---- */

static tg_emu_step commit(tg_emu_exec *exec, const tg_emu_tensor_op *op)
{
    const tg_emu_visit visit = tg_emu_tensor_visit(exec, op, op->own, TG_EMU_WRITE);
    tg_emu_mbarrier *told =
        tg_emu_mbarrier_find(exec, op->inst, op->lane, &exec->ctas[op->cta], op->address, &visit);
    if (!told) return TG_EMU_TRAPPED;
    return tg_emu_mbarrier_arrive_for(exec, op->inst, op->lane, told, op->own.number);
}

/* Until it takes place its actors are no others'. */
static void hold(tg_emu_exec *exec, const tg_emu_tensor_op *op)
{
    tg_emu_hold_actor(&exec->sync, op->own.number);
    if (op->kind == TG_EMU_TENSOR_PRODUCT) tg_emu_hold_actor(&exec->sync, op->reader.number);
}

static void drop(tg_emu_exec *exec, const tg_emu_tensor_op *op)
{
    tg_emu_drop_actor(&exec->sync, op->own.number);
    if (op->kind == TG_EMU_TENSOR_PRODUCT) tg_emu_drop_actor(&exec->sync, op->reader.number);
}

static tg_emu_step take_place(tg_emu_exec *exec, tg_emu_tensor_op *op)
{
    tg_emu_warp *const warp = exec->warp;
    tg_emu_step step;
    exec->warp = &exec->warps[op->warp];
    tg_emu_spin_changed(exec);
    op->is_done = true;
    switch (op->kind) {
    case TG_EMU_TENSOR_PRODUCT: step = tg_emu_tensor_multiply(exec, op); break;
    case TG_EMU_TENSOR_COMMIT: step = commit(exec, op); break;
    default: step = tg_emu_tensor_move(exec, op);
    }
    drop(exec, op);
    if (step == TG_EMU_ON) exec->warp = warp;
    return step;
}

/* Loads and stores are kept until they are awaited. */
static void forget_done(tg_emu_tensor_state *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->op_count; i++)
        if (!t->ops[i].is_done || is_move(&t->ops[i])) t->ops[kept++] = t->ops[i];
    t->op_count = kept;
}

/* The first from `start` on that may take place: of a thread's products and commits, the first. */
static tg_emu_tensor_op *next(tg_emu_tensor_state *t, size_t start)
{
    for (size_t i = 0; i < t->op_count; i++) {
        tg_emu_tensor_op *op = &t->ops[(start + i) % t->op_count];
        if (op->is_done) continue;
        if (is_move(op)) return op;
        for (size_t j = 0; j < t->op_count; j++)
            if (!t->ops[j].is_done && !is_move(&t->ops[j]) && t->ops[j].thread == op->thread)
                return &t->ops[j];
    }
    return NULL;
}

bool tg_emu_tensor_do_one(tg_emu_exec *exec)
{
    tg_emu_tensor_state *t = &exec->tensor;
    if (t->op_count == 0) return false;
    const size_t start = tg_emu_choose(exec->launch->seed, &exec->random, t->op_count);
    tg_emu_tensor_op *op = next(t, start);
    if (!op) return false;
    (void)take_place(exec, op);
    forget_done(t);
    return true;
}

tg_emu_step tg_emu_tensor_do_all(tg_emu_exec *exec)
{
    while (tg_emu_tensor_do_one(exec))
        if (exec->result->trapped) return TG_EMU_TRAPPED;
    return TG_EMU_ON;
}

tg_emu_step tg_emu_tensor_go_on(tg_emu_exec *exec)
{
    if (exec->launch->seed && exec->tensor.op_count && tg_emu_random(&exec->random) % 2)
        (void)tg_emu_tensor_do_one(exec);
    return exec->result->trapped ? TG_EMU_TRAPPED : TG_EMU_ON;
}

/* ---- starting ---- */

static void set_actors(tg_emu_exec *exec, tg_emu_tensor_op *op)
{
    if (!exec->sync.clocks.rows) return;
    op->own = is_move(op) ? tg_emu_tensor_actor_of_warp(exec, op->thread)
                          : tg_emu_tensor_actor_of_thread(exec, op->thread);
    if (op->kind != TG_EMU_TENSOR_PRODUCT) return;
    op->reader.number = tg_emu_new_actor(&exec->sync, op->thread, 1);
    op->reader.step = tg_emu_clock_step(&exec->sync.clocks, op->reader.number);
    tg_emu_tensor_issued(exec, op->thread, op->own);
    tg_emu_tensor_issued(exec, op->thread, op->reader);
}

static size_t count_in_flight(const tg_emu_tensor_state *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->op_count; i++) count += !t->ops[i].is_done;
    return count;
}

tg_emu_step tg_emu_tensor_start(tg_emu_exec *exec, tg_emu_tensor_op *op)
{
    tg_emu_tensor_state *t = &exec->tensor;
    tg_emu_warp *const warp = exec->warp;
    if (count_in_flight(t) >= MOST_IN_FLIGHT) {
        (void)tg_emu_tensor_do_one(exec);
        if (exec->result->trapped) return TG_EMU_TRAPPED;
    }
    tg_emu_tensor_op *list = tg_list_grow(t->ops, t->op_count, &t->op_capacity, sizeof *list);
    if (!list) {
        free(op->values);
        exec->no_memory = true;
        return TG_EMU_TRAPPED;
    }
    exec->warp = warp;
    t->ops = list;
    set_actors(exec, op);
    hold(exec, op);
    list[t->op_count++] = *op;
    return TG_EMU_ON;
}

/* ---- waiting ---- */

/* Its values are freed here; where it traps, with all others. */
static tg_emu_step end(tg_emu_exec *exec, tg_emu_tensor_op *op)
{
    if (!op->is_done && take_place(exec, op) != TG_EMU_ON) return TG_EMU_TRAPPED;
    if (op->kind == TG_EMU_TENSOR_LOAD) tg_emu_tensor_deliver(exec, op);
    if (exec->sync.clocks.rows) tg_emu_tensor_awaited(exec, op->thread, op->own);
    free(op->values);
    op->values = NULL;
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_tensor_wait(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_tensor_state *t = &exec->tensor;
    const uint32_t warp = exec->warp->first_tid / TG_EMU_LANES;
    tg_emu_step step;
    size_t kept = 0;
    if (!tg_emu_whole_warp(exec, inst, mask, "tcgen05", &step)) return step;
    for (size_t i = 0; i < t->op_count; i++) {
        tg_emu_tensor_op *op = &t->ops[i];
        if ((uint32_t)op->kind == inst->flags && op->warp == warp) {
            if (end(exec, op) != TG_EMU_ON) return TG_EMU_TRAPPED;
        } else {
            t->ops[kept++] = *op;
        }
    }
    t->op_count = kept;
    return exec->no_memory ? TG_EMU_TRAPPED : TG_EMU_ON;
}

/* ---- beginning and end ---- */

void tg_emu_tensor_forget(tg_emu_exec *exec)
{
    tg_emu_tensor_state *t = &exec->tensor;
    for (size_t i = 0; i < t->op_count; i++) free(t->ops[i].values);
    t->op_count = 0;
    tg_emu_tensor_memory_forget(exec);
}

void tg_emu_tensor_free(tg_emu_exec *exec)
{
    tg_emu_tensor_forget(exec);
    tg_emu_tensor_order_free(exec);
    free(exec->tensor.ops);
    free(exec->tensor.memories);
}
