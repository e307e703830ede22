#include "interp/memory/tell_box.h"

#include "interp/memory/rows.h"

void tg_tell_box(const tg_machine *m, const tg_inst *inst, tg_touch_kind kind, const tg_box *box)
{
    const tg_access_plan *a = &inst->as.access->access;
    tg_touch touch; /* what lies beyond its rank is nobody's business, and zeroing it costs */
    touch.kind = kind;
    touch.param = a->root;
    touch.width = tg_dtypes[a->dtype].bytes;
    touch.inst = inst;
    touch.first = box->origin;
    touch.rank = box->rank;
    for (int d = 0; d < box->rank; d++) {
        touch.first += box->low[d] * box->stride[d];
        touch.count[d] = box->high[d] - box->low[d];
        touch.stride[d] = box->stride[d];
    }
    tg_machine_touched(m, &touch);
}

/* Runs of set lanes that are neighbours in memory are told together. */
static void tell_masked_row(const tg_machine *m, const tg_inst *inst, tg_touch_kind kind,
                            int64_t first, int64_t stride, int64_t count, const uint8_t *mask,
                            int64_t mask_stride)
{
    const tg_access_plan *a = &inst->as.access->access;
    const size_t width = tg_dtypes[a->dtype].bytes;
    for (int64_t i = 0; i < count;) {
        int64_t run = 0;
        while (i + run < count && mask[(i + run) * mask_stride]) run++;
        if (run) tg_machine_touched_run(m, inst, kind, width, first + i * stride, stride, run);
        i += run ? run : 1;
    }
}

void tg_tell_masked_box(const tg_machine *m, const tg_inst *inst, tg_touch_kind kind,
                        const tg_box *box)
{
    tg_view mask = tg_box_view(m, &inst->as.access->access.mask);
    int last = box->rank - 1;
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, box->rank, box->low, box->high); more;
         more = tg_rows_next(&rows)) {
        int64_t low = box->low[last];
        tell_masked_row(m, inst, kind,
                        box->origin + tg_rows_offset(&rows, box->stride) + low * box->stride[last],
                        box->stride[last], box->high[last] - low,
                        (const uint8_t *)mask.data + tg_rows_offset(&rows, mask.stride) +
                            low * mask.stride[last],
                        mask.stride[last]);
    }
}
