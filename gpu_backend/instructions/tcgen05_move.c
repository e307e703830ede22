/* Each warp of the first 128 threads moves the lanes that it reaches, 8 columns at a time. */
#include "gpu_backend/instructions/tcgen05_move.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/instructions/dot_tile.h"
#include "gpu_backend/instructions/tcgen05.h"
#include "gpu_backend/instructions/tcgen05_plan.h"
#include "gpu_backend/instructions/whole.h"
#include "gpu_backend/text/writer.h"
#include "ir/ir.h"
#include "ir/type.h"

enum { THREADS = 128, EACH = 8, LANES = 32 };

/* Columns of a held scratch, as a thread moves them. */
typedef struct part {
    tg_ptx_reg row;    /* .b32: of the scratch */
    tg_ptx_reg is_row; /* predicate: the lane has a row; with 64 rows half of them have */
    bool has_all_lanes;
    uint32_t done;      /* the label behind it */
    tg_ptx_loop loop;   /* over each 8 columns */
    tg_ptx_reg address; /* .b32: of its warp's lanes of them */
} part;

/* For `columns` columns from `first` on. */
static part begin(tg_ptx_emitter *em, int64_t rows, int64_t first, int64_t columns)
{
    tg_ptx_writer *w = &em->w;
    part p = {.done = tg_ptx_new_label(w),
              .has_all_lanes = rows == THREADS,
              .row = em->tid,
              .is_row = tg_ptx_new(w, TG_PTX_PRED),
              .address = tg_ptx_new(w, TG_PTX_B32)};
    const tg_ptx_reg other = tg_ptx_new(w, TG_PTX_PRED),
                     warp = tg_ptx_with(em, TG_PTX_B32, "shr.u32", em->tid, 5),
                     lanes = tg_ptx_with(em, TG_PTX_B32, "shl.b32", warp, 21);
    tg_ptx_row(w, "setp.ge.u32 %s, %s, %d;", other.name, em->tid.name, THREADS);
    tg_ptx_row(w, "@%s bra.uni $L%u;", other.name, p.done);
    if (!p.has_all_lanes) {
        const tg_ptx_reg lane = tg_ptx_with(em, TG_PTX_B32, "and.b32", em->tid, LANES - 1);
        tg_ptx_row(w, "setp.lt.u32 %s, %s, %d;", p.is_row.name, lane.name, LANES / 2);
        p.row = tg_ptx_new(w, TG_PTX_B32);
        tg_ptx_row(w, "mad.lo.u32 %s, %s, %d, %s;", p.row.name, warp.name, LANES / 2, lane.name);
        tg_ptx_row(w, "selp.b32 %s, %s, 0, %s;", p.row.name, p.row.name, p.is_row.name);
    }
    tg_ptx_row(w, "add.u32 %s, %s, %s;", p.address.name, em->tensor->address.name, lanes.name);
    tg_ptx_row(w, "add.u32 %s, %s, %" PRId64 ";", p.address.name, p.address.name, first);
    tg_ptx_row(w, "bar.warp.sync -1;");
    p.loop = tg_ptx_serial_begin(em, columns / EACH);
    return p;
}

static void end(tg_ptx_emitter *em, const part *p, bool is_load)
{
    tg_ptx_row(&em->w, "add.u32 %s, %s, %d;", p->address.name, p->address.name, EACH);
    tg_ptx_serial_end(em, &p->loop);
    if (!is_load) tg_ptx_row(&em->w, "tcgen05.wait::st.sync.aligned;");
    tg_ptx_label(&em->w, p->done);
    tg_ptx_tensor_before(em);
}

static void row_of(tg_ptx_emitter *em, const part *p, const tg_ptx_reg *values, bool is_load)
{
    char list[16 * EACH] = "";
    size_t used = 0;
    for (int i = 0; i < EACH; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 values[i].name);
    if (!is_load) {
        tg_ptx_row(&em->w, "tcgen05.st.sync.aligned.32x32b.x%d.b32 [%s], {%s};", EACH,
                   p->address.name, list);
        return;
    }
    tg_ptx_row(&em->w, "tcgen05.ld.sync.aligned.32x32b.x%d.b32 {%s}, [%s];", EACH, list,
               p->address.name);
    tg_ptx_row(&em->w, "tcgen05.wait::ld.sync.aligned;");
}

/* Element i of the thread's 8 columns, on the other side. */
static tg_ptx_element find(tg_ptx_emitter *em, const part *p, const tg_ptx_whole *side,
                           int64_t columns, int i)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg number = tg_ptx_new(w, TG_PTX_B32);
    tg_ptx_row(w, "mad.lo.u32 %s, %s, %d, %d;", number.name, p->loop.element.name, EACH, i);
    tg_ptx_row(w, "mad.lo.u32 %s, %s, %" PRId64 ", %s;", number.name, p->row.name, columns,
               number.name);
    return tg_ptx_find(em, &side->walk, number);
}

/* Lanes without a row take no part in what follows.  Returns the label behind it. */
static uint32_t skip_lanes(tg_ptx_emitter *em, const part *p)
{
    const uint32_t skip = tg_ptx_new_label(&em->w);
    if (!p->has_all_lanes) tg_ptx_row(&em->w, "@!%s bra $L%u;", p->is_row.name, skip);
    return skip;
}

static void end_skip(tg_ptx_emitter *em, const part *p, uint32_t skip)
{
    if (p->has_all_lanes) return;
    tg_ptx_label(&em->w, skip);
    tg_ptx_row(&em->w, "bar.warp.sync -1;");
}

bool tg_ptx_tensor_moves(const tg_ptx_emitter *em, const struct tg_inst_async *dma)
{
    return tg_ptx_tensor_has(em, dma->to.root) ||
           (!dma->source[0].is_value && tg_ptx_tensor_has(em, dma->source[0].root));
}

void tg_ptx_tensor_move(tg_ptx_emitter *em, const struct tg_inst_async *dma)
{
    const bool is_load = tg_ptx_tensor_has(em, dma->source[0].root);
    const tg_async_place *held = is_load ? &dma->source[0] : &dma->to,
                         *other = is_load ? &dma->to : &dma->source[0];
    const int64_t rows = held->type.shape[0], columns = held->type.shape[1];
    tg_ptx_whole side;
    tg_ptx_reg values[EACH];
    tg_ptx_whole_begin(em, other, &side);
    tg_ptx_tensor_after(em);
    const part p =
        begin(em, rows, em->tensor->columns[held->root] + em->tensor->of_ref[held->ref], columns);
    for (int i = 0; i < EACH; i++) values[i] = tg_ptx_new(&em->w, TG_PTX_B32);
    if (is_load) row_of(em, &p, values, true);
    const uint32_t skip = skip_lanes(em, &p);
    for (int i = 0; i < EACH; i++) {
        const tg_ptx_element at = find(em, &p, &side, columns, i);
        if (is_load)
            tg_ptx_write_bits(em, &side.walk, &at, values[i]);
        else
            values[i] = tg_ptx_read_bits(em, &side.walk, &at);
    }
    end_skip(em, &p, skip);
    if (!is_load) row_of(em, &p, values, false);
    end(em, &p, is_load);
}

void tg_ptx_tensor_fill(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    for (uint32_t i = 0; em->tensor && i < k->param_count; i++) {
        const tg_type *type = &k->params[i].array;
        tg_ptx_reg values[EACH];
        if (!em->tensor->is_held[i]) continue;
        const tg_ptx_reg undefined =
            tg_ptx_bits(&em->w, type->dtype, tg_ptx_undefined(&em->w, type->dtype));
        for (int e = 0; e < EACH; e++) values[e] = undefined;
        tg_ptx_tensor_after(em);
        const part p =
            begin(em, THREADS, em->tensor->columns[i], tg_ptx_tensor_columns(&k->params[i]));
        row_of(em, &p, values, false);
        end(em, &p, false);
    }
}
