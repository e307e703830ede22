#include "physical/logical_element.h"

#include "layout/address.h"
#include "layout/thread.h"
#include "layout/where.h"
#include "physical/memory_layout.h"

bool tg_laid_out_find(const tg_kernel *kernel, uint32_t param, tg_laid_out *out)
{
    out->param = kernel->logical ? &kernel->logical->params[param] : NULL;
    /* Blocks of arrays are copied, and the arrays stay as they are. */
    return out->param && out->param->layout && out->param->role == TG_ROLE_SCRATCH &&
           tg_axe_address(out->param->layout, tg_dtypes[out->param->array.dtype].bits,
                          &out->address, NULL) == TG_OK;
}

static int64_t element_at(const tg_axe *address, int64_t at)
{
    const tg_coordinate place = {.at = {[TG_AXIS_m] = at}};
    tg_element_list found = {0};
    const bool is_there = tg_axe_where(address, &place, &found, NULL) == TG_OK && found.count;
    const int64_t element = is_there ? found.list[0] : -1;
    tg_element_list_free(&found);
    return element;
}

int64_t tg_laid_out_element(const tg_laid_out *memory, int64_t address)
{
    const int64_t element = element_at(&memory->address, address);
    return element < 0 ? 0 : element;
}

static bool is_on_threads(const tg_axe *layout)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (tg_axes[a].kind == TG_AXIS_THREAD && tg_axe_span(layout, (tg_axis)a) > 1) return true;
    return false;
}

bool tg_mover_find(tg_held *held, const tg_op *op, int64_t address, tg_mover *out)
{
    if (op->code != TG_OP_load && op->code != TG_OP_store) return false;
    const tg_axe *layout = tg_held_moved(held, op);
    tg_memory memory;
    if (!layout || !is_on_threads(layout) || tg_memory_accessed(held, op, &memory, NULL) != TG_OK ||
        !memory.is_fixed)
        return false;
    const int64_t element = element_at(&memory.address, address);
    if (element < 0) return false;
    const int64_t copies = tg_iters_size(&layout->r);
    *out = (tg_mover){.others = copies - 1};
    for (int64_t copy = 0; copy < copies && copies <= TG_AXE_MOST_POINTS; copy++) {
        tg_coordinate at;
        tg_axe_map(layout, element, copy, &at);
        const int64_t thread = tg_thread_in_block(&at);
        if (copy == 0 || thread < out->thread) out->thread = thread;
    }
    return true;
}
