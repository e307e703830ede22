#include "loaders/safetensors.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "loaders/elements.h"
#include "loaders/json_locate.h"
#include "loaders/json_scan.h"

#define MAX_HEADER ((uint64_t)100000000)
enum { MAX_TENSORS = 65536 };

/* -- the header -- */

typedef struct entry {
    const char *name; /* owned by the parsed header */
    tg_type type;
    uint64_t begin, end; /* offsets in bytes from the end of the header */
} entry;

typedef struct header {
    char *text;
    size_t length;
    cJSON *root;
    entry *entries; /* in the order of the header */
    size_t count;
} header;

static void free_header(header *h)
{
    free(h->text);
    cJSON_Delete(h->root);
    free(h->entries);
    *h = (header){0};
}

static tg_status bad(const header *h, const tg_path *at, tg_status status, const char *what,
                     tg_diags *diags)
{
    int64_t place = tg_json_locate(h->text, h->length, at);
    return tg_fail_at(diags, status, at, place < 0 ? -1 : place + 8, "safetensors: %s", what);
}

/* Reads an integer from 0 to 2^53, which a double holds exactly. */
static bool whole(const cJSON *number, uint64_t *out)
{
    if (!cJSON_IsNumber(number)) return false;
    double value = number->valuedouble;
    if (!(value >= 0 && value <= 9007199254740992.0) || floor(value) != value) return false;
    *out = (uint64_t)value;
    return true;
}

static tg_status read_dtype(const header *h, const cJSON *value, const tg_path *at, entry *out,
                            tg_diags *diags)
{
    tg_path path = {at, "dtype", 0};
    if (!cJSON_IsString(value)) return bad(h, &path, TG_ERR_INVALID, "the dtype is no text", diags);
    out->type.dtype = tg_dtype_by_safetensors(value->valuestring);
    if (out->type.dtype == TG_DT_COUNT)
        return bad(h, &path, TG_ERR_UNSUPPORTED, "this dtype is not supported", diags);
    return TG_OK;
}

static tg_status read_shape(const header *h, const cJSON *value, const tg_path *at, entry *out,
                            tg_diags *diags)
{
    tg_path path = {at, "shape", 0};
    const cJSON *item;
    if (!cJSON_IsArray(value)) return bad(h, &path, TG_ERR_INVALID, "the shape is no list", diags);
    cJSON_ArrayForEach(item, value)
    {
        uint64_t extent;
        if (!whole(item, &extent))
            return bad(h, &path, TG_ERR_INVALID, "an extent is no whole number", diags);
        const char *wrong = tg_elements_add_extent(&out->type, (int64_t)extent);
        if (wrong) {
            tg_fail(diags, TG_ERR_INVALID, &path, "safetensors: the shape %s", wrong);
            return TG_ERR_INVALID;
        }
    }
    return TG_OK;
}

static tg_status read_offsets(const header *h, const cJSON *value, const tg_path *at, entry *out,
                              tg_diags *diags)
{
    tg_path path = {at, "data_offsets", 0};
    if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != 2 ||
        !whole(value->child, &out->begin) || !whole(value->child->next, &out->end))
        return bad(h, &path, TG_ERR_INVALID, "the offsets are not two whole numbers", diags);
    if (out->end < out->begin || out->end - out->begin != tg_tensor_bytes(&out->type))
        return bad(h, &path, TG_ERR_INVALID, "the offsets do not fit dtype and shape", diags);
    return TG_OK;
}

static tg_status read_entry(const header *h, const cJSON *value, entry *out, tg_diags *diags)
{
    tg_path at = {NULL, value->string, 0};
    *out = (entry){.name = value->string};
    if (!cJSON_IsObject(value))
        return bad(h, &at, TG_ERR_INVALID, "a tensor must be an object", diags);
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(value, "dtype");
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(value, "shape");
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(value, "data_offsets");
    if (!dtype || !shape || !offsets || cJSON_GetArraySize(value) != 3)
        return bad(h, &at, TG_ERR_INVALID, "a tensor has dtype, shape, data_offsets and no more",
                   diags);
    TG_TRY(read_dtype(h, dtype, &at, out, diags));
    TG_TRY(read_shape(h, shape, &at, out, diags));
    return read_offsets(h, offsets, &at, out, diags);
}

static tg_status check_metadata(const header *h, const cJSON *value, tg_diags *diags)
{
    tg_path at = {NULL, "__metadata__", 0};
    const cJSON *item;
    if (!cJSON_IsObject(value))
        return bad(h, &at, TG_ERR_INVALID, "the metadata is no object", diags);
    cJSON_ArrayForEach(item, value)
    {
        tg_path inner = {&at, item->string, 0};
        if (!cJSON_IsString(item))
            return bad(h, &inner, TG_ERR_INVALID, "metadata must be text", diags);
    }
    return TG_OK;
}

static int by_place(const void *left, const void *right)
{
    const entry *a = *(const entry *const *)left, *b = *(const entry *const *)right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Checks that each tensor begins at the end of the previous one, and the last one ends at the end
 * of the file. */
static tg_status check_cover(const header *h, uint64_t data_bytes, tg_diags *diags)
{
    uint64_t reached = 0;
    const entry **order = malloc((h->count + 1) * sizeof *order);
    tg_status status = TG_OK;
    if (!order)
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "safetensors: no memory for the header");
    for (size_t i = 0; i < h->count; i++) order[i] = &h->entries[i];
    qsort(order, h->count, sizeof *order, by_place);
    for (size_t i = 0; i < h->count && status == TG_OK; i++) {
        tg_path at = {NULL, order[i]->name, 0};
        if (order[i]->begin != reached)
            status = bad(h, &at, TG_ERR_INVALID,
                         order[i]->begin < reached ? "overlaps another tensor"
                                                   : "leaves a gap before it",
                         diags);
        reached = order[i]->end;
    }
    free(order);
    if (status == TG_OK && reached != data_bytes)
        status = tg_fail(diags, TG_ERR_INVALID, NULL,
                         "safetensors: the tensors take %" PRIu64 " bytes, the file holds %" PRIu64,
                         reached, data_bytes);
    return status;
}

static tg_status read_entries(header *h, tg_diags *diags)
{
    const cJSON *item;
    if (!cJSON_IsObject(h->root))
        return bad(h, NULL, TG_ERR_INVALID, "the header is no object", diags);
    size_t most = (size_t)cJSON_GetArraySize(h->root);
    if (most > MAX_TENSORS) return bad(h, NULL, TG_ERR_INVALID, "more than 65536 tensors", diags);
    h->entries = calloc(most + 1, sizeof *h->entries);
    if (!h->entries)
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "safetensors: no memory for the header");
    cJSON_ArrayForEach(item, h->root)
    {
        if (strcmp(item->string, "__metadata__") == 0)
            TG_TRY(check_metadata(h, item, diags));
        else
            TG_TRY(read_entry(h, item, &h->entries[h->count++], diags));
    }
    return TG_OK;
}

static tg_status read_text(tg_source *source, header *h, tg_diags *diags)
{
    unsigned char size[8];
    uint64_t length = 0;
    TG_TRY(tg_source_read(source, size, sizeof size, "the length of the header", diags));
    for (int i = 7; i >= 0; i--) length = length << 8 | size[i];
    if (length > MAX_HEADER)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, 0,
                          "safetensors: a header of %" PRIu64 " bytes, more than %" PRIu64, length,
                          MAX_HEADER);
    if (length > source->left)
        return tg_fail_at(diags, TG_ERR_SYNTAX, NULL, 0,
                          "safetensors: a header of %" PRIu64 " bytes in a file that has %" PRIu64
                          " more",
                          length, source->left);
    h->length = (size_t)length;
    h->text = malloc(h->length + 1);
    if (!h->text)
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "safetensors: no memory for the header");
    return tg_source_read(source, h->text, h->length, "the header", diags);
}

static tg_status read_header(tg_source *source, header *h, tg_diags *diags)
{
    TG_TRY(read_text(source, h, diags));
    if (h->length == 0 || h->text[0] != '{')
        return tg_fail_at(diags, TG_ERR_SYNTAX, NULL, 8,
                          "safetensors: the header does not start with '{'");
    TG_TRY(tg_json_scan(h->text, h->length, diags));
    h->root = cJSON_ParseWithLength(h->text, h->length);
    if (!h->root)
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "safetensors: no memory for the header");
    TG_TRY(read_entries(h, diags));
    return check_cover(h, source->left, diags);
}

/* -- reading -- */

/* The file: open, or in memory. */
typedef struct place {
    FILE *file; /* NULL if the file is in memory */
    const char *data;
    int64_t start; /* offset of the tensors' bytes */
} place;

static bool fetch(const place *from, const entry *e, void *to)
{
    size_t bytes = (size_t)(e->end - e->begin);
    if (bytes == 0) return true;
    if (!from->file) {
        memcpy(to, from->data + from->start + e->begin, bytes);
        return true;
    }
    return fseek(from->file, (long)(from->start + (int64_t)e->begin), SEEK_SET) == 0 &&
           fread(to, 1, bytes, from->file) == bytes;
}

static tg_status read_tensor(const place *from, const entry *e, tg_tensors *out, tg_diags *diags)
{
    tg_tensor tensor;
    tg_path at = {NULL, e->name, 0};
    size_t width = tg_dtypes[e->type.dtype].bytes;
    if (tg_tensor_new(&e->type, &tensor) != TG_OK)
        return tg_fail(diags, TG_ERR_NO_MEMORY, &at, "safetensors: no memory for the tensor");
    tg_status status = TG_OK;
    if (!fetch(from, e, tensor.data))
        status = tg_fail(diags, TG_ERR_IO, &at, "safetensors: the file cannot be read to its end");
    if (tg_host_is_big_endian() && width > 1)
        tg_elements_swap(tensor.data, width, (size_t)tg_type_count(&e->type));
    if (status == TG_OK) status = tg_elements_from_file(&tensor, diags);
    if (status != TG_OK) {
        tg_tensor_free(&tensor);
        return status;
    }
    status = tg_tensors_add(out, e->name, &tensor);
    if (status == TG_OK) return TG_OK;
    return tg_fail(diags, status, &at, "safetensors: the tensor cannot be added: %s",
                   tg_status_text(status));
}

static tg_status read_tensors(const header *h, const place *from, const char *only, tg_tensors *out,
                              tg_diags *diags)
{
    bool found = false;
    for (size_t i = 0; i < h->count; i++) {
        const char *name = h->entries[i].name;
        if (only && (!name || strcmp(only, name) != 0)) continue;
        found = true;
        TG_TRY(read_tensor(from, &h->entries[i], out, diags));
    }
    if (only && !found)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "safetensors: there is no tensor '%s'", only);
    return TG_OK;
}

static tg_status read_all(tg_source *source, place *from, const char *only, tg_tensors *out,
                          tg_diags *diags)
{
    header h = {0};
    tg_status status = read_header(source, &h, diags);
    from->start = 8 + (int64_t)h.length;
    if (status == TG_OK) status = read_tensors(&h, from, only, out, diags);
    free_header(&h);
    return status;
}

tg_status tg_safetensors_read(const void *data, size_t size, const char *only, tg_tensors *out,
                              tg_diags *diags)
{
    tg_source source = tg_source_of_memory(data, size);
    place from = {.data = data};
    return read_all(&source, &from, only, out, diags);
}

tg_status tg_safetensors_load(const char *path, const char *only, tg_tensors *out, tg_diags *diags)
{
    char before[TG_FILE_NAME];
    uint64_t size;
    place from = {0};
    tg_file_enter(diags, path, before);
    tg_status status = tg_file_open(path, &from.file, &size, diags);
    if (status == TG_OK) {
        tg_source source = tg_source_of_file(from.file, size);
        status = read_all(&source, &from, only, out, diags);
        fclose(from.file);
    }
    tg_diags_set_file(diags, before);
    return status;
}

/* -- writing -- */

static int by_width_and_name(const void *left, const void *right)
{
    const struct tg_named_tensor *a = *(const struct tg_named_tensor *const *)left;
    const struct tg_named_tensor *b = *(const struct tg_named_tensor *const *)right;
    int wide_a = tg_dtypes[a->tensor.type.dtype].bytes,
        wide_b = tg_dtypes[b->tensor.type.dtype].bytes;
    return wide_a != wide_b ? wide_b - wide_a : strcmp(a->name, b->name);
}

static void print_entry(tg_text *text, const struct tg_named_tensor *named, uint64_t *place_reached)
{
    const tg_type *type = &named->tensor.type;
    uint64_t end = *place_reached + tg_tensor_bytes(type);
    tg_text_quote(text, named->name);
    tg_text_add(text, ":{\"dtype\":\"%s\",\"shape\":[", tg_dtypes[type->dtype].safetensors);
    for (int d = 0; d < type->rank; d++)
        tg_text_add(text, "%s%" PRId64, d ? "," : "", type->shape[d]);
    tg_text_add(text, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", *place_reached, end);
    *place_reached = end;
}

/* Prints the header, padded with spaces to a multiple of 8 bytes. */
static void print_header(tg_text *text, const struct tg_named_tensor **order, size_t count)
{
    uint64_t reached = 0;
    tg_text_put(text, "{");
    for (size_t i = 0; i < count; i++) {
        if (i) tg_text_put(text, ",");
        print_entry(text, order[i], &reached);
    }
    tg_text_put(text, "}");
    while (text->length % 8 && !text->failed) tg_text_put(text, " ");
}

static tg_status check_names(const tg_tensors *tensors, tg_diags *diags)
{
    for (size_t i = 0; i < tensors->count; i++) {
        const tg_dtype_info *info = &tg_dtypes[tensors->list[i].tensor.type.dtype];
        tg_path at = {NULL, tensors->list[i].name, 0};
        if (!info->safetensors[0])
            return tg_fail(diags, TG_ERR_UNSUPPORTED, &at, "safetensors has no dtype %s",
                           info->name);
        if (strcmp(tensors->list[i].name, "__metadata__") == 0)
            return tg_fail(diags, TG_ERR_USAGE, &at, "safetensors keeps this name for itself");
    }
    return TG_OK;
}

/* Writes elements in little-endian order. */
static bool write_elements(FILE *stream, const tg_tensor *tensor)
{
    size_t width = tg_dtypes[tensor->type.dtype].bytes, bytes = tg_tensor_bytes(&tensor->type);
    if (bytes == 0) return true;
    if (!tg_host_is_big_endian() || width == 1)
        return fwrite(tensor->data, 1, bytes, stream) == bytes;
    void *swapped = malloc(bytes);
    if (!swapped) return false;
    memcpy(swapped, tensor->data, bytes);
    tg_elements_swap(swapped, width, bytes / width);
    bool written = fwrite(swapped, 1, bytes, stream) == bytes;
    free(swapped);
    return written;
}

static tg_status write_file(const char *path, const char *text, size_t length,
                            const struct tg_named_tensor **order, size_t count, tg_diags *diags)
{
    tg_file_out file;
    unsigned char size[8];
    for (int i = 0; i < 8; i++) size[i] = (unsigned char)(length >> (8 * i));
    TG_TRY(tg_file_create(path, &file, diags));
    bool written =
        fwrite(size, 1, 8, file.stream) == 8 && fwrite(text, 1, length, file.stream) == length;
    for (size_t i = 0; i < count && written; i++)
        written = write_elements(file.stream, &order[i]->tensor);
    if (written) return tg_file_commit(&file, diags);
    tg_file_discard(&file);
    return tg_fail(diags, TG_ERR_IO, NULL, "cannot write '%s'", path);
}

tg_status tg_safetensors_save(const char *path, const tg_tensors *tensors, tg_diags *diags)
{
    tg_text text = {0};
    TG_TRY(check_names(tensors, diags));
    const struct tg_named_tensor **order = malloc((tensors->count + 1) * sizeof *order);
    if (!order) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory to write '%s'", path);
    for (size_t i = 0; i < tensors->count; i++) order[i] = &tensors->list[i];
    qsort(order, tensors->count, sizeof *order, by_width_and_name);
    print_header(&text, order, tensors->count);
    size_t length = text.length;
    char *header_text = tg_text_finish(&text);
    tg_status status =
        header_text ? write_file(path, header_text, length, order, tensors->count, diags)
                    : tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory to write '%s'", path);
    free(header_text);
    free(order);
    return status;
}
