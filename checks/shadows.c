/* What the machine calls: for each kind of shadow in turn. */
#include "checks/undefined_impl.h"

/* With m->shadow the one that is meant. */
#define FOR_EACH_SHADOW(m)                                                                         \
    for (int kind = 0; kind < TG_SHADOW_KIND_COUNT; kind++)                                        \
        if (((m)->shadow = (m)->shadows[kind]))

void tg_shadows_reset_scratch(tg_machine *m) { FOR_EACH_SHADOW(m) tg_shadow_reset_scratch(m); }

void tg_shadows_start(tg_machine *m) { FOR_EACH_SHADOW(m) tg_shadow_start(m); }

void tg_shadows_mapped(tg_machine *m, uint32_t param)
{
    FOR_EACH_SHADOW(m) tg_shadow_mapped(m, param);
}

void tg_shadows_step(tg_machine *m, const tg_inst *inst)
{
    FOR_EACH_SHADOW(m) tg_shadow_step(m, inst);
}

void tg_shadows_copied(tg_machine *m, const tg_inst *inst, int64_t order, const tg_ref *from,
                       const tg_ref *to, int rank)
{
    FOR_EACH_SHADOW(m) tg_shadow_copied(m, inst, order, from, to, rank);
}
