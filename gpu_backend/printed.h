/* From the records of a run to the text of its debug_prints. */
#ifndef TG_GPU_BACKEND_PRINTED_H
#define TG_GPU_BACKEND_PRINTED_H

#include <stddef.h>

#include "base/diag.h"
#include "plan/grid.h"
#include "plan/plan.h"

/* What a run has left: `bytes` bytes at `data`. */
typedef struct tg_ptx_records {
    const tg_plan *plan;
    const tg_grid *grid;
    const unsigned char *data;
    size_t bytes;
} tg_ptx_records;

/* Calls `print` with the text of each record (record.h), line end included, in the order in which
 * `sequential` goes through the grid; those of one program in the order of their records.  Records
 * of one program come from one CTA, so that this is the program's own order.  TG_ERR_INTERNAL where
 * bytes are no record, TG_ERR_NO_MEMORY. */
tg_status tg_ptx_print_records(const tg_ptx_records *records,
                               void (*print)(void *context, const char *text), void *context,
                               tg_diags *diags);

#endif
