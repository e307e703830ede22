#include "gpu_backend/emit/report.h"

#include "base/list.h"
#include "gpu_backend/emit/uniform.h"

void tg_ptx_report(tg_ptx_emitter *em, tg_ptx_site_kind kind, tg_ptx_reg predicate)
{
    tg_ptx_site *sites = tg_list_grow(em->sites, em->site_count, &em->site_capacity, sizeof *sites);
    if (!sites) {
        em->status = TG_ERR_NO_MEMORY;
        return;
    }
    em->sites = sites;
    tg_ptx_row(&em->w, "@%s red.global.min.u64 [%s+%u], %s;", predicate.name, em->report.name,
               8 * em->site_count, em->program_index.name);
    em->sites[em->site_count++] = (tg_ptx_site){kind, em->inst, em->param};
}

void tg_ptx_report_unless(tg_ptx_emitter *em, tg_ptx_site_kind kind, tg_ptx_uniform ok)
{
    if (tg_ptx_is_known(ok, 1)) return;
    const tg_ptx_reg p = tg_ptx_new(&em->w, TG_PTX_PRED), v = tg_ptx_uniform_reg(em, ok);
    tg_ptx_row(&em->w, "setp.eq.s64 %s, %s, 0;", p.name, v.name);
    tg_ptx_report(em, kind, p);
}
