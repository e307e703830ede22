/* Conflicts of banks of shared memory, and uncoalesced accesses to global memory.
 *
 * Kernels access blocks; a GPU moves a block by instructions of warps, each lane of which has an
 * address.  So each access is taken apart into such instructions (registers.h), which have a cost
 * (cost.h), and costs are summed up by source lines (sites.h).  Accesses to be made are looked at
 * element by element, so strides, masks, index arrays and edges of blocks count as they are.
 *
 * Copies beside a program are not looked at: no lanes make them.  Lanes that change one element by
 * atomics count as lanes that read it do. */
#include <stdlib.h>
#include <string.h>

#include "checks/checks.h"
#include "checks/memory_cost/say.h"
#include "checks/memory_cost/state.h"
#include "interp/state/machine.h"

enum { USUAL_WARPS = 4, MOST_SHARED_BYTES = 256 * 1024 };

/* ---- setup and cleanup ---- */

/* A TPU has no warps. */
static bool wants(const tg_launch *launch) { return launch->setting.target != TG_TARGET_TPU; }

static bool make(const tg_launch *launch, void **state)
{
    *state = tg_memory_cost_new(launch->plan, launch->warps ? launch->warps : USUAL_WARPS);
    return *state != NULL;
}

static void free_state(void *state) { tg_memory_cost_free(state); }

static bool begin(void *state, const tg_run_begin *run)
{
    tg_memory_cost *c = state;
    tg_memory_cost_clear(c);
    c->is_shared = run->is_shared;
    return true;
}

/* ---- accesses ---- */

typedef struct looked_at {
    tg_machine *m;
    const tg_inst *inst;
    tg_cost_inst *of;
    bool has_key;
    struct tg_known_cost now;
} looked_at;

/* Costs in shared memory are known of the same addresses only: a swizzle is sought for these. */
static int64_t period_of(const tg_cost_memory *memory)
{
    return memory->space == TG_COST_SHARED || memory->layout ? 0 : TG_LINE_BYTES;
}

/* A layout of blocks has the same addresses wherever the block is in the array. */
static int64_t origin_of(const tg_machine *m, const tg_cost_memory *memory)
{
    if (memory->block_of == UINT32_MAX) return 0;
    return m->refs[memory->block_of].origin * memory->element_bytes;
}

static const tg_value_registers *held_of(const looked_at *a)
{
    return a->of->is_given && !a->now.is_assumed ? &a->of->held : NULL;
}

/* Given registers that are too many for a placement are as none. */
static bool find_cost(const tg_memory_cost *c, looked_at *a)
{
    const tg_touched touched = tg_touched_begin(a->m, a->inst, &a->of->memory);
    const tg_status status =
        a->of->is_given ? tg_cost_held(&touched, &a->of->held, &a->now.cost) : TG_ERR_UNSUPPORTED;
    a->now.is_assumed = status != TG_OK;
    if (status != TG_OK) tg_cost_standard(&touched, c->warps, &a->now.cost);
    return status != TG_ERR_NO_MEMORY;
}

/* Moves what is known of a like access to where this one is. */
static void take_known(looked_at *a, const struct tg_known_cost *known)
{
    const int64_t apart = a->of->memory.layout ? 0 : a->now.first_byte - known->first_byte;
    a->now.cost = known->cost;
    a->now.is_assumed = known->is_assumed;
    for (int i = 0; i < 2; i++) a->now.cost.worst.byte[i] += apart;
}

static void lock(tg_memory_cost *c)
{
    if (c->is_shared) pthread_mutex_lock(&c->lock);
}

static void unlock(tg_memory_cost *c)
{
    if (c->is_shared) pthread_mutex_unlock(&c->lock);
}

static bool is_known(tg_memory_cost *c, looked_at *a)
{
    lock(c);
    const struct tg_known_cost *like = tg_known_cost_find(&a->of->known, &a->now.key);
    if (like) take_known(a, like);
    unlock(c);
    return like != NULL;
}

static bool look_up(tg_memory_cost *c, looked_at *a)
{
    a->has_key = tg_cost_key_of(a->m, tg_inst_accesses(a->inst), origin_of(a->m, &a->of->memory),
                                period_of(&a->of->memory), &a->now.key, &a->now.first_byte);
    if (!a->has_key) return find_cost(c, a);
    if (is_known(c, a)) return true;
    const bool is_whole = find_cost(c, a);
    lock(c);
    tg_known_cost_keep(&a->of->known, &a->now);
    unlock(c);
    return is_whole;
}

static bool is_same_access(const tg_cost_witness *w, const looked_at *a)
{
    return w->inst == a->inst && w->has_key && a->has_key && tg_cost_key_same(&w->key, &a->now.key);
}

static bool is_swizzled(const tg_cost_memory *memory)
{
    return memory->layout && memory->layout->swizzle.bits;
}

/* Keeps the addresses of the witness, for the search of a swizzle. */
static bool keep_addresses(tg_memory_cost *c, const looked_at *a)
{
    tg_cost_witness *w = &c->witnesses[a->of->site];
    tg_cost_addresses *addresses = &c->addresses[a->of->site];
    if (a->of->memory.space != TG_COST_SHARED || is_same_access(w, a)) return true;
    const tg_touched touched = tg_touched_begin(a->m, a->inst, &a->of->memory);
    *w = (tg_cost_witness){a->inst, a->has_key, a->now.key};
    tg_placement_free(&addresses->list);
    addresses->width = a->now.cost.width;
    /* No shared memory is as large; and one swizzle behind another is none. */
    if (touched.left > MOST_SHARED_BYTES || is_swizzled(&a->of->memory)) return true;
    return tg_cost_placement(&touched, held_of(a), &a->now.cost, &addresses->list) !=
           TG_ERR_NO_MEMORY;
}

static void before(tg_machine *m, const tg_inst *inst)
{
    tg_memory_cost *c = m->own;
    if (!(tg_inst_traits[inst->kind] & TG_INST_ACCESSES) || m->is_in_map) return;
    looked_at a = {.m = m, .inst = inst, .of = &c->insts[inst - c->plan->body.list]};
    if (a.of->site == UINT32_MAX) return;
    bool is_whole = look_up(c, &a);
    lock(c);
    if (tg_cost_site_add(&c->sites[a.of->site], &a.now.cost, a.now.is_assumed, m->program_index))
        is_whole = keep_addresses(c, &a) && is_whole;
    if (!is_whole) c->is_incomplete = true;
    unlock(c);
}

/* ---- the result ---- */

static bool add_findings(tg_memory_cost *c, const tg_run_end *run)
{
    bool is_whole = !c->is_incomplete;
    for (uint32_t s = 0; s < c->site_count; s++) {
        tg_cost_site *site = &c->sites[s];
        tg_found found;
        if (site->accesses) tg_grid_coordinates(run->grid, site->program_index, site->program);
        if (site->cost == site->least) continue;
        is_whole = tg_cost_finding(c->plan->kernel, site, &found) && is_whole;
        tg_findings_add(run->findings, &found);
    }
    return is_whole;
}

static bool list_sites(const tg_memory_cost *c, tg_run_end *run)
{
    if (!run->is_whole) return true;
    run->costs = malloc((c->site_count + 1) * sizeof *run->costs);
    if (!run->costs) return false;
    for (uint32_t s = 0; s < c->site_count; s++)
        if (c->sites[s].accesses) run->costs[run->cost_count++] = c->sites[s];
    return true;
}

static bool report(void *state, tg_run_end *run)
{
    tg_memory_cost *c = state;
    const bool is_searched = tg_cost_find_swizzles(c->sites, c->addresses, c->site_count);
    const bool is_told = add_findings(c, run);
    return list_sites(c, run) && is_told && is_searched;
}

const tg_detector tg_detector_memory_cost = {.checks = TG_CHECK_MEMORY_COST,
                                             .wants = wants,
                                             .make = make,
                                             .free = free_state,
                                             .begin = begin,
                                             .before = before,
                                             .report = report};
