#include "run/context.h"

#include <stdlib.h>

#include "checks/checks.h"
#include "checks/shared_memory.h"
#include "interp/memory/windows.h"
#include "interp/state/room.h"
#include "plan/tensor_bytes.h"

static void free_context(tg_run_context *b)
{
    if (!b) return;
    uint32_t params = b->launch.plan->kernel->param_count;
    for (uint32_t p = 0; b->own && p < params; p++) free(b->own[p].data);
    free(b->own);
    free(b->launch.buffers);
    tg_machines_free(&b->machines);
    tg_room_free(&b->launch);
    const tg_attached *all = &b->launch.detectors;
    for (uint32_t d = 0; d < all->count; d++)
        if (all->kind[d]->free) all->kind[d]->free(all->state[d]);
    pthread_mutex_destroy(&b->launch.atomics);
    free(b);
}

/* Attaches the detector to the launch's runs if a check asks for it and it has anything to look
 * for.  Returns false if memory runs out. */
static bool attach(tg_launch *launch, const tg_detector *kind)
{
    void *state = NULL;
    if (!tg_detector_is_wanted(kind, launch)) return true;
    if (kind->make && !kind->make(launch, &state)) return false;
    if (kind->make && !state) return true;
    tg_detector_add(&launch->detectors, kind, state);
    launch->watched |= kind->accesses;
    return true;
}

static bool attach_detectors(tg_launch *launch)
{
    for (int d = 0; d < TG_DETECTOR_COUNT; d++)
        if (!attach(launch, tg_detectors[d])) return false;
    if (launch->added) {
        tg_detector_add(&launch->detectors, launch->added->kind, launch->added->state);
        launch->watched |= launch->added->kind->accesses;
    }
    return true;
}

/* Returns whether checks observe accesses to the parameter's memory; other observers may observe
 * all parameters. */
static bool is_of_interest(const tg_plan *plan, uint32_t p)
{
    const tg_param *param = &plan->kernel->params[p];
    if (param->role == TG_ROLE_SCRATCH)
        return plan->has_threads || tg_param_is_shared_memory(param);
    return param->role == TG_ROLE_OUTPUT || plan->is_written[p] || tg_tensor_is_part_of(plan, p);
}

static bool fill_context(tg_run_context *b)
{
    const tg_kernel *k = b->launch.plan->kernel;
    b->own = calloc(k->param_count + 1, sizeof *b->own);
    b->launch.buffers = calloc(k->param_count + 1, sizeof *b->launch.buffers);
    if (!b->own || !b->launch.buffers) return false;
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_type *array = &k->params[p].array;
        b->launch.buffers[p].count = tg_type_count(array);
        tg_dense_strides(array->rank, array->shape, b->launch.buffers[p].stride);
        b->launch.buffers[p].is_observed = b->launch.observer || is_of_interest(b->launch.plan, p);
    }
    b->launch.has_windows = tg_setting_has_windows(&b->launch.setting) && tg_windows_are_needed(k);
    if (b->launch.plan->while_count) /* memory that loops poll, see spin.h */
        b->launch.watched |= TG_ACCESS_READ | TG_ACCESS_WRITE | TG_ACCESS_ATOMIC |
                             TG_ACCESS_INTENT | TG_ACCESS_UPDATED | TG_ACCESS_KEPT |
                             TG_ACCESS_COMPARED;
    if (b->launch.observer) b->launch.watched |= b->launch.observer->wants;
    return attach_detectors(&b->launch);
}

static tg_run_context *new_context(const tg_launch *bound)
{
    tg_run_context *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->launch = *bound;
    if (pthread_mutex_init(&b->launch.atomics, NULL) != 0) {
        free(b);
        return NULL;
    }
    if (fill_context(b)) return b;
    free_context(b);
    return NULL;
}

tg_run_context *tg_run_context_take(tg_run_contexts *contexts)
{
    for (int i = 0; i < TG_KEPT_CONTEXTS; i++) {
        if (!__atomic_load_n(&contexts->kept[i], __ATOMIC_RELAXED)) continue;
        tg_run_context *b = __atomic_exchange_n(&contexts->kept[i], NULL, __ATOMIC_ACQUIRE);
        if (b) return b;
    }
    return new_context(contexts->bound);
}

void tg_run_context_give_back(tg_run_contexts *contexts, tg_run_context *b)
{
    for (int i = 0; i < TG_KEPT_CONTEXTS; i++) {
        tg_run_context *none = NULL;
        if (__atomic_compare_exchange_n(&contexts->kept[i], &none, b, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return;
    }
    free_context(b);
}

void tg_run_contexts_free(tg_run_contexts *contexts)
{
    for (int i = 0; i < TG_KEPT_CONTEXTS; i++) free_context(contexts->kept[i]);
}
