#include "gpu_backend/emit/refusal.h"

const char *tg_ptx_refusal_text(tg_ptx_refusal refusal)
{
    static const char *const texts[TG_PTX_REFUSAL_COUNT] = {
#define TG_PTX_REFUSAL(id, what, why) [TG_PTX_REFUSES_##id] = what,
#include "gpu_backend/emit/refusals.def"
#undef TG_PTX_REFUSAL
    };
    return texts[refusal];
}
