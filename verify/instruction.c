#include "verify/instruction.h"

#include <stdio.h>
#include <string.h>

#include "verify/report.h"

/* The ops that an instruction performs. */
static const struct {
    const char *instruction;
    tg_opcode ops[4];
    int count;
} performs[] = {
    {"mma", {TG_OP_dot_general}, 1},
    {"wgmma", {TG_OP_dot_general, TG_OP_dot_start}, 2},
    {"tcgen05", {TG_OP_dot_general, TG_OP_dot_start, TG_OP_load, TG_OP_store}, 4},
    {"ldmatrix", {TG_OP_load}, 1},
    {"stmatrix", {TG_OP_store}, 1},
    {"tma", {TG_OP_dma_start}, 1},
};

static bool is_performed(const char *instruction, tg_opcode op)
{
    for (size_t i = 0; i < sizeof performs / sizeof *performs; i++)
        for (int o = 0; o < performs[i].count; o++)
            if (strcmp(performs[i].instruction, instruction) == 0 && performs[i].ops[o] == op)
                return true;
    return false;
}

/* Matrices, of which the layout of the result says who multiplies what. */
static void check_product(const tg_verifier *v, const char *instruction)
{
    const tg_attr *contract = tg_op_attr(v->op, TG_ATTR_lhs_contract);
    if (tg_in(v, 0)->rank != 2 || tg_in(v, 1)->rank != 2 || !contract || contract->count != 1 ||
        tg_out(v, 0)->rank != 2)
        tg_mistyped(v, "%s multiplies two matrices, %s and %s are none that give one", instruction,
                    tg_show(tg_in(v, 0)).text, tg_show(tg_in(v, 1)).text);
    else if (!v->kernel->values[v->op->out[0]].layout)
        tg_illegal(v, "the result has no layout, which %s needs: it says who has what",
                   instruction);
}

void tg_verify_instruction(const tg_verifier *v)
{
    const tg_attr *attr = tg_op_attr(v->op, TG_ATTR_instruction);
    char name[32];
    if (!attr) return;
    tg_attr_name_text(TG_ATTR_instruction, (int)attr->as.integer, name, sizeof name);
    if (!is_performed(name, v->op->code))
        tg_illegal(v, "is not what the instruction %s does", name);
    else if (v->op->code == TG_OP_dot_general)
        check_product(v, name);
    else if (v->op->code == TG_OP_dma_start && !tg_in(v, 0)->is_ref)
        tg_mistyped(v, "%s copies between memories, but operand 0 is %s", name,
                    tg_show(tg_in(v, 0)).text);
}
