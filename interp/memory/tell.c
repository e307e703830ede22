#include "interp/memory/tell.h"

#include "interp/spin/spin.h"
#include "interp/memory/windows.h"

void tg_machine_told(const tg_machine *m, tg_touch *touch)
{
    const tg_launch *launch = m->launch;
    touch->data = tg_window_memory(m, touch->param, &touch->since);
    const struct tg_hooked *hooked = &launch->detectors.hooked[TG_HOOK_touched];
    for (uint32_t h = 0; h < hooked->count; h++) {
        const tg_detector *kind = launch->detectors.kind[hooked->list[h]];
        if (kind->touches & touch->kind) kind->touched(m->owns[hooked->list[h]], touch);
    }
    if (launch->observer && (launch->observer->wants & touch->kind))
        launch->observer->touched(launch->observer->context, touch);
    if (m->spin) tg_spin_touched(m, touch);
    if (launch->written && (touch->kind & (TG_TOUCH_WRITE | TG_TOUCH_UPDATED)))
        launch->written(launch->written_context, touch);
}

void tg_machine_touched(const tg_machine *m, tg_touch *touch)
{
    touch->program = m->program;
    touch->order = m->order;
    touch->chain = m->chain->number;
    touch->actor = m->actor;
    tg_machine_told(m, touch);
}

void tg_machine_touched_run(const tg_machine *m, const tg_inst *inst, tg_touch_kind kind,
                            size_t width, int64_t first, int64_t stride, int64_t count)
{
    tg_touch touch; /* what lies beyond its rank is nobody's business, and zeroing it costs */
    touch.kind = kind;
    touch.width = width;
    touch.param = inst->as.access->access.root;
    touch.inst = inst;
    touch.first = first;
    touch.rank = 1;
    touch.count[0] = count;
    touch.stride[0] = stride;
    tg_machine_touched(m, &touch);
}
