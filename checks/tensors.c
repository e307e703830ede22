/* Accesses to memory of a parameter that is none of the tensor through which they go (view_tensor):
 * the gaps of a strided view, and what is before and behind a view of larger memory.  Lanes that a
 * mask turns off access nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "checks/checks.h"
#include "checks/writers.h"
#include "interp/state/machine.h"
#include "plan/tensor_bytes.h"

static bool wants(const tg_launch *launch)
{
    for (uint32_t p = 0; p < launch->plan->kernel->param_count; p++)
        if (tg_tensor_is_part_of(launch->plan, p)) return true;
    return false;
}

typedef struct looker {
    const tg_launch *launch;
    const tg_access_event *event;
    const tg_op *tensor;
    bool has_found;
} looker;

static bool make(const tg_launch *launch, void **state)
{
    const tg_launch **of = calloc(1, sizeof *of);
    if (of) *of = launch;
    *state = (void *)of;
    return of != NULL;
}

static bool begin(void *state, const tg_run_begin *run)
{
    *(const tg_launch **)state = run->launch;
    return true;
}

static void tell(looker *l, int64_t byte)
{
    static const char *const sides[] = {[TG_TENSOR_BEFORE] = "before its first one",
                                        [TG_TENSOR_BETWEEN] = "between its elements",
                                        [TG_TENSOR_BEHIND] = "behind its last one"};
    const tg_plan *plan = l->launch->plan;
    const tg_param *param = &plan->kernel->params[l->event->param];
    const int64_t bytes = tg_dtypes[l->event->inst->as.access->access.dtype].bytes;
    const int64_t element = byte / tg_dtypes[param->array.dtype].bytes;
    tg_found found = {.kind = TG_FINDING_ACCESS_OUTSIDE_TENSOR,
                      .param = param,
                      .at = tg_access_place(plan, l->event),
                      .has_elements = true,
                      .first = element,
                      .last = element,
                      .program_index = l->event->program_index,
                      .count = 1};
    snprintf(found.message, sizeof found.message,
             "%s reaches element %" PRId64 " of %s, which is %s; the memory there belongs to what "
             "the tensor is a view of",
             tg_ops[l->event->inst->op].name, tg_tensor_element(l->tensor, byte, bytes),
             tg_op_attr(l->tensor, TG_ATTR_name)->as.text,
             sides[tg_tensor_side_of(l->tensor, byte)]);
    tg_findings_add(l->launch->findings, &found);
    l->has_found = true;
}

/* Tells of the first byte of [from, end) that is not the tensor's. */
static void look_at_bytes(looker *l, int64_t from, int64_t end)
{
    while (from < end && !l->has_found) {
        const int64_t run = tg_tensor_run(l->tensor, from);
        if (run == 0) tell(l, from);
        from += run;
    }
}

static void look_at_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    looker *l = context;
    const int64_t width = (int64_t)l->event->width;
    if (stride == 1) {
        look_at_bytes(l, first * width, (first + count) * width);
        return;
    }
    for (int64_t i = 0; i < count && !l->has_found; i++)
        look_at_bytes(l, (first + i * stride) * width, (first + i * stride + 1) * width);
}

static void accessed(void *own, const tg_access_event *event)
{
    looker l = {
        .launch = *(const tg_launch **)own, .event = event, .tensor = tg_tensor_of(event->inst)};
    if (l.tensor) tg_access_own_runs(event, look_at_run, &l);
}

const tg_detector tg_detector_tensors = {.accesses =
                                             TG_ACCESS_READ | TG_ACCESS_WRITE | TG_ACCESS_ATOMIC,
                                         .wants = wants,
                                         .make = make,
                                         .free = free,
                                         .begin = begin,
                                         .accessed = accessed};
