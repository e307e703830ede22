#include "interp/memory/notify_box.h"

#include "interp/memory/rows.h"

void tg_notify_box(const tg_machine *m, const tg_inst *inst, tg_access_kind kind, const tg_box *box)
{
    const tg_access_plan *a = &inst->as.access->access;
    /* Elements beyond its rank are never read, and zeroing them would cost time. */
    tg_access_event event;
    event.kind = kind;
    event.param = a->root;
    event.width = tg_dtypes[a->dtype].bytes;
    event.inst = inst;
    event.first = box->origin;
    event.rank = box->rank;
    for (int d = 0; d < box->rank; d++) {
        event.first += box->low[d] * box->stride[d];
        event.count[d] = box->high[d] - box->low[d];
        event.stride[d] = box->stride[d];
    }
    tg_machine_accessed(m, &event);
}

/* Notifies of each run of neighbouring elements that the mask turns on. */
static void notify_masked_row(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                              int64_t first, int64_t stride, int64_t count, const uint8_t *mask,
                              int64_t mask_stride)
{
    const tg_access_plan *a = &inst->as.access->access;
    const size_t width = tg_dtypes[a->dtype].bytes;
    for (int64_t i = 0; i < count;) {
        int64_t run = 0;
        while (i + run < count && mask[(i + run) * mask_stride]) run++;
        if (run) tg_machine_accessed_run(m, inst, kind, width, first + i * stride, stride, run);
        i += run ? run : 1;
    }
}

void tg_notify_masked_box(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                          const tg_box *box)
{
    tg_view mask = tg_box_view(m, &inst->as.access->access.mask);
    int last = box->rank - 1;
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, box->rank, box->low, box->high); more;
         more = tg_rows_next(&rows)) {
        int64_t low = box->low[last];
        notify_masked_row(m, inst, kind,
                          box->origin + tg_rows_offset(&rows, box->stride) +
                              low * box->stride[last],
                          box->stride[last], box->high[last] - low,
                          (const uint8_t *)mask.data + tg_rows_offset(&rows, mask.stride) +
                              low * mask.stride[last],
                          mask.stride[last]);
    }
}
