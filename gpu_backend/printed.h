/* The text of debug_prints, from the records that a run leaves. */
#ifndef TG_GPU_BACKEND_PRINTED_H
#define TG_GPU_BACKEND_PRINTED_H

#include <stddef.h>

#include "base/diag.h"
#include "plan/grid.h"
#include "plan/plan.h"

/* The records of a run: `bytes` bytes at `data`. */
typedef struct tg_ptx_records {
    const tg_plan *plan;
    const tg_grid *grid;
    const unsigned char *data;
    size_t bytes;
} tg_ptx_records;

/* Calls `print` with the text of each record (record.h), line end included.  Records come in the
 * order of `sequential`; those of one program stay in the order in which they lie in memory, which
 * is the program's own, since one CTA writes them all.  Returns TG_ERR_INTERNAL if the bytes are
 * not a list of records, or TG_ERR_NO_MEMORY. */
tg_status tg_ptx_print_records(const tg_ptx_records *records,
                               void (*print)(void *context, const char *text), void *context,
                               tg_diags *diags);

#endif
