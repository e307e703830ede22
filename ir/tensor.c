#define _POSIX_C_SOURCE 200809L /* posix_memalign */
#include "ir/tensor.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

size_t tg_tensor_bytes(const tg_type *type)
{
    return (size_t)tg_type_count(type) * tg_dtypes[type->dtype].bytes;
}

tg_status tg_tensor_new(const tg_type *type, tg_tensor *out)
{
    void *data = NULL;
    size_t bytes = tg_tensor_bytes(type);
    *out = (tg_tensor){0};
    if (bytes && posix_memalign(&data, 64, bytes) != 0) return TG_ERR_NO_MEMORY;
    *out = (tg_tensor){.type = *type, .data = data};
    return TG_OK;
}

void tg_tensor_free(tg_tensor *tensor)
{
    free(tensor->data);
    *tensor = (tg_tensor){0};
}

tg_tensor *tg_tensors_find(const tg_tensors *tensors, const char *name)
{
    for (size_t i = 0; i < tensors->count; i++)
        if (strcmp(tensors->list[i].name, name) == 0) return &tensors->list[i].tensor;
    return NULL;
}

static tg_status append(tg_tensors *tensors, const char *name, tg_tensor tensor)
{
    if (tg_tensors_find(tensors, name)) return TG_ERR_INVALID;
    void *list =
        tg_list_grow(tensors->list, tensors->count, &tensors->capacity, sizeof *tensors->list);
    if (!list) return TG_ERR_NO_MEMORY;
    tensors->list = list;
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (!copy) return TG_ERR_NO_MEMORY;
    memcpy(copy, name, size);
    tensors->list[tensors->count++] = (struct tg_named_tensor){copy, tensor};
    return TG_OK;
}

tg_status tg_tensors_add(tg_tensors *tensors, const char *name, tg_tensor *tensor)
{
    tg_status status = append(tensors, name, *tensor);
    if (status != TG_OK) tg_tensor_free(tensor);
    *tensor = (tg_tensor){0};
    return status;
}

void tg_tensors_free(tg_tensors *tensors)
{
    for (size_t i = 0; i < tensors->count; i++) {
        free(tensors->list[i].name);
        tg_tensor_free(&tensors->list[i].tensor);
    }
    free(tensors->list);
    *tensors = (tg_tensors){0};
}
