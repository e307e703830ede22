/* Any bytes as a .safetensors file: read or refused; the tensors read take up all bytes after the header. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "loaders/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tg_tensors all = {0};
    tg_diags diags = {0};
    tg_status status = tg_safetensors_read(data, size, NULL, &all, &diags);
    if ((status == TG_OK) != (diags.worst == TG_OK)) abort();
    if (status == TG_OK) {
        size_t bytes = 8 + data[0] + ((size_t)data[1] << 8) + ((size_t)data[2] << 16);
        for (size_t i = 0; i < all.count; i++) bytes += tg_tensor_bytes(&all.list[i].tensor.type);
        if (bytes != size) abort();
    }
    tg_tensors_free(&all);
    tg_diags_free(&diags);
    return 0;
}
