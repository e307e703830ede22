/* Blocks of a cluster that use memory of another one: that one must still be there.
 *
 * The shared memory of a block ends with the last of its threads.  So each access by a thread of another
 * block, and each of its arrivals at a barrier there, must come before the end of some thread of the
 * block, that is, this thread must know of it when it ends.  Who knows of the last use of a thread knows of
 * all before, so the last one is kept, of each thread and block.  Copies are not looked at: who waits
 * for them is at the barrier that they tell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "checks/checks.h"
#include "checks/clocks/clocks.h"
#include "checks/number_map.h"
#include "interp/state/actors.h"
#include "interp/state/found.h"
#include "interp/sync/async_op.h"

/* The last use of a block's memory by a thread of another one. */
typedef struct use {
    int64_t actor, block, chain;
    uint32_t time, param; /* of the actor, see checks/clocks/clock.h */
    const tg_inst *inst;
    int64_t program[TG_MAX_AXES], program_index;
} use;

typedef struct peers {
    tg_thread_clocks *clocks; /* shared, see checks/clocks/clocks.h */
    const tg_kernel *kernel;
    int64_t blocks, threads, actors; /* of a cluster; of a chain; of the run */
    use *list;
    size_t count, room;
    tg_number_map numbers; /* by actor and block */
    bool is_incomplete;
} peers;

static bool is_of_cluster(const tg_param *param) { return param->cluster > 0; }

static int64_t elements_of_block(const peers *p, uint32_t param)
{
    return tg_type_count(&p->kernel->params[param].array) / p->blocks;
}

/* The number of a thread's own block: threads are numbered with the axes of the cluster first. */
static int64_t block_of(const peers *p, int64_t actor)
{
    return actor % p->threads / (p->threads / p->blocks);
}

/* ---- uses ---- */

/* Returns the use to fill in; NULL if memory runs out. */
static use *use_for(peers *p, int64_t actor, int64_t block)
{
    const uint64_t key = (uint64_t)(actor * p->blocks + block);
    const uint32_t number = tg_number_map_get(&p->numbers, key);
    if (number != UINT32_MAX) return &p->list[number];
    use *list = tg_list_grow(p->list, p->count, &p->room, sizeof *list);
    if (list) p->list = list;
    if (!list || !tg_number_map_put(&p->numbers, key, (uint32_t)p->count)) {
        p->is_incomplete = true;
        return NULL;
    }
    list[p->count] = (use){0};
    return &list[p->count++];
}

static void note(peers *p, use what)
{
    if (what.block == block_of(p, what.actor)) return;
    use *to = use_for(p, what.actor, what.block);
    what.time = tg_thread_time(p->clocks, what.actor);
    if (to) *to = what;
}

typedef struct seen {
    peers *p;
    const tg_access_event *event;
    int64_t last; /* the block that was looked at last */
} seen;

static void see_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    seen *s = context;
    const tg_access_event *event = s->event;
    const tg_type *array = &s->p->kernel->params[event->param].array;
    const int64_t bytes = elements_of_block(s->p, event->param) *
                          (int64_t)tg_dtypes[array->dtype].bytes,
                  width = (int64_t)event->width,
                  last = (first + (count - 1) * stride) * width / bytes;
    const bool is_in_one = first * width / bytes == last;
    for (int64_t i = 0; i < (is_in_one ? 1 : count); i++) {
        const int64_t block = (first + i * stride) * width / bytes;
        if (block == s->last) continue;
        s->last = block;
        use what = {.actor = event->actor,
                    .block = block,
                    .chain = event->chain,
                    .param = event->param,
                    .inst = event->inst,
                    .program_index = event->program_index};
        memcpy(what.program, event->program, sizeof what.program);
        note(s->p, what);
    }
}

static void accessed(void *own, const tg_access_event *event)
{
    peers *p = own;
    const tg_param *param = &p->kernel->params[event->param];
    seen s = {p, event, -1};
    if (!is_of_cluster(param) || param->array.dtype == TG_DT_barrier || event->actor >= p->actors)
        return;
    tg_thread_clocks_enter(p->clocks);
    tg_access_own_runs(event, see_run, &s);
    tg_thread_clocks_leave(p->clocks);
}

static void arrives(peers *p, const tg_machine *m, const tg_barrier_event *event)
{
    const int64_t element =
        event->barrier - (const int64_t *)(const void *)tg_machine_memory(m, event->param);
    use what = {.actor = m->actor,
                .block = element / elements_of_block(p, event->param),
                .chain = m->chain->number,
                .param = event->param,
                .inst = event->inst,
                .program_index = m->program_index};
    memcpy(what.program, m->program, sizeof what.program);
    note(p, what);
}

static void at_barrier(tg_machine *m, const tg_barrier_event *event)
{
    peers *p = m->own;
    const bool is_by_thread = event->step == TG_BARRIER_ARRIVAL && !event->op;
    if (!is_by_thread || !is_of_cluster(&p->kernel->params[event->param])) return;
    tg_thread_clocks_enter(p->clocks);
    arrives(p, m, event);
    tg_thread_clocks_leave(p->clocks);
}

/* ---- the end of a cluster ---- */

static bool is_known_at_the_end(peers *p, const use *u)
{
    const int64_t threads = p->threads / p->blocks,
                  first = u->chain * p->threads + u->block * threads;
    for (int64_t actor = first; actor < first + threads; actor++)
        if (tg_thread_knows(p->clocks, actor, u->actor, u->time)) return true;
    return false;
}

static void report_use(const peers *p, const tg_machine *m, const use *u)
{
    const tg_param *param = &p->kernel->params[u->param];
    tg_found found = {.kind = TG_FINDING_PEER_ENDED,
                      .param = param,
                      .at = {.op = u->inst->op, .loc = u->inst->loc, .has_program = true},
                      .program_index = u->program_index,
                      .count = 1};
    memcpy(found.at.program, u->program, sizeof found.at.program);
    snprintf(found.message, sizeof found.message,
             "%s uses %s of block %lld of the cluster, which may have ended by then: none of its "
             "threads is sure to go on until that is done",
             tg_ops[u->inst->op].name, param->name, (long long)u->block);
    snprintf(found.advice, sizeof found.advice,
             "Let all blocks of the cluster meet at a barrier before they end");
    tg_findings_add(m->launch->findings, &found);
}

/* Each thread of the chain ends; the one that has the memory is the last one to look at it. */
static void chain_ends(tg_machine *m)
{
    peers *p = m->own;
    if (m->chain != &m->own_chain) return;
    tg_thread_clocks_enter(p->clocks);
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i].chain == m->chain->number && !is_known_at_the_end(p, &p->list[i]))
            report_use(p, m, &p->list[i]);
    tg_thread_clocks_leave(p->clocks);
}

/* ---- the detector ---- */

/* Returns how many blocks a cluster has; 1 if no memory is a block's own. */
static int64_t count_blocks(const tg_kernel *kernel)
{
    int64_t blocks = 1;
    for (uint32_t p = 0; p < kernel->param_count && blocks == 1; p++)
        for (int64_t d = 0; d < kernel->params[p].cluster; d++)
            blocks *= kernel->params[p].array.shape[d];
    return blocks;
}

static bool wants(const tg_launch *launch) { return count_blocks(launch->plan->kernel) > 1; }

static void free_peers(void *state)
{
    peers *p = state;
    free(p->list);
    tg_number_map_free(&p->numbers);
    free(p);
}

static bool make(const tg_launch *launch, void **state)
{
    peers *p = calloc(1, sizeof *p);
    if (!p) return false;
    p->kernel = launch->plan->kernel;
    p->blocks = count_blocks(p->kernel);
    p->clocks = tg_clocks_of(launch);
    *state = p;
    return true;
}

static bool begin(void *state, const tg_run_begin *run)
{
    peers *p = state;
    tg_number_map_free(&p->numbers);
    p->count = 0;
    p->threads = run->grid->threads;
    p->actors = tg_actor_count(run->grid);
    p->is_incomplete = false;
    return true;
}

static bool report(void *state, tg_run_end *run)
{
    const peers *p = state;
    (void)run;
    return !p->is_incomplete;
}

const tg_detector tg_detector_peers = {.wants = wants,
                                       .accesses =
                                           TG_ACCESS_READ | TG_ACCESS_WRITE | TG_ACCESS_ATOMIC,
                                       .make = make,
                                       .free = free_peers,
                                       .begin = begin,
                                       .report = report,
                                       .accessed = accessed,
                                       .at_barrier = at_barrier,
                                       .chain_ends = chain_ends};
