/* Undefined values: which elements depend on something that nothing defines, and where that
 * matters.  The same for arithmetic that goes wrong (tg_shadow_kind).
 *
 * Every element that a program computes or stores has a *shadow*: which of its bytes are undefined,
 * and the trail of operations by which they became undefined (checks/undefined/trails.h).  Each
 * kind of instruction has an exact rule for the shadows of its results (docs/semantics.md).  A
 * finding says where an undefined element is kept in an output, decides a branch or a loop, or
 * decides which memory is accessed.
 *
 * This file sets up and frees the state of a launch and of a machine (shadow.h), and has the
 * detectors. */
#include <stdlib.h>

#include "checks/checks.h"
#include "checks/undefined/copies.h"
#include "checks/undefined/instructions.h"
#include "checks/undefined/kept.h"
#include "checks/undefined/memories.h"
#include "checks/undefined/outputs.h"
#include "checks/undefined/products.h"
#include "interp/sync/async_op.h"

/* ---- setup and cleanup ---- */

static void free_undefined(void *state)
{
    tg_undefined *all = state;
    tg_shadow_memories_free(all);
    tg_trails_free(&all->trails);
    tg_arithmetic_free(&all->arithmetic);
    pthread_mutex_destroy(&all->planes_lock);
    free(all);
}

/* Returns NULL if memory runs out. */
static tg_undefined *new_undefined(const tg_launch *launch, tg_shadow_kind kind)
{
    tg_undefined *all = calloc(1, sizeof *all);
    if (!all) return NULL;
    if (pthread_mutex_init(&all->planes_lock, NULL) != 0) {
        free(all);
        return NULL;
    }
    all->plan = launch->plan;
    all->kind = kind;
    all->setting = launch->setting;
    const bool has_memories = tg_shadow_memories_init(all);
    const bool has_arithmetic =
        kind == TG_SHADOW_UNDEFINED || tg_arithmetic_init(&all->arithmetic, all->plan, kind);
    if (tg_trails_init(&all->trails) && has_memories && has_arithmetic) return all;
    free_undefined(all);
    return NULL;
}

static bool begin(void *state, const tg_run_begin *run)
{
    tg_undefined *all = state;
    all->grid = *run->grid;
    all->is_shared = run->is_shared;
    all->is_incomplete = false;
    all->has_marked = all->kind == TG_SHADOW_UNDEFINED;
    tg_trails_clear(&all->trails);
    return tg_shadow_memories_begin(all, run->launch);
}

/* ---- the state of a machine ---- */

/* Slots that represent an undefined value stay flagged for ever. */
static bool flag_undefined_slots(tg_shadow *s)
{
    const tg_plan *plan = s->all->plan;
    for (uint32_t i = 0; s->all->kind == TG_SHADOW_UNDEFINED && i < plan->slot_count; i++) {
        const tg_slot *slot = &plan->slots[i];
        if (slot->kind != TG_SLOT_UNDEFINED) continue;
        s->words[i] = malloc(sizeof *s->words[i]);
        if (!s->words[i]) return false;
        *s->words[i] = tg_word(TG_VALUE_TRAIL, tg_all_bytes(slot->dtype));
        s->is_flagged[i] = true;
        s->flagged++;
    }
    return true;
}

static void free_shadow(void *own)
{
    tg_shadow *s = own;
    const tg_plan *plan = s->all->plan;
    for (uint32_t i = 0; s->words && i < plan->slot_count; i++) free(s->words[i]);
    for (uint32_t p = 0; s->scratch && p < plan->kernel->param_count; p++)
        tg_plane_free(&s->scratch[p]);
    for (uint32_t i = 0; s->scoped && i < s->all->scope_count; i++) tg_plane_free(&s->scoped[i]);
    free(s->words);
    free(s->is_flagged);
    free(s->scratch);
    free(s->scoped);
    free(s->room);
    free(s);
}

/* Returns NULL if memory runs out. */
static tg_shadow *new_shadow(tg_undefined *all)
{
    const tg_plan *plan = all->plan;
    tg_shadow *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->all = all;
    s->words = calloc(plan->slot_count + 1, sizeof *s->words);
    s->is_flagged = calloc(plan->slot_count + 1, sizeof *s->is_flagged);
    s->scratch = calloc(plan->kernel->param_count + 1, sizeof *s->scratch);
    s->scoped = calloc(s->all->scope_count + 1, sizeof *s->scoped);
    if (s->words && s->is_flagged && s->scratch && s->scoped && flag_undefined_slots(s)) return s;
    free_shadow(s);
    return NULL;
}

static bool attach(void *state, tg_machine *m, void **own)
{
    (void)m;
    *own = new_shadow(state);
    return *own != NULL;
}

static void program_begins(tg_machine *m)
{
    tg_shadow *s = tg_shadow_of(m);
    for (uint32_t i = 0; s->flagged && i < s->all->plan->slot_count; i++) {
        if (!s->is_flagged[i] || s->all->plan->slots[i].kind == TG_SLOT_UNDEFINED) continue;
        s->is_flagged[i] = false;
        s->flagged--;
    }
}

static void async_happens(tg_machine *m, const tg_async_op *op)
{
    if (tg_async_is_product(op))
        tg_shadow_product(m, op);
    else if (op->inst->kind == TG_I_DMA)
        tg_shadow_copied(m, op);
}

/* ---- the detectors ---- */

static bool make_undefined(const tg_launch *launch, void **state)
{
    *state = new_undefined(launch, TG_SHADOW_UNDEFINED);
    return *state != NULL;
}

static bool make_arithmetic(const tg_launch *launch, tg_shadow_kind kind, void **state)
{
    tg_undefined *all = new_undefined(launch, kind);
    if (!all) return false;
    if (all->arithmetic.is_needed)
        *state = all;
    else
        free_undefined(all);
    return true;
}

static bool make_overflow(const tg_launch *launch, void **state)
{
    return make_arithmetic(launch, TG_SHADOW_OVERFLOW, state);
}

static bool make_range(const tg_launch *launch, void **state)
{
    return make_arithmetic(launch, TG_SHADOW_RANGE, state);
}

#define SHADOW(check, how)                                                                         \
    {                                                                                              \
        .checks = check, .make = how, .free = free_undefined, .begin = begin,                      \
        .report = tg_undefined_report, .attach = attach, .detach = free_shadow,                    \
        .chain_begins = tg_shadow_scratch, .program_begins = program_begins,                       \
        .mapped = tg_shadow_mapped, .before = tg_shadow_step,                                      \
        .async_starts = tg_shadow_async_starts, .async_happens = async_happens                     \
    }

const tg_detector tg_detector_undefined = SHADOW(TG_CHECK_UNDEFINED, make_undefined);
const tg_detector tg_detector_overflow = SHADOW(TG_CHECK_ARITHMETIC, make_overflow);
const tg_detector tg_detector_range = SHADOW(TG_CHECK_ARITHMETIC, make_range);
