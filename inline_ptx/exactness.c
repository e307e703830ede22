#include "inline_ptx/exactness.h"

#include "emulator/lines.h"
#include "inline_ptx/entry.h"

tg_status tg_inline_ptx_inexact_line(const tg_kernel *kernel, const tg_op *op, uint32_t *line)
{
    tg_inline_ptx ptx;
    tg_inline_ptx_entry entry;
    char problem[TG_INLINE_PTX_PROBLEM];
    *line = 0;
    TG_TRY(tg_inline_ptx_read(kernel, op, &ptx, problem));
    TG_TRY(tg_inline_ptx_load(&ptx, &entry, problem));
    const uint32_t found = tg_emu_line_inexact(entry.module, entry.first_line, entry.last_line);
    if (found) *line = found - entry.first_line + 1;
    tg_emu_module_free(entry.module);
    return TG_OK;
}
