#include "interp/observer.h"

#include "interp/machine.h"

void tg_touch_runs(const tg_touch *touch,
                   void (*visit)(void *context, int64_t first, int64_t stride, int64_t count),
                   void *context)
{
    int64_t index[TG_MAX_RANK];
    int last = touch->rank - 1;
    for (int d = 0; d <= last; d++) {
        if (touch->count[d] <= 0) return;
        index[d] = 0;
    }
    for (;;) {
        int64_t first = touch->first;
        for (int d = 0; d < last; d++) first += index[d] * touch->stride[d];
        visit(context, first, touch->stride[last], touch->count[last]);
        int d = last - 1;
        while (d >= 0 && ++index[d] == touch->count[d]) index[d--] = 0;
        if (d < 0) return;
    }
}

void tg_machine_touched(const tg_machine *m, tg_touch *touch)
{
    touch->program = m->program;
    touch->order = m->order;
    for (uint32_t i = 0; i < m->launch->observer_count; i++) {
        const tg_observer *observer = &m->launch->observers[i];
        if (observer->wants & touch->kind) observer->touched(observer->context, touch);
    }
}

void tg_machine_touched_run(const tg_machine *m, const tg_inst *inst, tg_touch_kind kind,
                            int64_t first, int64_t stride, int64_t count)
{
    tg_touch touch; /* what lies beyond its rank is nobody's business, and zeroing it costs */
    touch.kind = kind;
    touch.param = inst->as.access->access.root;
    touch.inst = inst;
    touch.first = first;
    touch.rank = 1;
    touch.count[0] = count;
    touch.stride[0] = stride;
    tg_machine_touched(m, &touch);
}
