#include "interp/memory/notify.h"

#include "interp/spin/spin.h"
#include "interp/memory/windows.h"

void tg_machine_notify(const tg_machine *m, tg_access_event *event)
{
    const tg_launch *launch = m->launch;
    event->data = tg_window_memory(m, event->param, &event->since);
    const struct tg_hooked *hooked = &launch->detectors.hooked[TG_HOOK_accessed];
    for (uint32_t h = 0; h < hooked->count; h++) {
        const tg_detector *kind = launch->detectors.kind[hooked->list[h]];
        if (kind->accesses & event->kind) kind->accessed(m->owns[hooked->list[h]], event);
    }
    if (launch->observer && (launch->observer->wants & event->kind))
        launch->observer->accessed(launch->observer->context, event);
    if (m->spin) tg_spin_accessed(m, event);
    if (launch->written && (event->kind & (TG_ACCESS_WRITE | TG_ACCESS_UPDATED)))
        launch->written(launch->written_context, event);
}

void tg_machine_accessed(const tg_machine *m, tg_access_event *event)
{
    event->program = m->program;
    event->program_index = m->program_index;
    event->chain = m->chain->number;
    event->actor = m->actor;
    tg_machine_notify(m, event);
}

void tg_machine_accessed_run(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                             size_t width, int64_t first, int64_t stride, int64_t count)
{
    /* Elements beyond its rank are never read, and zeroing them would cost time. */
    tg_access_event event;
    event.kind = kind;
    event.width = width;
    event.param = inst->as.access->access.root;
    event.inst = inst;
    event.first = first;
    event.rank = 1;
    event.count[0] = count;
    event.stride[0] = stride;
    tg_machine_accessed(m, &event);
}
