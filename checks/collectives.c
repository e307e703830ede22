/* Collective ops that some of their threads execute, and others do not, or not as often.
 *
 * Each thread counts its executions of each such op.  When all threads of a chain have ended, those that
 * differ only along the axes of an op must have the same count; threads that differ on later axes, as the
 * warps of one, are counted together. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/checks.h"
#include "interp/state/found.h"
#include "interp/state/machine.h"
#include "plan/program_text.h"

/* What a machine keeps: a count for each instruction of the body. */
static bool attach(void *state, tg_machine *m, void **own)
{
    (void)state;
    *own = calloc(m->launch->plan->body.count + 1, sizeof(int64_t));
    return *own != NULL;
}

static void chain_begins(tg_machine *m)
{
    memset(m->own, 0, m->launch->plan->body.count * sizeof(int64_t));
}

static void collective(tg_machine *m, const tg_inst *inst)
{
    int64_t *counts = m->own;
    counts[inst - m->launch->plan->body.list]++;
}

/* ---- who must do the same ---- */

static bool is_thread_axis(const tg_kernel *k, int axis)
{
    return k->axes[axis].semantics == TG_SEMANTICS_THREAD;
}

static bool is_along(const tg_inst *inst, int axis)
{
    return inst->as.collective->along >> axis & 1;
}

/* Threads that differ on axes behind the last one of the op make a *participant*: so many of them do. */
static int64_t threads_of_participant(const tg_kernel *k, const tg_inst *inst)
{
    int64_t threads = 1;
    for (int axis = k->axis_count; axis-- > 0 && !is_along(inst, axis);)
        if (is_thread_axis(k, axis)) threads *= k->axes[axis].size;
    return threads;
}

/* The first of the participants that must do the same as participant number `p`. */
static int64_t first_of_group(const tg_kernel *k, const tg_inst *inst, int64_t p)
{
    int64_t first = 0, stride = 1;
    bool is_inside = false; /* the axis is not behind those of the op */
    for (int axis = k->axis_count; axis-- > 0;) {
        is_inside = is_inside || is_along(inst, axis);
        if (!is_inside || !is_thread_axis(k, axis)) continue;
        const int64_t size = k->axes[axis].size;
        if (!is_along(inst, axis)) first += p / stride % size * stride;
        stride *= size;
    }
    return first;
}

typedef struct participant {
    const tg_machine *machine; /* of its first thread */
    int64_t count;
} participant;

static participant participant_of(const tg_machine *m, const tg_inst *inst, int64_t p,
                                  int64_t threads)
{
    participant found = {.machine = m->chain->threads[p * threads]};
    for (int64_t t = p * threads; t < (p + 1) * threads; t++) {
        const int64_t *counts = m->chain->threads[t]->owns[m->own_number];
        found.count += counts[inst - m->launch->plan->body.list];
    }
    return found;
}

/* ---- findings ---- */

static const char *name_of(const tg_inst *inst)
{
    return inst->as.collective->name ? inst->as.collective->name : tg_ops[inst->op].name;
}

/* The last axis of the op. */
static const char *axis_name(const tg_kernel *k, const tg_inst *inst)
{
    int axis = k->axis_count - 1;
    while (!is_along(inst, axis)) axis--;
    return k->axes[axis].name ? k->axes[axis].name : "without a name";
}

static void report(tg_machine *m, const tg_inst *inst, participant more, participant less)
{
    const tg_kernel *k = m->launch->plan->kernel;
    char programs[2][TG_PROGRAM_TEXT];
    tg_program_print(k, m->launch->grid, more.machine->program, programs[0]);
    tg_program_print(k, m->launch->grid, less.machine->program, programs[1]);
    tg_found found = {.kind = TG_FINDING_COLLECTIVE_DIVERGED,
                      .at = {.op = inst->op, .loc = inst->loc, .has_program = true},
                      .program_index = more.machine->program_index,
                      .count = 1};
    memcpy(found.at.program, more.machine->program, sizeof found.at.program);
    snprintf(found.message, sizeof found.message,
             "thread %s executes %s %" PRId64 " time%s, thread %s %" PRId64
             ": all that differ along axis %s must execute it together",
             programs[0], name_of(inst), more.count, more.count == 1 ? "" : "s", programs[1],
             less.count, axis_name(k, inst));
    snprintf(found.advice, sizeof found.advice, "Let all of these threads reach it");
    tg_findings_add(m->launch->findings, &found);
}

/* Compares each participant with the first of its group; one finding for each op is enough. */
static void look_at(tg_machine *m, const tg_inst *inst)
{
    const tg_kernel *k = m->launch->plan->kernel;
    const int64_t threads = threads_of_participant(k, inst);
    for (int64_t p = 0; p < m->launch->threads / threads; p++) {
        const participant first = participant_of(m, inst, first_of_group(k, inst, p), threads),
                          this = participant_of(m, inst, p, threads);
        if (first.count == this.count) continue;
        if (first.count > this.count)
            report(m, inst, first, this);
        else
            report(m, inst, this, first);
        return;
    }
}

/* The machine that has the memory of the chain looks at all of them, which have ended. */
static void chain_ends(tg_machine *m)
{
    const tg_code *body = &m->launch->plan->body;
    if (m->chain != &m->own_chain || !m->chain->threads) return;
    for (uint32_t i = 0; i < body->count; i++)
        if (body->list[i].kind == TG_I_COLLECTIVE && body->list[i].as.collective->along)
            look_at(m, &body->list[i]);
}

/* ---- the detector ---- */

static bool wants(const tg_launch *launch)
{
    const tg_code *body = &launch->plan->body;
    for (uint32_t i = 0; i < body->count; i++)
        if (body->list[i].kind == TG_I_COLLECTIVE) return true;
    return false;
}

const tg_detector tg_detector_collectives = {.wants = wants,
                                             .attach = attach,
                                             .detach = free,
                                             .chain_begins = chain_begins,
                                             .chain_ends = chain_ends,
                                             .collective = collective};
