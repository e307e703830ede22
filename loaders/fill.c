#include "loaders/fill.h"

#include <string.h>

#include "ir/bits.h"

/* Returns the bit pattern of `number` in the dtype. */
static uint64_t pattern_of(tg_dtype dtype, int64_t number)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    if (info->kind == TG_KIND_BOOL) return number != 0;
    if (info->kind == TG_KIND_FLOAT)
        return tg_bits_round(dtype, (double)number); /* below 2^47: exact */
    return info->bits == 64 ? (uint64_t)number
                            : (uint64_t)number & (((uint64_t)1 << info->bits) - 1);
}

static void fill_iota(tg_tensor *tensor, int64_t count)
{
    tg_dtype dtype = tensor->type.dtype;
    size_t width = tg_dtypes[dtype].bytes;
    for (int64_t i = 0; i < count; i++)
        tg_bits_store(dtype, pattern_of(dtype, i), (char *)tensor->data + (size_t)i * width);
}

static void fill_ones(tg_tensor *tensor, int64_t count)
{
    tg_dtype dtype = tensor->type.dtype;
    size_t width = tg_dtypes[dtype].bytes;
    uint64_t one = pattern_of(dtype, 1);
    for (int64_t i = 0; i < count; i++)
        tg_bits_store(dtype, one, (char *)tensor->data + (size_t)i * width);
}

tg_status tg_fill_tensor(tg_tensor_fill fill, tg_tensor *tensor)
{
    int64_t count = tg_type_count(&tensor->type);
    if (fill != TG_FILL_ONES && tg_dtypes[tensor->type.dtype].special == TG_SPECIAL_E8M0)
        return TG_ERR_INVALID;
    if (count == 0) return TG_OK;
    switch (fill) {
    case TG_FILL_ZEROS: memset(tensor->data, 0, tg_tensor_bytes(&tensor->type)); break;
    case TG_FILL_ONES: fill_ones(tensor, count); break;
    case TG_FILL_IOTA: fill_iota(tensor, count); break;
    }
    return TG_OK;
}
