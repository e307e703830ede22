#include "checks/timeline/places.h"

#include "ir/tensor.h"
#include "interp/sync/async_op.h"

static const tg_time_place nowhere = {UINT32_MAX, -1};

/* `memory`: of the parameter. */
static tg_time_place place_from(const tg_machine *m, uint32_t root, const unsigned char *memory,
                                const void *at)
{
    const uintptr_t first = (uintptr_t)memory, byte = (uintptr_t)at;
    const size_t bytes = tg_tensor_bytes(&m->launch->plan->kernel->params[root].array);
    const bool is_inside = memory && byte >= first && byte - first < bytes;
    return (tg_time_place){root, is_inside ? (int64_t)(byte - first) : -1};
}

tg_time_place tg_time_place_of(const tg_machine *m, uint32_t root, const void *at)
{
    if (root == UINT32_MAX) return nowhere;
    return place_from(m, root, tg_machine_memory(m, root), at);
}

tg_time_place tg_time_place_in(const tg_machine *m, const tg_chain *chain, uint32_t root,
                               const void *at)
{
    if (root == UINT32_MAX) return nowhere;
    if (m->launch->plan->kernel->params[root].role != TG_ROLE_SCRATCH)
        return tg_time_place_of(m, root, at);
    return place_from(m, root, chain->scratch + m->launch->scratch_offset[root], at);
}

tg_time_place tg_time_place_at(const tg_machine *m, const void *at)
{
    for (uint32_t p = m->launch->plan->kernel->param_count; p-- > 0;) {
        const tg_time_place place = tg_time_place_of(m, p, at);
        if (place.byte >= 0) return place;
    }
    return nowhere;
}

typedef struct search {
    const tg_machine *m;
    tg_time_place found;
} search;

static void look(void *context, const unsigned char *at, size_t bytes)
{
    search *s = context;
    (void)bytes;
    if (s->found.byte < 0) s->found = tg_time_place_at(s->m, at);
}

tg_time_place tg_time_place_watched(const tg_machine *m)
{
    search s = {m, nowhere};
    m->wait->places(m, look, &s);
    return s.found;
}

static tg_time_place place_of_side(const tg_machine *m, const tg_async_place *place,
                                   const tg_async_side *side)
{
    const unsigned char *first = side->extent.rank ? side->extent.first : NULL;
    if (side->run_count) first = side->runs[0].first;
    return tg_time_place_of(m, place->root, first);
}

void tg_time_places_of(const tg_machine *m, const tg_async_op *op, tg_time_event *event)
{
    const struct tg_inst_async *plan = op->inst->as.async;
    if (tg_async_is_arrival(op)) {
        event->place = tg_time_place_of(m, plan->signal_root, op->signal);
        return;
    }
    event->place = place_of_side(m, &plan->to, &op->to);
    for (uint32_t i = 0; i < plan->source_count; i++)
        if (!plan->source[i].is_value)
            event->source[i] = place_of_side(m, &plan->source[i], &op->source[i]);
}
