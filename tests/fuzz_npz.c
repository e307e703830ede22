/* Any bytes as an .npz archive: read or refused, within a limit of memory. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "loaders/npz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tg_npz_opts opts = {.limit = 1 << 24};
    tg_tensors all = {0};
    tg_diags diags = {0};
    tg_status status = tg_npz_read(data, size, &opts, &all, &diags);
    if ((status == TG_OK) != (diags.worst == TG_OK)) abort();
    tg_tensors_free(&all);
    tg_diags_free(&diags);
    return 0;
}
