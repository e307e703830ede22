/* Telling what of a box an access touches. */
#ifndef TG_INTERP_MEMORY_NOTIFY_BOX_H
#define TG_INTERP_MEMORY_NOTIFY_BOX_H

#include "interp/memory/box.h"
#include "interp/memory/notify.h"

/* Tells of the part of the box inside the array; and of that where the access's mask is set. */
void tg_notify_box(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                   const tg_box *box);
void tg_notify_masked_box(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                          const tg_box *box);

/* Either of them, if anybody wants to hear of it. */
static inline void tg_accessed_box(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                                   const tg_box *box, bool is_masked)
{
    if (!tg_is_watched(m, &inst->as.access->access, kind)) return;
    if (is_masked)
        tg_notify_masked_box(m, inst, kind, box);
    else
        tg_notify_box(m, inst, kind, box);
}

#endif
