#include "interp/exec/storage.h"

#include <stdlib.h>
#include <string.h>

#include "base/big_pages.h"
#include "interp/sync/async.h"
#include "interp/sync/async_order.h"
#include "interp/state/fill.h"
#include "interp/exec/panels.h"
#include "interp/spin/spin.h"
#include "interp/memory/windows.h"

enum { ALIGN = 64 };

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

static void fill_undefined_slots(tg_machine *m)
{
    const tg_plan *plan = m->launch->plan;
    for (uint32_t s = 0; s < plan->slot_count; s++) {
        const tg_slot *slot = &plan->slots[s];
        if (slot->kind == TG_SLOT_WORK) m->slot[s] = m->workspace + slot->offset;
        if (slot->kind == TG_SLOT_CONSTANT) m->slot[s] = slot->data;
        if (slot->kind != TG_SLOT_UNDEFINED) continue;
        m->slot[s] = &m->undefined[s];
        tg_launch_fill(m->launch, &m->undefined[s], slot->dtype, 1);
    }
}

/* An allocator that hands out parts of one piece of memory; without a base it only measures. */
typedef struct deal {
    unsigned char *base;
    size_t used;
    bool is_too_much;
} deal;

static void *part_of(deal *d, size_t bytes)
{
    void *const part = d->base ? d->base + d->used : NULL;
    if (bytes > SIZE_MAX / 4 || d->used > SIZE_MAX / 4)
        d->is_too_much = true;
    else
        d->used += aligned(bytes);
    return part;
}

/* Places the parts of a machine.  Returns the number of bytes at the beginning that must be
 * zeros. */
static size_t deal_out(tg_machine *m, const tg_launch *launch, deal *d)
{
    const size_t slots = launch->plan->slot_count, operands = launch->most_operands,
                 order = (size_t)tg_async_order_length(launch);
    m->slot = part_of(d, slots * sizeof *m->slot);
    m->storage = part_of(d, slots * sizeof *m->storage);
    m->is_kept = part_of(d, slots * sizeof *m->is_kept);
    m->awaited_phases = part_of(d, launch->barrier_count * sizeof *m->awaited_phases);
    m->missing_bytes = part_of(d, launch->barrier_count * sizeof *m->missing_bytes);
    m->order = part_of(d, order * sizeof *m->order);
    m->order_of_newest = part_of(d, order * sizeof *m->order_of_newest);
    m->handed_on = part_of(d, tg_async_orders_handed_on(launch) * sizeof *m->handed_on);
    m->undefined = part_of(d, slots * sizeof *m->undefined);
    m->refs = part_of(d, launch->plan->ref_count * sizeof *m->refs);
    m->stride = part_of(d, operands * TG_MAX_RANK * sizeof *m->stride);
    m->pointer = part_of(d, operands * sizeof *m->pointer);
    m->operand_storage = part_of(d, operands * sizeof *m->operand_storage);
    m->way = part_of(d, operands * sizeof *m->way);
    m->prefetch = part_of(d, launch->plan->kernel->param_count * sizeof *m->prefetch);
    m->owns = part_of(d, launch->detectors.count * sizeof *m->owns);
    const size_t zeros = d->used;
    m->strips = part_of(d, launch->strip_bytes);
    m->own_chain.scratch = part_of(d, launch->scratch_bytes);
    m->workspace = part_of(d, launch->plan->workspace_bytes);
    m->extra = part_of(d, launch->extra_bytes);
    return zeros;
}

/* Attaches the detectors of the launch to the machine.  Returns false if memory runs out; detach
 * them in either case. */
static bool attach_detectors(tg_machine *m)
{
    const tg_attached *all = &m->launch->detectors;
    for (uint32_t d = 0; d < all->count; d++) {
        const tg_detector *kind = all->kind[d];
        m->owns[d] = kind->attach ? NULL : all->state[d];
        if (kind->attach && !kind->attach(all->state[d], m, &m->owns[d])) return false;
    }
    m->is_looked_at =
        m->is_looked_at || all->hooked[TG_HOOK_before].count || all->hooked[TG_HOOK_after].count;
    m->keeps_order = m->is_looked_at || all->hooked[TG_HOOK_before_op].count ||
                     all->hooked[TG_HOOK_after_op].count;
    return true;
}

static void detach_detectors(tg_machine *m)
{
    for (uint32_t d = 0; d < m->launch->detectors.count; d++) {
        const tg_detector *kind = m->launch->detectors.kind[d];
        if (kind->detach && m->owns[d]) kind->detach(m->owns[d]);
    }
}

tg_machine *tg_machine_new(tg_launch *launch)
{
    tg_machine parts = {0};
    deal all = {.used = aligned(sizeof parts)};
    const size_t zeros = deal_out(&parts, launch, &all);
    unsigned char *memory = all.is_too_much ? NULL : malloc(all.used + ALIGN);
    if (!memory) return NULL;
    tg_advise_big_pages(memory, all.used + ALIGN); /* for the workspaces of large blocks */
    all = (deal){.base = memory + (ALIGN - (uintptr_t)memory % ALIGN) % ALIGN,
                 .used = aligned(sizeof parts)};
    memset(all.base, 0, zeros);
    tg_machine *m = (void *)all.base;
    m->launch = launch;
    m->memory = memory;
    m->chain = &m->own_chain;
    m->own_chain.machine = m;
    deal_out(m, launch, &all);
    fill_undefined_slots(m);
    m->is_looked_at = launch->trace != NULL;
    if (attach_detectors(m) && (!launch->has_windows || tg_windows_init(m))) return m;
    tg_machine_free(m);
    return NULL;
}

void tg_machine_free(tg_machine *m)
{
    if (!m) return;
    tg_async_ops_free(&m->own_chain.async_ops);
    free(m->own_chain.signals.list);
    detach_detectors(m);
    tg_windows_free(m);
    tg_panels_free(m);
    tg_spin_free(m->spin);
    free(m->memory);
}
