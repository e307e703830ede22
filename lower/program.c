#include "lower/program.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"

/* Makes the details of a print: the format, and its operands, those of the op from `first` on. */
static struct tg_inst_print *new_print(tg_lowerer *l, const tg_op *op, uint32_t first)
{
    struct tg_inst_print *print = tg_lower_take(l, 1, sizeof *print);
    if (!print) return NULL;
    print->format = tg_op_attr(op, TG_ATTR_format)->as.text;
    print->source = op;
    print->in_count = op->in_count - first;
    print->in = tg_lower_take(l, print->in_count, sizeof *print->in);
    if (!print->in) return NULL;
    for (uint32_t i = 0; i < print->in_count; i++)
        print->in[i] = tg_lower_operand(l, op->in[first + i]);
    return print;
}

void tg_lower_op_print(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_print *print = new_print(l, op, 0);
    if (!print) return;
    tg_lower_emit(l, TG_I_PRINT, op->code, op->loc)->as.print = print;
}

void tg_lower_op_check(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_print *print = new_print(l, op, 1);
    if (!print) return;
    print->condition = tg_lower_operand(l, op->in[0]);
    tg_lower_emit(l, TG_I_CHECK, op->code, op->loc)->as.print = print;
}

void tg_lower_op_grid(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_grid *grid = tg_lower_take(l, 1, sizeof *grid);
    if (!grid) return;
    grid->axis = (int)tg_op_int(op, TG_ATTR_axis, 0);
    grid->out = tg_lower_result(l, op->out[0]);
    tg_inst_kind kind = op->code == TG_OP_program_id ? TG_I_PROGRAM_ID : TG_I_NUM_PROGRAMS;
    tg_lower_emit(l, kind, op->code, op->loc)->as.grid = grid;
}

void tg_lower_op_cancel_launch(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_cancel *cancel = tg_lower_take(l, 1, sizeof *cancel);
    if (!cancel) return;
    cancel->out = tg_lower_result(l, op->out[0]);
    cancel->resident = tg_op_int(op, TG_ATTR_resident, 0);
    l->plan->cancels = true;
    tg_lower_emit(l, TG_I_CANCEL, op->code, op->loc)->as.cancel = cancel;
}
