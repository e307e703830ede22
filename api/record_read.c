/* What a recording holds, for users. */
#include "api/arrays.h"
#include "api/record.h"

tg_recording_info tg_recording_describe(const tg_recording *r)
{
    return (tg_recording_info){.kernel = r->kernel->name,
                               .kernel_location = r->kernel->loc,
                               .axis_count = (size_t)r->grid.rank,
                               .param_count = r->kernel->param_count,
                               .location_count = r->module->loc_count,
                               .asked_count = r->history->asked_for_count,
                               .access_count = r->history->count,
                               .steps = r->history->step};
}

tg_record_axis tg_recording_axis(const tg_recording *r, size_t index)
{
    return (tg_record_axis){.name = r->kernel->axes[index].name,
                            .size = r->grid.size[index],
                            .is_parallel = r->grid.semantics[index] == TG_SEMANTICS_PARALLEL,
                            .is_thread = r->grid.semantics[index] == TG_SEMANTICS_THREAD};
}

tg_record_location tg_recording_location(const tg_recording *r, size_t index)
{
    const tg_loc *loc = &r->module->locs[index];
    return (tg_record_location){.file = loc->file, .function = loc->function, .line = loc->line};
}

static int64_t step_or_none(int64_t step) { return step < INT64_MAX ? step : -1; }

tg_record_param tg_recording_param(const tg_recording *r, size_t index)
{
    tg_param *param = &r->kernel->params[index];
    const tg_history_gap *gap = &r->history->gaps[index];
    tg_tensor tensor = {.type = param->array, .data = r->data[index]};
    tg_record_param out = {.role = tg_role_names[param->role],
                           .dtype = tg_dtypes[param->array.dtype].name,
                           .array = tg_api_array_of(param->name, &tensor),
                           .memory = (size_t)tg_param_owner(r->kernel, (uint32_t)index),
                           .accesses = gap->accesses,
                           .values = gap->values,
                           .since = step_or_none(gap->since),
                           .since_asked = step_or_none(gap->since_asked_for)};
    out.array.tensor.shape = param->array.shape;
    return out;
}

tg_record_range tg_recording_asked(const tg_recording *r, size_t index)
{
    const tg_history_range *range = &r->history->asked_for[index];
    return (tg_record_range){.param = range->param, .first = range->first, .last = range->last};
}

tg_record_access tg_recording_access(const tg_recording *r, size_t index)
{
    const tg_history_entry *e = &r->history->entries[index];
    return (tg_record_access){.step = e->step,
                              .steps = e->steps,
                              .kind = e->kind == TG_ACCESS_READ    ? "read"
                                      : e->kind == TG_ACCESS_WRITE ? "write"
                                                                   : "atomic",
                              .is_part = e->is_part,
                              .op = tg_ops[e->inst->op].name,
                              .location = e->inst->loc,
                              .param = e->param,
                              .program = e->program,
                              .first = e->first,
                              .rank = e->rank,
                              .count = e->count,
                              .stride = e->stride,
                              .values = r->history->values + e->value_at,
                              .value_count = e->value_count};
}
