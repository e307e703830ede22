/* Notifies observers of the part of a box that an access reads or writes. */
#ifndef TG_INTERP_MEMORY_NOTIFY_BOX_H
#define TG_INTERP_MEMORY_NOTIFY_BOX_H

#include "interp/memory/box.h"
#include "interp/memory/notify.h"

/* Notifies of the part of the box inside the array; and of its elements that the access's mask
 * turns on. */
void tg_notify_box(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                   const tg_box *box);
void tg_notify_masked_box(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                          const tg_box *box);

/* One of these, if any observer wants it. */
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
