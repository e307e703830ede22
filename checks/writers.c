#include "checks/writers.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "checks/plane.h"

void tg_writers_clear(tg_writers *writers)
{
    tg_number_map_free(&writers->numbers);
    writers->count = 0;
}

void tg_writers_free(tg_writers *writers)
{
    tg_writers_clear(writers);
    free(writers->list);
}

static bool is_by(const tg_writer *writer, const tg_access_event *event)
{
    return writer->inst == event->inst && writer->program_index == event->program_index;
}

uint32_t tg_writers_number(tg_writers *writers, const tg_access_event *event)
{
    enum { ORDER_BITS = 44 };
    if (writers->count && is_by(&writers->list[writers->count - 1], event)) return writers->count;
    const uint64_t inst = (uint64_t)(event->inst - writers->plan->body.list);
    const uint64_t key = inst << ORDER_BITS | (uint64_t)event->program_index;
    const uint32_t known = tg_number_map_get(&writers->numbers, key);
    if (known != UINT32_MAX) return known + 1;
    if (writers->count + 1 >= TG_PLANE_LIMIT) return 0;
    tg_writer *list = tg_list_grow(writers->list, writers->count, &writers->room, sizeof *list);
    if (!list) return 0;
    writers->list = list;
    if (!tg_number_map_put(&writers->numbers, key, writers->count)) return 0;
    tg_writer *w = &list[writers->count++];
    *w = (tg_writer){.param = event->param,
                     .inst = event->inst,
                     .program_index = event->program_index,
                     .chain = event->chain};
    memcpy(w->program, event->program,
           sizeof *w->program * (size_t)writers->plan->kernel->axis_count);
    return writers->count;
}

tg_found_place tg_writer_place(const tg_writer *writer)
{
    tg_found_place at = {.op = writer->inst->op, .loc = writer->inst->loc, .has_program = true};
    memcpy(at.program, writer->program, sizeof at.program);
    return at;
}

tg_found_place tg_access_place(const tg_plan *plan, const tg_access_event *event)
{
    tg_found_place at = {.op = event->inst->op, .loc = event->inst->loc, .has_program = true};
    memcpy(at.program, event->program, sizeof *at.program * (size_t)plan->kernel->axis_count);
    return at;
}
