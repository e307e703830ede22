/* Findings: for each place that may report, the first program of the grid that had reason to. */
#include "gpu_backend/emit.h"

#include <stdlib.h>

static bool make_room(tg_ptx_emitter *em)
{
    if (em->site_count < em->site_capacity) return true;
    const uint32_t capacity = em->site_capacity ? 2 * em->site_capacity : 16;
    tg_ptx_site *sites = realloc(em->sites, capacity * sizeof *sites);
    if (!sites) return false;
    em->sites = sites;
    em->site_capacity = capacity;
    return true;
}

void tg_ptx_report(tg_ptx_emitter *em, tg_ptx_site_kind kind, tg_ptx_reg predicate)
{
    if (!make_room(em)) {
        em->status = TG_ERR_NO_MEMORY;
        return;
    }
    tg_ptx_row(&em->w, "@%s red.global.min.u64 [%s+%u], %s;", predicate.name, em->report.name,
               8 * em->site_count, em->order.name);
    em->sites[em->site_count++] = (tg_ptx_site){kind, em->inst, em->param};
}
