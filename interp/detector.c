#include "interp/detector.h"

#include <assert.h>

#include "interp/machine.h"

void tg_detector_add(tg_attached *detectors, const tg_detector *kind, void *state)
{
    const uint32_t number = detectors->count++;
    assert(number < TG_MOST_DETECTORS);
    detectors->kind[number] = kind;
    detectors->state[number] = state;
#define X(hook)                                                                                    \
    if (kind->hook) {                                                                              \
        struct tg_hooked *hooked = &detectors->hooked[TG_HOOK_##hook];                             \
        hooked->list[hooked->count++] = (uint8_t)number;                                           \
    }
    TG_HOOKS(X)
#undef X
}

bool tg_detectors_attach(tg_machine *m)
{
    const tg_attached *all = &m->launch->detectors;
    for (uint32_t d = 0; d < all->count; d++) {
        const tg_detector *kind = all->kind[d];
        m->owns[d] = kind->attach ? NULL : all->state[d];
        if (kind->attach && !kind->attach(all->state[d], m, &m->owns[d])) return false;
    }
    m->is_looked_at =
        m->is_looked_at || all->hooked[TG_HOOK_before].count || all->hooked[TG_HOOK_after].count;
    return true;
}

void tg_detectors_detach(tg_machine *m)
{
    for (uint32_t d = 0; d < m->launch->detectors.count; d++) {
        const tg_detector *kind = m->launch->detectors.kind[d];
        if (kind->detach && m->owns[d]) kind->detach(m->owns[d]);
    }
}
