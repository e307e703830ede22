/* The rule of inline_ptx: its text is read as it will be executed. */
#include "verify/own_rules.h"

#include <inttypes.h>

#include "inline_ptx/entry.h"
#include "verify/common.h"

static bool check_shape(const tg_verifier *v, const char *what, uint32_t number,
                        const tg_type *type, const tg_type *first)
{
    if (tg_same_shape(type, first)) return true;
    return tg_mistyped(v, "%s %" PRIu32 " is %s, but must have the shape of %s", what, number,
                       tg_show(type).text, tg_show(first).text);
}

void tg_verify_op_inline_ptx(const tg_verifier *v)
{
    const tg_op *op = v->op;
    tg_inline_ptx ptx;
    tg_inline_ptx_entry entry = {0};
    char problem[TG_INLINE_PTX_PROBLEM] = "";
    if (op->out_count == 0) {
        tg_illegal(v, "there is no result");
        return;
    }
    bool ok = true;
    for (uint32_t i = 1; i < op->out_count; i++)
        ok &= check_shape(v, "result", i, tg_out(v, i), tg_out(v, 0));
    for (uint32_t i = 0; i < op->in_count; i++)
        ok &= check_shape(v, "operand", i, tg_in(v, i), tg_out(v, 0));
    if (!ok) return;
    tg_status status = tg_inline_ptx_read(v->kernel, op, &ptx, problem);
    const int64_t elements = tg_type_count(tg_out(v, 0));
    if (status == TG_OK && elements % ptx.packed != 0) {
        tg_illegal(v, "%" PRId64 " elements are no multiple of packed, which is %" PRIu32, elements,
                   ptx.packed);
        return;
    }
    if (status == TG_OK) status = tg_inline_ptx_load(&ptx, &entry, problem);
    if (status == TG_ERR_NO_MEMORY)
        tg_no_memory(v->diags);
    else if (status != TG_OK)
        tg_illegal(v, "%s", problem);
    tg_emu_module_free(entry.module);
}
