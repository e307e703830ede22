#include "loaders/elements.h"

#include <inttypes.h>
#include <string.h>

const char *tg_elements_add_extent(tg_type *type, int64_t extent)
{
    const int64_t most = (int64_t)1 << 47;
    int64_t count = 1;
    if (extent < 0) return "has a negative extent";
    if (type->rank == TG_MAX_RANK) return "has more than 8 dimensions";
    for (int d = 0; d < type->rank; d++) count *= type->shape[d] ? type->shape[d] : 1;
    if (extent > most || (extent != 0 && count > most / extent)) return "is too large";
    type->shape[type->rank++] = extent;
    return NULL;
}

tg_dtype tg_dtype_by_numpy(const char *name)
{
    for (int d = 0; d < TG_DT_COUNT; d++)
        if (strcmp(tg_dtypes[d].numpy, name) == 0) return (tg_dtype)d;
    return TG_DT_COUNT;
}

tg_dtype tg_dtype_by_safetensors(const char *name)
{
    for (int d = 0; d < TG_DT_COUNT; d++)
        if (name[0] && strcmp(tg_dtypes[d].safetensors, name) == 0) return (tg_dtype)d;
    return TG_DT_COUNT;
}

bool tg_host_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

void tg_elements_swap(void *data, size_t width, size_t count)
{
    unsigned char *byte = data;
    for (size_t i = 0; i < count; i++, byte += width)
        for (size_t low = 0, high = width - 1; low < high; low++, high--) {
            unsigned char kept = byte[low];
            byte[low] = byte[high];
            byte[high] = kept;
        }
}

static unsigned char ones_of(tg_dtype dtype)
{
    return (unsigned char)((1 << tg_dtypes[dtype].bits) - 1);
}

/* Sign-extends in place; returns the index of a byte that is not a valid int of the dtype, or
 * -1. */
static int64_t widen(unsigned char *byte, int64_t count, tg_dtype dtype)
{
    const unsigned char ones = ones_of(dtype), sign = (unsigned char)(ones / 2 + 1);
    for (int64_t i = 0; i < count; i++) {
        unsigned char wide = (unsigned char)(((byte[i] & ones) ^ sign) - sign);
        if (byte[i] > ones && byte[i] != wide) return i;
        byte[i] = wide;
    }
    return -1;
}

static int64_t first_above(const unsigned char *byte, int64_t count, unsigned char most)
{
    for (int64_t i = 0; i < count; i++)
        if (byte[i] > most) return i;
    return -1;
}

tg_status tg_elements_from_file(tg_tensor *tensor, tg_diags *diags)
{
    int64_t bad = -1, count = tg_type_count(&tensor->type);
    tg_dtype dtype = tensor->type.dtype;
    if (tg_elements_differ_in_file(dtype))
        bad = widen(tensor->data, count, dtype);
    else if (tg_dtypes[dtype].bits < 8)
        bad = first_above(tensor->data, count, ones_of(dtype));
    if (bad < 0) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL, "element %" PRId64 " has the byte 0x%02x, no %s",
                   bad, ((unsigned char *)tensor->data)[bad], tg_dtypes[dtype].name);
}

bool tg_elements_differ_in_file(tg_dtype dtype)
{
    return tg_is_signed(dtype) && tg_dtypes[dtype].bits < 8;
}

void tg_elements_to_file(void *to, const void *from, size_t count, tg_dtype dtype)
{
    const unsigned char ones = ones_of(dtype);
    for (size_t i = 0; i < count; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i] & ones;
}
