#include "gpu_backend/instructions/dot_tile.h"

#include <inttypes.h>

tg_ptx_reg tg_ptx_with(tg_ptx_emitter *em, tg_ptx_class class, const char *op, tg_ptx_reg a,
                       int64_t b)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, class);
    tg_ptx_row(&em->w, "%s %s, %s, %" PRId64 ";", op, r.name, a.name, b);
    return r;
}

tg_ptx_reg tg_ptx_beyond(tg_ptx_emitter *em, tg_ptx_reg base, tg_ptx_reg a, int64_t by,
                         int64_t more)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mad.wide.u32 %s, %s, %" PRId64 ", %s;", r.name, a.name, by, base.name);
    return more ? tg_ptx_with(em, TG_PTX_B64, "add.s64", r, more) : r;
}
