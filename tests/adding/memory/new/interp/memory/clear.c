/* clear: element by element, wherever the index says. */
#include <string.h>

#include "interp/memory/elements.h"
#include "interp/memory/notify.h"
#include "interp/state/handlers.h"

static void accessed(const tg_elements *w, tg_access_kind kind, const tg_pieces *pieces)
{
    const int64_t width = (int64_t)pieces->piece_bytes;
    if (!tg_is_watched(w->m, w->a, kind)) return;
    for (int i = 0; i < pieces->count; i++)
        tg_machine_accessed_run(w->m, w->inst, kind, pieces->piece_bytes,
                                (pieces->at[i] - w->ref->data) / width, 1, 1);
}

void tg_exec_clear(tg_machine *m, const tg_inst *inst)
{
    tg_elements w = tg_elements_begin(m, inst);
    for (int64_t i = 0; i < w.count; i++, tg_elements_next(&w)) {
        tg_pieces pieces;
        if (!tg_elements_locate(&w, &pieces)) continue; /* outside the ref, it is a finding */
        accessed(&w, TG_ACCESS_INTENT, &pieces);
        for (int p = 0; p < pieces.count; p++) memset(pieces.at[p], 0, pieces.piece_bytes);
        accessed(&w, TG_ACCESS_WRITE, &pieces);
    }
}
