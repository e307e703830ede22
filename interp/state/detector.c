#include "interp/state/detector.h"

#include <assert.h>

#include "interp/state/launch.h"

bool tg_detector_is_wanted(const tg_detector *kind, const tg_launch *launch)
{
    if (kind->checks && !(kind->checks & launch->checks)) return false;
    return !kind->wants || kind->wants(launch);
}

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
