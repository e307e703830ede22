/* Groups of copies and of products: a thread closes a group, and waits until all but its newest groups
 * have read their sources, or have taken place. */
#include "interp/sync/async.h"
#include "interp/sync/async_op.h"
#include "interp/sync/async_order.h"
#include "interp/state/actors.h"
#include "interp/state/handlers.h"
#include "interp/state/operand.h"

/* The number of the first group of a thread that the wait is not for. */
static uint32_t end_of(const tg_machine *thread, const struct tg_inst_async_group *wait, int64_t n)
{
    const uint32_t closed = thread->closed_groups[wait->engine];
    if (n < 0) return closed;
    return n < closed ? closed - (uint32_t)n : 0;
}

static bool is_awaited(const tg_machine *thread, const tg_async_op *op,
                       const struct tg_inst_async_group *wait, uint32_t end)
{
    const bool is_own = tg_actor_starter(op->actor, thread->launch->actors) == thread->actor;
    return is_own && op->inst->as.async->engine == wait->engine && tg_async_is_of_group(op) &&
           op->group < end;
}

/* A strict check goes on as if there was no wait, for the op nor for those of other threads that it comes behind. */
static void note_promise(tg_machine *m, tg_async_op *op)
{
    for (tg_async_op *const *earlier = m->chain->async_ops.list; *earlier != op; earlier++) {
        if ((*earlier)->starter == op->starter || !tg_async_is_behind(op, *earlier)) continue;
        (*earlier)->is_promised_elsewhere = true;
        TG_DETECT(m, async_promised, m, *earlier)
    }
    if (op->is_promised) return;
    op->is_promised = true;
    TG_DETECT(m, async_promised, m, op)
}

/* Waits for groups of `thread`. */
static void wait_for(tg_machine *m, const tg_machine *thread,
                     const struct tg_inst_async_group *wait)
{
    const uint32_t end = end_of(thread, wait, tg_operand_int(m, &wait->newest));
    for (uint32_t i = m->chain->async_ops.count; i-- > 0;) {
        tg_async_op *op = m->chain->async_ops.list[i];
        if (!is_awaited(thread, op, wait, end)) continue;
        if (wait->reads) {
            tg_async_make_sure_of_read(m, op);
            continue;
        }
        tg_async_take_place(m, op);
        if (wait->is_promised && m->launch->checks & TG_CHECK_GPU_STRICT) {
            note_promise(m, op);
            continue;
        }
        tg_async_followed_is_known(m, op);
        tg_async_forget(m, i);
    }
}

static void wait(tg_machine *m, const struct tg_inst_async_group *wait)
{
    wait_for(m, m, wait);
    for (int64_t i = 1; i <= wait->followers; i++) {
        const tg_machine *follower = tg_machine_behind(m, i);
        if (follower) wait_for(m, follower, wait);
    }
}

void tg_exec_async_group(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_async_group *group = inst->as.async_group;
    if (group->waits)
        wait(m, group);
    else
        m->closed_groups[group->engine]++;
}

/* Accesses take effect in the order in which they are executed, as if a fence stood behind each of them. */
void tg_exec_proxy_fence(tg_machine *m, const tg_inst *inst)
{
    (void)inst;
    TG_DETECT(m, proxies_fenced, m)
}
