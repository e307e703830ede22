#include "checks/read_back.h"

#include <stdlib.h>

#include "interp/state/machine.h"

bool tg_read_back_init(tg_read_back *back, const tg_plan *plan, tg_read_back_fn *read)
{
    *back = (tg_read_back){.plan = plan, .read = read, .writers.plan = plan};
    return tg_memory_planes_init(&back->memory, plan->kernel);
}

void tg_read_back_free(void *state)
{
    tg_read_back *back = state;
    tg_memory_planes_free(&back->memory);
    tg_writers_free(&back->writers);
    free(back);
}

bool tg_read_back_begin(void *state, const tg_run_begin *run)
{
    tg_read_back *back = state;
    tg_writers_clear(&back->writers);
    back->findings = run->launch->findings;
    back->is_incomplete = false;
    return tg_memory_planes_begin(&back->memory);
}

bool tg_read_back_report(void *state, tg_run_end *run)
{
    const tg_read_back *back = state;
    (void)run;
    return !back->is_incomplete && tg_memory_planes_are_complete(&back->memory);
}

static uint32_t write_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    const tg_read_back *back = context;
    (void)number;
    (void)first;
    (void)count;
    return back->number;
}

static void read_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    tg_read_back *back = context;
    (void)count;
    if (number == 0 || back->has_reported) return;
    const tg_writer *writer = tg_writers_get(&back->writers, number);
    if (writer->chain == back->event->chain) back->has_reported = back->read(back, writer, first);
}

void tg_read_back_accessed(tg_read_back *back, const tg_access_event *event)
{
    pthread_mutex_lock(&back->memory.lock);
    back->event = event;
    back->has_reported = false;
    if (event->kind == TG_ACCESS_READ)
        tg_memory_planes_visit(&back->memory, event, read_places, back);
    else if ((back->number = tg_writers_number(&back->writers, event)) != 0)
        tg_memory_planes_update(&back->memory, event, write_places, back);
    else
        back->is_incomplete = true;
    pthread_mutex_unlock(&back->memory.lock);
}
