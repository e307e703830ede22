/* Any bytes as an .npy file: read or refused, and what is read is written and read back the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "loaders/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_survive(const tg_tensor *tensor)
{
    size_t bytes = tg_tensor_bytes(&tensor->type), length;
    char *file = malloc(TG_NPY_HEADER + bytes);
    void *made;
    tg_tensor back;
    tg_diags diags = {0};
    if (!file) return;
    length = tg_npy_make_header(&tensor->type, file);
    if (bytes) memcpy(file + length, tg_npy_elements(tensor, &made), bytes);
    tg_source source = tg_source_of_memory(file, length + bytes);
    if (tg_npy_read(&source, TG_DT_COUNT, &back, &diags) != TG_OK) abort();
    if (!tg_same_type(&back.type, &tensor->type)) abort();
    if (bytes && memcmp(back.data, tensor->data, bytes) != 0) abort();
    if (bytes) free(made);
    tg_tensor_free(&back);
    free(file);
}

/* The first byte chooses the dtype that is expected. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tg_tensor tensor;
    tg_diags diags = {0};
    if (size == 0) return 0;
    tg_dtype expect = (tg_dtype)(data[0] % (TG_DT_COUNT + 1));
    tg_source source = tg_source_of_memory(data + 1, size - 1);
    if (tg_npy_read(&source, expect, &tensor, &diags) == TG_OK) {
        must_survive(&tensor);
        tg_tensor_free(&tensor);
    } else if (diags.worst == TG_OK) {
        abort(); /* a failure without a diagnosis */
    }
    tg_diags_free(&diags);
    return 0;
}
