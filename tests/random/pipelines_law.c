/* What is wrong with a pipeline in any order, from one run of it: by the rules of docs/checks.md, each for all pairs of
 * events.
 *
 * Where no arrival or copy may be in another phase than in this run, what happens before what is the same in every
 * order, and so is all the rest. */
#include <string.h>

#include "random/pipelines_run.h"

const char *const pipe_fault_names[PIPE_FAULTS] = {
    "deadlock", "overrun",   "missed",    "unobserved", "left",     "not awaited",
    "race",     "undefined", "unwritten", "unfenced",   "diverged", "peer ended"};

const char *const pipe_strict_names[PIPE_STRICTS] = {"wait-only-promised", "overwrite-unfenced",
                                                     "phases-left"};

/* ---- barriers ---- */

static bool is_at(const pipe_at_barrier *a, const pipe_at_barrier *like, pipe_act act, int phase)
{
    return a->barrier == like->barrier && a->phase == phase && a->act == act;
}

/* Whether all arrivals of the phase before come before the act, and a wait for it if it has copies. */
static bool is_behind_phase(const pipe_run *run, const pipe_at_barrier *act)
{
    bool has_copies = false, is_known = false;
    for (int i = 0; i < run->act_count; i++) {
        const pipe_at_barrier *other = &run->acts[i];
        const bool is_before = pipe_is_before(run, other->event, act->event);
        if (is_at(other, act, PIPE_ARRIVE, act->phase - 1) && !is_before) return false;
        has_copies = has_copies || is_at(other, act, PIPE_COPY, act->phase - 1) ||
                     is_at(other, act, PIPE_EXPECT, act->phase - 1);
        is_known = is_known || (is_before && is_at(other, act, PIPE_WAIT, act->phase - 1));
    }
    return !has_copies || is_known;
}

/* Whether it comes before some arrival of the phase, or before a copy whose bytes the phase expects. */
static bool is_ahead_of(const pipe_run *run, const pipe_at_barrier *act, int phase, bool of_copies)
{
    for (int i = 0; i < run->act_count; i++) {
        const pipe_at_barrier *other = &run->acts[i];
        const bool counts =
            is_at(other, act, PIPE_ARRIVE, phase) ||
            (of_copies && is_at(other, act, PIPE_COPY, phase) && other->is_expected);
        if (counts && pipe_is_before(run, act->event, other->event)) return true;
    }
    return false;
}

static unsigned judge_act(const pipe_run *run, const pipe_at_barrier *act)
{
    const int complete = run->barriers[act->barrier].phases;
    if (act->act == PIPE_WAIT)
        return act->phase + 1 < complete && !is_ahead_of(run, act, act->phase + 1, true)
                   ? PIPE_MISSED
                   : 0;
    if (act->phase > 0 && !is_behind_phase(run, act)) return PIPE_OVERRUN;
    const bool holds_up = act->act == PIPE_EXPECT || (act->act == PIPE_COPY && !act->is_expected);
    return holds_up && act->phase < complete && !is_ahead_of(run, act, act->phase, false)
               ? PIPE_OVERRUN
               : 0;
}

static bool is_observed(const pipe_run *run, int barrier, int phase)
{
    for (int i = 0; i < run->act_count; i++)
        if (run->acts[i].act == PIPE_WAIT && run->acts[i].barrier == barrier &&
            run->acts[i].phase == phase)
            return true;
    return false;
}

static unsigned judge_barriers(const pipe_run *run)
{
    unsigned faults = 0;
    for (int i = 0; i < run->act_count; i++) faults |= judge_act(run, &run->acts[i]);
    for (int b = 0; b < PIPE_MEMORIES * PIPE_SLOTS; b++) {
        if (run->barriers[b].arrived || run->barriers[b].lacks) faults |= PIPE_LEFT;
        for (int phase = 0; phase + 1 < run->barriers[b].phases; phase++)
            if (!is_observed(run, b, phase)) faults |= PIPE_UNOBSERVED;
    }
    return faults;
}

/* ---- memory ---- */

static unsigned judge_accesses(const pipe_run *run)
{
    for (int i = 0; i < run->access_count; i++) {
        const pipe_access *a = &run->accesses[i];
        for (int j = 0; j < i; j++) {
            const pipe_access *b = &run->accesses[j];
            if (a->row == b->row && (a->writes || b->writes) && a->event != b->event &&
                !pipe_is_before(run, b->event, a->event) &&
                !pipe_is_before(run, a->event, b->event))
                return PIPE_RACE;
        }
    }
    return 0;
}

/* Whether a wait makes sure that it has read its source, or written it if that stands for registers.  One to registers
 * needs none. */
static bool is_awaited(const pipe_run *run, const pipe_async *op)
{
    const int moment = op->engine == PIPE_STORES ? op->done : op->read;
    if (op->engine == PIPE_LOADS) return true;
    for (int i = 0; i < run->wait_count; i++)
        if (pipe_is_before(run, moment, run->waits[i])) return true;
    return false;
}

static bool is_fenced(const pipe_run *run, const pipe_sight *sight)
{
    for (int i = 0; i < run->fence_count; i++)
        if (pipe_is_before(run, sight->access, run->fences[i]) &&
            pipe_is_before(run, run->fences[i], sight->start))
            return true;
    return false;
}

static unsigned judge_outputs(const pipe_run *run)
{
    const int o = pipe_memory_of(run->k, PIPE_OUTPUT);
    unsigned faults = 0;
    for (int row = 0; row < 2 * run->k->memories[o].count; row++) {
        if (!run->is_written[o][row])
            faults |= PIPE_UNWRITTEN;
        else if (!run->is_defined[o][row])
            faults |= PIPE_UNDEFINED;
    }
    return faults;
}

static unsigned judge_asyncs(const pipe_run *run)
{
    for (int i = 0; i < run->async_count; i++)
        if (!is_awaited(run, &run->asyncs[i])) return PIPE_NOT_AWAITED;
    return 0;
}

static bool are_fenced(const pipe_run *run, bool overwrites)
{
    for (int i = 0; i < run->sight_count; i++)
        if (run->sights[i].overwrites == overwrites && !is_fenced(run, &run->sights[i]))
            return false;
    return true;
}

/* ---- threads of blocks ---- */

/* Whether a thread of the block knows of it when it ends. */
static bool is_known_at_end(const pipe_run *run, const pipe_peer_use *use)
{
    for (int t = 0; t < pipe_number_of_threads(run->k); t++)
        if (pipe_block_of(run->k, t) == use->block &&
            pipe_is_before(run, use->event, run->thread[t].last))
            return true;
    return false;
}

static unsigned judge_peers(const pipe_run *run)
{
    for (int i = 0; i < run->use_count; i++)
        if (!is_known_at_end(run, &run->uses[i])) return PIPE_PEER_ENDED;
    return 0;
}

/* How often thread `t` and those that count as one with it have executed it. */
static int times_of(const pipe_kernel *k, const pipe_meeting *m, int t)
{
    int times = 0;
    if (m->is_along_threads) return m->times[t];
    for (int other = 0; other < pipe_number_of_threads(k); other++)
        if (pipe_block_of(k, other) == pipe_block_of(k, t)) times += m->times[other];
    return times;
}

static unsigned judge_meeting(const pipe_kernel *k, const pipe_meeting *m)
{
    for (int t = 0; t < pipe_number_of_threads(k); t++)
        for (int other = 0; other < t; other++)
            if ((m->is_along_blocks || pipe_block_of(k, t) == pipe_block_of(k, other)) &&
                times_of(k, m, t) != times_of(k, m, other))
                return PIPE_DIVERGED;
    return 0;
}

/* ---- the whole ---- */

unsigned pipe_judge(const pipe_kernel *k, int chain, pipe_value outputs[PIPE_ROWS])
{
    static pipe_run run;
    pipe_run_all(&run, k, chain, false);
    if (run.faults) return run.faults;
    unsigned faults = judge_barriers(&run) | judge_accesses(&run) | judge_outputs(&run) |
                      judge_asyncs(&run) | judge_peers(&run);
    for (int m = 0; m < k->meeting_count; m++) faults |= judge_meeting(k, &k->meetings[m]);
    if (!are_fenced(&run, false)) faults |= PIPE_UNFENCED;
    const int o = pipe_memory_of(k, PIPE_OUTPUT);
    for (int b = 0; b < k->memories[o].count; b++)
        memcpy(outputs[b], run.rows[o][2 * b], sizeof outputs[b]);
    return faults;
}

static bool are_phases_left(const pipe_run *run)
{
    for (int t = 0; t < pipe_number_of_threads(run->k); t++)
        for (int b = 0; b < PIPE_MEMORIES * PIPE_SLOTS; b++)
            if (run->thread[t].awaited[b] && run->thread[t].awaited[b] < run->barriers[b].phases)
                return true;
    return false;
}

unsigned pipe_judge_strictly(const pipe_kernel *k, int chain)
{
    static pipe_run run;
    unsigned found = 0;
    pipe_run_all(&run, k, chain, true);
    if (judge_accesses(&run) | judge_asyncs(&run)) found |= PIPE_ONLY_PROMISED;
    if (!are_fenced(&run, true)) found |= PIPE_OVERWRITE_UNFENCED;
    if (are_phases_left(&run)) found |= PIPE_PHASES_LEFT;
    return found;
}
