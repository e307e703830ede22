#include "loaders/npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "loaders/elements.h"

enum { MAX_HEADER = 65535, MAX_DESCR = 64, PREAMBLE = 10 };

/* -- the header: a Python dictionary as text -- */

typedef struct reader {
    const char *text, *at, *end;
    int64_t offset; /* offset of `text` in the file */
    tg_diags *diags;
} reader;

static tg_status malformed(const reader *r, const char *what)
{
    return tg_fail_at(r->diags, TG_ERR_SYNTAX, NULL, r->offset + (r->at - r->text),
                      "npy header: %s", what);
}

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

static bool accept(reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool accept_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    skip_space(r);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

/* Reads a quoted text of at most MAX_DESCR - 1 characters without escapes. */
static tg_status read_text(reader *r, char out[MAX_DESCR])
{
    skip_space(r);
    char quote = r->at < r->end ? *r->at : '\0';
    if (quote != '\'' && quote != '"') return malformed(r, "expected a quoted text");
    const char *start = ++r->at;
    while (r->at < r->end && *r->at != quote && *r->at != '\\' && *r->at >= ' ') r->at++;
    size_t length = (size_t)(r->at - start);
    if (r->at == r->end || *r->at != quote || length >= MAX_DESCR)
        return malformed(r, "malformed text");
    memcpy(out, start, length);
    out[length] = '\0';
    r->at++;
    return TG_OK;
}

static tg_status read_extent(reader *r, int64_t *out)
{
    skip_space(r);
    const char *start = r->at;
    int64_t value = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        if (value > (INT64_MAX - 9) / 10) return malformed(r, "the shape is too large");
        value = value * 10 + (*r->at - '0');
    }
    if (r->at == start) return malformed(r, "expected an extent");
    *out = value;
    return TG_OK;
}

/* Reads "()", "(3,)", "(3, 4)". */
static tg_status read_shape(reader *r, tg_type *type)
{
    if (!accept(r, '(')) return malformed(r, "expected a tuple");
    bool comma = true;
    while (!accept(r, ')')) {
        int64_t extent = 0;
        if (!comma) return malformed(r, "expected ',' or ')'");
        TG_TRY(read_extent(r, &extent));
        const char *wrong = tg_elements_add_extent(type, extent);
        if (wrong)
            return tg_fail(r->diags, TG_ERR_INVALID, NULL, "npy header: the shape %s", wrong);
        comma = accept(r, ',');
    }
    if (type->rank == 1 && !comma) return malformed(r, "a tuple of one needs a comma");
    return TG_OK;
}

static tg_status read_bool(reader *r, bool *out)
{
    *out = accept_word(r, "True");
    if (!*out && !accept_word(r, "False")) return malformed(r, "expected True or False");
    return TG_OK;
}

static tg_status read_descr(reader *r, char descr[MAX_DESCR])
{
    skip_space(r);
    if (r->at < r->end && *r->at == '[')
        return tg_fail(r->diags, TG_ERR_UNSUPPORTED, NULL, "npy: structured elements");
    return read_text(r, descr);
}

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

static tg_status read_entry(reader *r, unsigned *seen, char descr[MAX_DESCR], tg_npy_header *out)
{
    char key[MAX_DESCR];
    TG_TRY(read_text(r, key));
    unsigned bit = strcmp(key, "descr") == 0           ? HAS_DESCR
                   : strcmp(key, "fortran_order") == 0 ? HAS_ORDER
                   : strcmp(key, "shape") == 0         ? HAS_SHAPE
                                                       : 0u;
    if (bit == 0 || (*seen & bit)) return malformed(r, bit ? "a key comes twice" : "unknown key");
    *seen |= bit;
    if (!accept(r, ':')) return malformed(r, "expected ':'");
    if (bit == HAS_DESCR) return read_descr(r, descr);
    if (bit == HAS_ORDER) return read_bool(r, &out->fortran_order);
    return read_shape(r, &out->type);
}

static tg_status read_dictionary(reader *r, char descr[MAX_DESCR], tg_npy_header *out)
{
    unsigned seen = 0;
    bool comma = true;
    if (!accept(r, '{')) return malformed(r, "expected '{'");
    while (!accept(r, '}')) {
        if (!comma) return malformed(r, "expected ',' or '}'");
        TG_TRY(read_entry(r, &seen, descr, out));
        comma = accept(r, ',');
    }
    skip_space(r);
    if (r->at != r->end) return malformed(r, "text after the dictionary");
    if (seen != HAS_ALL) return malformed(r, "lacks one of descr, fortran_order, shape");
    return TG_OK;
}

/* -- dtypes -- */

/* "f4" and the like, for the dtypes that numpy itself has. */
static tg_dtype dtype_by_code(const char *code)
{
    static const struct {
        char code[4];
        tg_dtype dtype;
    } codes[] = {
        {"b1", TG_DT_bool},   {"i1", TG_DT_i8},  {"i2", TG_DT_i16}, {"i4", TG_DT_i32},
        {"i8", TG_DT_i64},    {"u1", TG_DT_u8},  {"u2", TG_DT_u16}, {"u4", TG_DT_u32},
        {"u8", TG_DT_u64},    {"f2", TG_DT_f16}, {"f4", TG_DT_f32}, {"f8", TG_DT_f64},
        {"f1", TG_DT_f8e5m2}, /* np.save writes this name for it, but for no other fp8 kind */
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i].code, code) == 0) return codes[i].dtype;
    return TG_DT_COUNT;
}

static bool is_void(const char *code) { return code[0] == 'V' && code[1] >= '1' && code[1] <= '9'; }

static tg_status void_dtype(const char *descr, const char *code, tg_dtype expect, tg_dtype *out,
                            tg_diags *diags)
{
    if (expect == TG_DT_COUNT)
        return tg_fail(diags, TG_ERR_TYPE, NULL,
                       "npy: '%s' does not say what the elements are; a dtype must be given",
                       descr);
    if (strtol(code + 1, NULL, 10) != tg_dtypes[expect].bytes)
        return tg_fail(diags, TG_ERR_TYPE, NULL, "npy: elements '%s' have not the size of %s",
                       descr, tg_dtypes[expect].name);
    *out = expect;
    return TG_OK;
}

static tg_status find_dtype(const char *descr, tg_dtype expect, tg_npy_header *out, tg_diags *diags)
{
    bool has_order = descr[0] && strchr("<>|=", descr[0]);
    const char *code = descr + has_order;
    out->big_endian = descr[0] == '>' || (descr[0] == '=' && tg_host_is_big_endian());
    if (has_order && is_void(code)) return void_dtype(descr, code, expect, &out->type.dtype, diags);
    tg_dtype dtype = dtype_by_code(code);
    if (dtype == TG_DT_COUNT && !has_order) dtype = tg_dtype_by_numpy(descr);
    if (dtype == TG_DT_COUNT)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "npy: elements '%s'", descr);
    if (expect != TG_DT_COUNT && expect != dtype)
        return tg_fail(diags, TG_ERR_TYPE, NULL, "npy: elements are %s, expected %s",
                       tg_dtypes[dtype].name, tg_dtypes[expect].name);
    out->type.dtype = dtype;
    return TG_OK;
}

/* -- reading -- */

static tg_status read_length(tg_source *source, size_t *length, int64_t *offset, tg_diags *diags)
{
    unsigned char start[8], size[4] = {0};
    TG_TRY(tg_source_read(source, start, sizeof start, "the npy magic", diags));
    if (memcmp(start, "\x93NUMPY", 6) != 0)
        return tg_fail_at(diags, TG_ERR_SYNTAX, NULL, 0, "not an npy array: the magic is wrong");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return tg_fail_at(diags, TG_ERR_UNSUPPORTED, NULL, 6, "npy version %u.%u", start[6],
                          start[7]);
    size_t width = start[6] == 1 ? 2 : 4;
    TG_TRY(tg_source_read(source, size, width, "the npy header", diags));
    uint32_t value =
        size[0] | (uint32_t)size[1] << 8 | (uint32_t)size[2] << 16 | (uint32_t)size[3] << 24;
    if (value > MAX_HEADER)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, 8,
                          "npy header of %" PRIu32 " bytes, more than %d", value, MAX_HEADER);
    *length = value;
    *offset = 8 + (int64_t)width;
    return TG_OK;
}

static tg_status parse_header(tg_source *source, char *text, size_t length, int64_t offset,
                              tg_dtype expect, tg_npy_header *out, tg_diags *diags)
{
    char descr[MAX_DESCR] = "";
    TG_TRY(tg_source_read(source, text, length, "the npy header", diags));
    reader r = {.text = text, .at = text, .end = text + length, .offset = offset, .diags = diags};
    TG_TRY(read_dictionary(&r, descr, out));
    return find_dtype(descr, expect, out, diags);
}

tg_status tg_npy_read_header(tg_source *source, tg_dtype expect, tg_npy_header *out,
                             tg_diags *diags)
{
    size_t length = 0;
    int64_t offset = 0;
    *out = (tg_npy_header){0};
    TG_TRY(read_length(source, &length, &offset, diags));
    char *text = malloc(length + 1);
    if (!text) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory for the npy header");
    tg_status status = parse_header(source, text, length, offset, expect, out, diags);
    free(text);
    return status;
}

/* Copies elements from column-major `from` to row-major `to`. */
static void from_fortran_order(const tg_type *type, const char *from, char *to)
{
    size_t width = tg_dtypes[type->dtype].bytes;
    int64_t count = tg_type_count(type), index[TG_MAX_RANK] = {0}, stride[TG_MAX_RANK], place = 0;
    stride[0] = 1;
    for (int d = 1; d < type->rank; d++) stride[d] = stride[d - 1] * type->shape[d - 1];
    for (int64_t i = 0; i < count; i++, to += width) {
        memcpy(to, from + (size_t)place * width, width);
        for (int d = type->rank - 1; d >= 0; d--) {
            place += stride[d];
            if (++index[d] < type->shape[d]) break;
            place -= stride[d] * type->shape[d];
            index[d] = 0;
        }
    }
}

static tg_status reorder(tg_tensor *tensor, tg_diags *diags)
{
    tg_tensor rows;
    if (tg_tensor_new(&tensor->type, &rows) != TG_OK)
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "npy: no memory to transpose");
    from_fortran_order(&tensor->type, tensor->data, rows.data);
    tg_tensor_free(tensor);
    *tensor = rows;
    return TG_OK;
}

static tg_status read_elements(tg_source *source, const tg_npy_header *header, tg_tensor *out,
                               tg_diags *diags)
{
    size_t width = tg_dtypes[header->type.dtype].bytes;
    TG_TRY(
        tg_source_read(source, out->data, tg_tensor_bytes(&out->type), "the npy elements", diags));
    if (width > 1 && header->big_endian != tg_host_is_big_endian())
        tg_elements_swap(out->data, width, (size_t)tg_type_count(&out->type));
    if (header->fortran_order && out->type.rank > 1) TG_TRY(reorder(out, diags));
    return tg_elements_from_file(out, diags);
}

tg_status tg_npy_read(tg_source *source, tg_dtype expect, tg_tensor *out, tg_diags *diags)
{
    tg_npy_header header;
    *out = (tg_tensor){0};
    TG_TRY(tg_npy_read_header(source, expect, &header, diags));
    size_t bytes = tg_tensor_bytes(&header.type);
    if (bytes != source->left) {
        char type[TG_TYPE_TEXT];
        return tg_fail(diags, TG_ERR_SYNTAX, NULL,
                       "npy: %s takes %zu bytes, the file holds %" PRIu64,
                       tg_type_print(&header.type, type, sizeof type), bytes, source->left);
    }
    if (tg_tensor_new(&header.type, out) != TG_OK)
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "npy: no memory for %zu bytes", bytes);
    tg_status status = read_elements(source, &header, out, diags);
    if (status != TG_OK) tg_tensor_free(out);
    return status;
}

tg_status tg_npy_load(const char *path, tg_dtype expect, tg_tensor *out, tg_diags *diags)
{
    char before[TG_FILE_NAME];
    uint64_t size;
    FILE *file;
    *out = (tg_tensor){0};
    tg_file_enter(diags, path, before);
    tg_status status = tg_file_open(path, &file, &size, diags);
    if (status == TG_OK) {
        tg_source source = tg_source_of_file(file, size);
        status = tg_npy_read(&source, expect, out, diags);
        fclose(file);
    }
    tg_diags_set_file(diags, before);
    return status;
}

/* -- writing -- */

static bool is_numpys_own(tg_dtype dtype, char code[8])
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    static const char letters[] = {
        [TG_KIND_BOOL] = 'b', [TG_KIND_SINT] = 'i', [TG_KIND_UINT] = 'u', [TG_KIND_FLOAT] = 'f'};
    char order = info->bytes == 1 ? '|' : tg_host_is_big_endian() ? '>' : '<';
    snprintf(code, 8, "%c%c%u", order, letters[info->kind], (unsigned)info->bytes);
    return dtype_by_code(code + 1) == dtype && dtype != TG_DT_f8e5m2;
}

size_t tg_npy_make_header(const tg_type *type, char out[TG_NPY_HEADER])
{
    char code[8], *text = out + PREAMBLE;
    const char *descr = is_numpys_own(type->dtype, code) ? code : tg_dtypes[type->dtype].numpy;
    const size_t room = TG_NPY_HEADER - PREAMBLE;
    size_t used =
        (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int d = 0; d < type->rank; d++)
        used += (size_t)snprintf(text + used, room - used, "%s%" PRId64 "%s", d ? ", " : "",
                                 type->shape[d], type->rank == 1 ? "," : "");
    used += (size_t)snprintf(text + used, room - used, "), }");
    size_t total = tg_align_up(PREAMBLE + used + 1, 64), length = total - PREAMBLE;
    static const char magic[8] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0}; /* with the version */
    memset(text + used, ' ', length - used);
    text[length - 1] = '\n';
    memcpy(out, magic, sizeof magic);
    out[8] = (char)(length & 0xff);
    out[9] = (char)(length >> 8);
    return total;
}

const void *tg_npy_elements(const tg_tensor *tensor, void **made)
{
    tg_dtype dtype = tensor->type.dtype;
    size_t count = (size_t)tg_type_count(&tensor->type), width = tg_dtypes[dtype].bytes;
    char code[8];
    bool swap = width > 1 && tg_host_is_big_endian() && !is_numpys_own(dtype, code);
    *made = NULL;
    if (count == 0 || (!swap && !tg_elements_differ_in_file(dtype))) return tensor->data;
    *made = malloc(count * width);
    if (!*made) return NULL;
    if (tg_elements_differ_in_file(dtype)) {
        tg_elements_to_file(*made, tensor->data, count, dtype);
    } else {
        memcpy(*made, tensor->data, count * width);
        tg_elements_swap(*made, width, count);
    }
    return *made;
}

tg_status tg_npy_save(const char *path, const tg_tensor *tensor, tg_diags *diags)
{
    char header[TG_NPY_HEADER];
    void *made;
    tg_file_out file;
    size_t bytes = tg_tensor_bytes(&tensor->type);
    const void *elements = tg_npy_elements(tensor, &made);
    if (bytes && !elements)
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory to write '%s'", path);
    tg_status status = tg_file_create(path, &file, diags);
    if (status == TG_OK) {
        fwrite(header, 1, tg_npy_make_header(&tensor->type, header), file.stream);
        if (bytes) fwrite(elements, 1, bytes, file.stream);
        status = tg_file_commit(&file, diags); /* this also detects failed writes */
    }
    free(made);
    return status;
}
