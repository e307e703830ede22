#include "gpu_backend/emit/refuse.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/loc.h"

void tg_ptx_refuse(tg_ptx_emitter *em, tg_ptx_refusal refusal, const char *format, ...)
{
    char here[200], place[TG_LOC_TEXT];
    va_list args;
    if (em->status != TG_OK) return;
    va_start(args, format);
    vsnprintf(here, sizeof here, format, args);
    va_end(args);
    const tg_loc *loc = &em->plan->module->locs[em->inst ? em->inst->loc : 0];
    em->status = tg_fail(
        em->diags, TG_ERR_UNSUPPORTED, NULL, "kernel %s: the GPU backend does not support %s: %s%s",
        em->plan->kernel->name, tg_ptx_refusal_text(refusal), here, tg_loc_print(loc, place));
}
