#include "ir/type.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const tg_dtype_info tg_dtypes[TG_DT_MEMORY_COUNT] = {
#define TG_DTYPE(id, kind_, bits_, bytes_, carrier_, exp_, man_, bias_, special_, numpy_, st_,     \
                 lanes, dlpack_, ...)                                                              \
    [TG_DT_##id] = {.name = #id,                                                                   \
                    .numpy = numpy_,                                                               \
                    .safetensors = st_,                                                            \
                    .kind = TG_KIND_##kind_,                                                       \
                    .carrier = TG_C_##carrier_,                                                    \
                    .special = TG_SPECIAL_##special_,                                              \
                    .bits = bits_,                                                                 \
                    .bytes = bytes_,                                                               \
                    .exp_bits = exp_,                                                              \
                    .man_bits = man_,                                                              \
                    .bias = bias_,                                                                 \
                    .dlpack = dlpack_},
#define TG_SEMAPHORE(id, counts)                                                                   \
    [TG_DT_##id] = {.name = #id,                                                                   \
                    .numpy = "",                                                                   \
                    .safetensors = "",                                                             \
                    .kind = TG_KIND_SEMAPHORE,                                                     \
                    .carrier = TG_C_i64,                                                           \
                    .bits = 64,                                                                    \
                    .bytes = 8},
#include "ir/dtypes.def"
};

const uint8_t tg_carrier_bytes[TG_C_COUNT] = {
#define X(id, type) [TG_C_##id] = sizeof(type),
    TG_CARRIERS(X)
#undef X
};

tg_dtype tg_dtype_by_name(const char *name)
{
    for (int d = 0; d < TG_DT_COUNT; d++)
        if (strcmp(tg_dtypes[d].name, name) == 0) return (tg_dtype)d;
    return TG_DT_COUNT;
}

/* Like tg_dtype_by_name, but for all dtypes that memory may have. */
static tg_dtype memory_dtype_by_name(const char *name)
{
    for (int d = TG_DT_COUNT + 1; d < TG_DT_MEMORY_COUNT; d++)
        if (strcmp(tg_dtypes[d].name, name) == 0) return (tg_dtype)d;
    return tg_dtype_by_name(name);
}

bool tg_same_shape(const tg_type *a, const tg_type *b)
{
    return a->rank == b->rank &&
           memcmp(a->shape, b->shape, (size_t)a->rank * sizeof a->shape[0]) == 0;
}

bool tg_same_type(const tg_type *a, const tg_type *b)
{
    return a->dtype == b->dtype && a->is_ref == b->is_ref && tg_same_shape(a, b);
}

int64_t tg_type_count(const tg_type *t)
{
    int64_t count = 1;
    for (int d = 0; d < t->rank; d++) count *= t->shape[d];
    return count;
}

void tg_dense_strides(int rank, const int64_t *shape, int64_t *stride)
{
    int64_t step = 1;
    for (int d = rank - 1; d >= 0; d--) {
        stride[d] = step;
        step *= shape[d];
    }
}

/* Walks through both shapes together, in groups of dimensions with equal products. */
bool tg_reshape_strides(int rank, const int64_t *shape, const int64_t *stride, int new_rank,
                        const int64_t *new_shape, int64_t *new_stride)
{
    int64_t kept_shape[TG_MAX_RANK], kept_stride[TG_MAX_RANK];
    int kept = 0;
    memset(new_stride, 0, (size_t)new_rank * sizeof *new_stride);
    for (int d = 0; d < rank; d++) {
        if (shape[d] == 1) continue;
        kept_shape[kept] = shape[d];
        kept_stride[kept++] = stride[d];
    }
    for (int from = 0, to = 0; from < kept;) {
        int from_end = from + 1, to_end = to;
        int64_t from_count = kept_shape[from], to_count = 1;
        while (to_end < new_rank && to_count < from_count) to_count *= new_shape[to_end++];
        while (from_count != to_count) {
            if (from_count < to_count) {
                if (from_end == kept) return false;
                from_count *= kept_shape[from_end++];
            } else {
                if (to_end == new_rank) return false;
                to_count *= new_shape[to_end++];
            }
        }
        for (int d = from; d + 1 < from_end; d++)
            if (kept_stride[d] != kept_stride[d + 1] * kept_shape[d + 1]) return false;
        int64_t step = kept_stride[from_end - 1];
        for (int d = to_end - 1; d >= to; d--) {
            new_stride[d] = step;
            step *= new_shape[d];
        }
        from = from_end;
        to = to_end;
    }
    return true;
}

char *tg_type_print(const tg_type *t, char *out, size_t size)
{
    size_t used =
        (size_t)snprintf(out, size, "%s%s[", t->is_ref ? "ref<" : "", tg_dtypes[t->dtype].name);
    for (int d = 0; d < t->rank && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%" PRId64, d ? "," : "", t->shape[d]);
    if (used < size) snprintf(out + used, size - used, "]%s", t->is_ref ? ">" : "");
    return out;
}

char *tg_index_print(const tg_type *type, int64_t element, char out[TG_INDEX_TEXT])
{
    int64_t stride[TG_MAX_RANK];
    size_t used = (size_t)snprintf(out, TG_INDEX_TEXT, "[");
    tg_dense_strides(type->rank, type->shape, stride);
    for (int d = 0; d < type->rank; d++)
        used += (size_t)snprintf(out + used, TG_INDEX_TEXT - used, "%s%" PRId64, d ? ", " : "",
                                 element / stride[d] % type->shape[d]);
    snprintf(out + used, TG_INDEX_TEXT - used, "]");
    return out;
}

/* Reads "8,128]" into the shape.  A shape has at most 2^47 elements, so that byte offsets cannot
 * overflow for any dtype. */
static const char *parse_shape(const char **text, tg_type *out)
{
    const int64_t most = (int64_t)1 << 47;
    int64_t count = 1;
    const char *p = *text;
    if (*p == ']') {
        *text = p + 1;
        return NULL;
    }
    for (;;) {
        if (out->rank == TG_MAX_RANK) return "has more than 8 dimensions";
        if (*p < '0' || *p > '9') return "has an extent that is not a number";
        if (*p == '0' && p[1] >= '0' && p[1] <= '9') return "has an extent with a leading zero";
        int64_t extent = 0;
        for (; *p >= '0' && *p <= '9'; p++) {
            extent = extent * 10 + (*p - '0');
            if (extent > most) return "is too large";
        }
        if (extent != 0 && count > most / extent) return "is too large";
        count *= extent ? extent : 1;
        out->shape[out->rank++] = extent;
        if (*p == ']') break;
        if (*p++ != ',') return "has a malformed shape";
    }
    *text = p + 1;
    return NULL;
}

const char *tg_type_parse(const char *text, tg_type *out)
{
    char name[24];
    memset(out, 0, sizeof *out);
    if (strncmp(text, "ref<", 4) == 0) {
        out->is_ref = true;
        text += 4;
    }
    size_t length = strcspn(text, "[");
    if (text[length] != '[' || length >= sizeof name) return "is not of the form dtype[shape]";
    memcpy(name, text, length);
    name[length] = '\0';
    out->dtype = memory_dtype_by_name(name);
    if (out->dtype == TG_DT_COUNT) return "has an unknown dtype";
    text += length + 1;
    const char *wrong = parse_shape(&text, out);
    if (wrong) return wrong;
    if (out->is_ref && *text++ != '>') return "lacks the closing '>'";
    return *text == '\0' ? NULL : "has text after its end";
}
