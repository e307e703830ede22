#include "physical/demands.h"

#include "physical/agreement.h"
#include "physical/copies.h"
#include "physical/overlap.h"
#include "physical/products.h"
#include "physical/transfers.h"

bool tg_kernel_has_layouts(const tg_kernel *kernel)
{
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (kernel->params[p].layout) return true;
    for (uint32_t v = 0; v < kernel->value_count; v++)
        if (kernel->values[v].layout) return true;
    return false;
}

static void check_region(tg_demands *d, const tg_region *region);

static void check_op(tg_demands *d, const tg_op *op)
{
    tg_overlap_check(d, op);
    tg_agreement_check(d, op);
    if (tg_op_attr(op, TG_ATTR_instruction)) {
        if (op->code == TG_OP_dot_general || op->code == TG_OP_dot_start)
            tg_product_check(d, op);
        else if (op->code == TG_OP_dma_start)
            tg_copy_check(d, op);
        else
            tg_transfer_check(d, op);
    } else if (op->code == TG_OP_store) {
        tg_transfer_check_stays(d, op);
    }
    for (uint32_t r = 0; r < op->region_count; r++) check_region(d, &op->regions[r]);
}

static void check_region(tg_demands *d, const tg_region *region)
{
    for (uint32_t i = 0; i < region->op_count; i++) check_op(d, &region->ops[i]);
}

tg_status tg_demands_check(const tg_kernel *kernel, tg_problems *problems)
{
    tg_demands d = {.problems = problems};
    if (tg_held_find(kernel, &d.held) == TG_OK) {
        for (uint32_t p = 0; p < kernel->param_count; p++) {
            tg_overlap_check_param(&d, p);
            tg_copy_check_param(&d, p);
        }
        check_region(&d, &kernel->body);
    } else {
        problems->failed = true;
    }
    problems->failed |= d.held.failed;
    tg_held_free(&d.held);
    return problems->failed ? TG_ERR_NO_MEMORY : TG_OK;
}
