#include "bounds/inline_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "bounds/emit.h"
#include "inline_ptx/exactness.h"

/* Returns the first line of the text that another GPU may compute otherwise; 0: none is. */
static uint32_t inexact_line(tg_bound *b, const tg_op *op)
{
    uint32_t line;
    const tg_status status = tg_inline_ptx_inexact_line(b->from, op, &line);
    if (status != TG_OK && b->status == TG_OK) b->status = tg_no_memory(b->diags);
    return line;
}

static bool gives_floats(const tg_bound *b, const tg_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++)
        if (tg_is_float(tg_bound_dtype(b, op->out[i]))) return true;
    return false;
}

bool tg_bound_is_off_text(tg_bound *b, const tg_op *op)
{
    return op->code == TG_OP_inline_ptx &&
           ((b->contract && gives_floats(b, op)) || inexact_line(b, op) != 0);
}

void tg_bound_refuse_text(tg_bound *b)
{
    char why[96] = "what its text computes in exact arithmetic is not known";
    const uint32_t line = inexact_line(b, b->op);
    if (line)
        snprintf(why, sizeof why,
                 "line %" PRIu32 " of its text may give another result on another GPU", line);
    tg_bound_refuse(b, why);
}
