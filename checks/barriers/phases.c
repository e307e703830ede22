#include "checks/barriers/phases.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* ---- acts ---- */

tg_barrier_act tg_barrier_act_of(const tg_machine *m, const tg_inst *inst, uint32_t time)
{
    tg_barrier_act act = {
        .actor = m->actor, .time = time, .inst = inst, .program_index = m->program_index};
    memcpy(act.program, m->program, sizeof act.program);
    return act;
}

bool tg_barrier_acts_add(tg_barrier_acts *acts, const tg_barrier_act *act)
{
    tg_barrier_act *list = tg_list_grow(acts->list, acts->count, &acts->room, sizeof *list);
    if (!list) return false;
    acts->list = list;
    list[acts->count++] = *act;
    return true;
}

bool tg_barrier_act_is_before(const tg_barrier_act *a, const tg_barrier_act *b)
{
    if (a->program_index != b->program_index) return a->program_index < b->program_index;
    return a->inst < b->inst;
}

const tg_barrier_act *tg_barrier_acts_first(const tg_barrier_acts *acts)
{
    const tg_barrier_act *first = acts->list;
    for (size_t i = 1; i < acts->count; i++)
        if (tg_barrier_act_is_before(&acts->list[i], first)) first = &acts->list[i];
    return first;
}

/* ---- phases ---- */

static void clear_phase(tg_phase_acts *phase, uint32_t number)
{
    phase->number = number;
    phase->arrivals.count = phase->copies.count = phase->waits.count = 0;
}

static void free_phase(tg_phase_acts *phase)
{
    free(phase->arrivals.list);
    free(phase->copies.list);
    free(phase->waits.list);
}

const tg_barrier_act *tg_barrier_first_arrival(const tg_barrier_use *use, uint32_t phase)
{
    if (use->now.number - phase > TG_FIRST_ARRIVALS) return NULL;
    return &use->first_arrivals[phase % TG_FIRST_ARRIVALS];
}

void tg_barrier_next_phase(tg_barrier_use *use)
{
    use->first_arrivals[use->now.number % TG_FIRST_ARRIVALS] =
        *tg_barrier_acts_first(&use->now.arrivals);
    const tg_phase_acts oldest = use->before;
    use->before = use->now;
    use->now = oldest; /* its lists have room already */
    clear_phase(&use->now, use->before.number + 1);
}

/* ---- barriers ---- */

tg_barrier_thread *tg_barrier_thread_of(tg_barrier_use *use, const tg_barrier_act *act)
{
    for (size_t i = 0; i < use->thread_count; i++)
        if (use->threads[i].first.actor == act->actor) return &use->threads[i];
    tg_barrier_thread *list =
        tg_list_grow(use->threads, use->thread_count, &use->thread_room, sizeof *list);
    if (!list) return NULL;
    use->threads = list;
    list[use->thread_count] = (tg_barrier_thread){.first = *act};
    return &list[use->thread_count++];
}

const tg_barrier_act *tg_barrier_first_use(const tg_barrier_use *use)
{
    const tg_barrier_act *first = &use->threads[0].first;
    for (size_t i = 1; i < use->thread_count; i++)
        if (tg_barrier_act_is_before(&use->threads[i].first, first)) first = &use->threads[i].first;
    return first;
}

static void begin(tg_barrier_use *use, const tg_machine *m, uint32_t param, const int64_t *barrier)
{
    use->barrier = barrier;
    use->chain = m->chain->number;
    use->param = param;
    clear_phase(&use->before, 0);
    clear_phase(&use->now, 0);
    use->thread_count = 0;
}

tg_barrier_use *tg_barrier_use_of(tg_barrier_uses *uses, const tg_machine *m, uint32_t param,
                                  const int64_t *barrier)
{
    const uint32_t number = tg_number_map_get(&uses->numbers, (uintptr_t)barrier);
    if (number != UINT32_MAX) {
        tg_barrier_use *use = &uses->list[number];
        if (use->chain != m->chain->number) begin(use, m, param, barrier);
        return use;
    }
    tg_barrier_use *list = tg_list_grow(uses->list, uses->count, &uses->room, sizeof *list);
    if (list) uses->list = list;
    if (!list || !tg_number_map_put(&uses->numbers, (uintptr_t)barrier, (uint32_t)uses->count))
        return NULL;
    tg_barrier_use *use = &list[uses->count++];
    *use = (tg_barrier_use){0};
    begin(use, m, param, barrier);
    return use;
}

void tg_barrier_uses_free(tg_barrier_uses *uses)
{
    for (size_t i = 0; i < uses->count; i++) {
        free_phase(&uses->list[i].before);
        free_phase(&uses->list[i].now);
        free(uses->list[i].threads);
    }
    free(uses->list);
    tg_number_map_free(&uses->numbers);
    *uses = (tg_barrier_uses){0};
}
