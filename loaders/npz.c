#include "loaders/npz.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/file.h"
#include "loaders/npy.h"

enum { MAX_MEMBERS = 65536, MAX_NAME = 1024, MAX_DEFLATE_RATIO = 1032 };

/* -- reading -- */

/* An archive being read. */
typedef struct archive {
    zip_t *zip;
    uint64_t size;  /* bytes of the archive */
    uint64_t limit; /* the most bytes of all arrays */
    const tg_npz_opts *opts;
    tg_tensors *out;
    tg_diags *diags;
} archive;

static tg_status zip_problem(zip_error_t *error, const char *doing, tg_diags *diags)
{
    int code = zip_error_code_zip(error);
    tg_status status =
        code == ZIP_ER_MEMORY ? TG_ERR_NO_MEMORY
        : code == ZIP_ER_CRC  ? TG_ERR_INVALID
        : code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_SEEK || code == ZIP_ER_NOENT
            ? TG_ERR_IO
        : code == ZIP_ER_COMPNOTSUPP || code == ZIP_ER_ENCRNOTSUPP || code == ZIP_ER_MULTIDISK
            ? TG_ERR_UNSUPPORTED
            : TG_ERR_SYNTAX;
    return tg_fail(diags, status, NULL, "npz: %s: %s", doing, zip_error_strerror(error));
}

static tg_status pull_member(tg_source *source, void *to, size_t bytes, tg_diags *diags)
{
    zip_file_t *file = source->context;
    while (bytes > 0) {
        zip_int64_t got = zip_fread(file, to, bytes);
        if (got < 0) return zip_problem(zip_file_get_error(file), "cannot inflate", diags);
        if (got == 0)
            return tg_fail(diags, TG_ERR_SYNTAX, NULL, "npz: a member is shorter than it says");
        to = (char *)to + got;
        bytes -= (size_t)got;
    }
    return TG_OK;
}

/* Reads one more byte, as libzip compares the checksum at the end of a member. */
static tg_status check_end(zip_file_t *file, tg_diags *diags)
{
    char more;
    zip_int64_t got = zip_fread(file, &more, 1);
    if (got < 0) return zip_problem(zip_file_get_error(file), "cannot finish a member", diags);
    if (got > 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "npz: a member is longer than it says");
    return TG_OK;
}

static tg_status read_tensor(const archive *a, const zip_stat_t *member, const char *name,
                             tg_tensor *out)
{
    tg_dtype expect = a->opts->expect ? a->opts->expect(a->opts->context, name) : TG_DT_COUNT;
    zip_file_t *file = zip_fopen_index(a->zip, member->index, 0);
    if (!file) return zip_problem(zip_get_error(a->zip), "cannot open a member", a->diags);
    tg_source source = {.pull = pull_member, .context = file, .left = member->size};
    tg_status status = tg_npy_read(&source, expect, out, a->diags);
    if (status == TG_OK) status = check_end(file, a->diags);
    zip_fclose(file);
    if (status != TG_OK) {
        tg_tensor_free(out);
        tg_fail(a->diags, status, NULL, "npz: in the member '%s'", member->name);
    }
    return status;
}

/* Copies "x.npy" without its ending to `out`; rejects names that could lead to another folder. */
static tg_status array_name(const zip_stat_t *member, char out[MAX_NAME], tg_diags *diags)
{
    size_t length = strlen(member->name);
    if (length < 5 || length - 4 >= MAX_NAME || strcmp(member->name + length - 4, ".npy") != 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "npz: the member '%.200s' is not named NAME.npy", member->name);
    if (strpbrk(member->name, "/\\:"))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "npz: the member '%.200s' has a path in its name", member->name);
    memcpy(out, member->name, length - 4);
    out[length - 4] = '\0';
    return TG_OK;
}

static tg_status check_member(const zip_stat_t *member, tg_diags *diags)
{
    const zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_CRC |
                                ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if ((member->valid & needed) != needed)
        return tg_fail(diags, TG_ERR_SYNTAX, NULL, "npz: a member lacks name, size or checksum");
    if (member->encryption_method != ZIP_EM_NONE)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "npz: the member '%.200s' is encrypted",
                       member->name);
    bool stored = member->comp_method == ZIP_CM_STORE;
    if (!stored && member->comp_method != ZIP_CM_DEFLATE)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "npz: the member '%.200s' has compression method %u", member->name,
                       (unsigned)member->comp_method);
    uint64_t least = stored ? member->size : member->size / MAX_DEFLATE_RATIO;
    if (member->comp_size < least || (stored && member->comp_size != member->size))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "npz: the member '%.200s' says %" PRIu64 " bytes, which its %" PRIu64
                       " bytes cannot hold",
                       member->name, member->size, member->comp_size);
    return TG_OK;
}

/* Checks all members before reading any: their sizes must fit the archive and the limit. */
static tg_status check_sizes(const archive *a, zip_uint64_t count)
{
    uint64_t packed = 0, plain = 0;
    for (zip_uint64_t i = 0; i < count; i++) {
        zip_stat_t member;
        zip_stat_init(&member);
        if (zip_stat_index(a->zip, i, 0, &member) != 0)
            return zip_problem(zip_get_error(a->zip), "cannot look at a member", a->diags);
        TG_TRY(check_member(&member, a->diags));
        if (member.comp_size > a->size - packed)
            return tg_fail(a->diags, TG_ERR_INVALID, NULL,
                           "npz: the members are larger than the archive");
        packed += member.comp_size;
        if (a->opts->only) continue;
        if (member.size > a->limit - plain)
            return tg_fail(a->diags, TG_ERR_INVALID, NULL,
                           "npz: more than %" PRIu64 " bytes of arrays", a->limit);
        plain += member.size;
    }
    return TG_OK;
}

static tg_status read_member(const archive *a, zip_uint64_t index, bool *found)
{
    char name[MAX_NAME];
    zip_stat_t member;
    tg_tensor tensor;
    zip_stat_init(&member);
    if (zip_stat_index(a->zip, index, 0, &member) != 0)
        return zip_problem(zip_get_error(a->zip), "cannot look at a member", a->diags);
    TG_TRY(array_name(&member, name, a->diags));
    if (a->opts->only && strcmp(a->opts->only, name) != 0) return TG_OK;
    if (tg_tensors_find(a->out, name))
        return tg_fail(a->diags, TG_ERR_INVALID, NULL, "npz: two arrays have the name '%s'", name);
    if (member.size > a->limit)
        return tg_fail(a->diags, TG_ERR_INVALID, NULL, "npz: more than %" PRIu64 " bytes of arrays",
                       a->limit);
    TG_TRY(read_tensor(a, &member, name, &tensor));
    *found = true;
    if (tg_tensors_add(a->out, name, &tensor) != TG_OK)
        return tg_fail(a->diags, TG_ERR_NO_MEMORY, NULL, "npz: no memory for the array '%s'", name);
    return TG_OK;
}

static tg_status read_members(const archive *a)
{
    zip_int64_t count = zip_get_num_entries(a->zip, 0);
    bool found = false;
    if (count < 0 || count > MAX_MEMBERS)
        return tg_fail(a->diags, TG_ERR_INVALID, NULL, "npz: more than %d members", MAX_MEMBERS);
    TG_TRY(check_sizes(a, (zip_uint64_t)count));
    for (zip_uint64_t i = 0; i < (zip_uint64_t)count; i++) TG_TRY(read_member(a, i, &found));
    if (a->opts->only && !found)
        return tg_fail(a->diags, TG_ERR_INVALID, NULL, "npz: there is no array '%s'",
                       a->opts->only);
    return TG_OK;
}

/* Takes ownership of `source`. */
static tg_status read_archive(zip_source_t *source, uint64_t size, const tg_npz_opts *opts,
                              tg_tensors *out, tg_diags *diags)
{
    static const tg_npz_opts none = {0};
    zip_error_t error;
    zip_error_init(&error);
    if (!opts) opts = &none;
    archive a = {.size = size,
                 .limit = opts->limit ? opts->limit : TG_NPZ_LIMIT,
                 .opts = opts,
                 .out = out,
                 .diags = diags};
    a.zip = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
    tg_status status;
    if (a.zip) {
        status = read_members(&a);
        zip_discard(a.zip);
    } else {
        status = zip_problem(&error, "cannot open the archive", diags);
        zip_source_free(source);
    }
    zip_error_fini(&error);
    return status;
}

tg_status tg_npz_read(const void *data, size_t size, const tg_npz_opts *opts, tg_tensors *out,
                      tg_diags *diags)
{
    if (size == 0) return tg_fail(diags, TG_ERR_SYNTAX, NULL, "npz: the archive is empty");
    zip_source_t *source = zip_source_buffer_create(data, size, 0, NULL);
    if (!source) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "npz: no memory to read an archive");
    return read_archive(source, size, opts, out, diags);
}

static tg_status load(const char *path, const tg_npz_opts *opts, tg_tensors *out, tg_diags *diags)
{
    FILE *file;
    uint64_t size;
    TG_TRY(tg_file_open(path, &file, &size, diags));
    if (size == 0) {
        fclose(file);
        return tg_fail(diags, TG_ERR_SYNTAX, NULL, "npz: the archive is empty");
    }
    zip_source_t *source = zip_source_filep_create(file, 0, -1, NULL); /* closes the file as well */
    if (!source) {
        fclose(file);
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "npz: no memory to read an archive");
    }
    return read_archive(source, size, opts, out, diags);
}

tg_status tg_npz_load(const char *path, const tg_npz_opts *opts, tg_tensors *out, tg_diags *diags)
{
    char before[TG_FILE_NAME];
    tg_file_enter(diags, path, before);
    tg_status status = load(path, opts, out, diags);
    tg_diags_set_file(diags, before);
    return status;
}

/* -- writing -- */

/* The two pieces of a member; they must live until the archive is closed. */
typedef struct piece {
    char header[TG_NPY_HEADER];
    void *made;
    zip_buffer_fragment_t fragments[2];
} piece;

static tg_status no_memory(tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "npz: no memory to write an archive");
}

static tg_status make_piece(piece *p, const tg_tensor *tensor, tg_diags *diags)
{
    size_t bytes = tg_tensor_bytes(&tensor->type);
    const void *elements = tg_npy_elements(tensor, &p->made);
    if (bytes && !elements) return no_memory(diags);
    p->fragments[0] = (zip_buffer_fragment_t){(zip_uint8_t *)p->header,
                                              tg_npy_make_header(&tensor->type, p->header)};
    p->fragments[1] = (zip_buffer_fragment_t){(zip_uint8_t *)(uintptr_t)elements, bytes};
    return TG_OK;
}

static tg_status add_member(zip_t *zip, const char *name, piece *p, bool deflate, tg_diags *diags)
{
    char file[MAX_NAME + 4];
    const zip_uint16_t midnight = 0, first_of_1980 = (1 << 5) | 1;
    if (!name[0] || strlen(name) >= MAX_NAME || strpbrk(name, "/\\:"))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "npz: '%.200s' cannot be the name of an array",
                       name);
    snprintf(file, sizeof file, "%s.npy", name);
    zip_uint64_t pieces = p->fragments[1].length ? 2 : 1;
    zip_source_t *source = zip_source_buffer_fragment(zip, p->fragments, pieces, 0);
    zip_int64_t index = source ? zip_file_add(zip, file, source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
        zip_source_free(source);
        return zip_problem(zip_get_error(zip), "cannot add a member", diags);
    }
    zip_uint64_t at = (zip_uint64_t)index;
    if (zip_set_file_compression(zip, at, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 6) != 0 ||
        zip_file_set_dostime(zip, at, midnight, first_of_1980, 0) != 0)
        return zip_problem(zip_get_error(zip), "cannot add a member", diags);
    return TG_OK;
}

static tg_status add_members(zip_t *zip, const tg_tensors *tensors, piece *pieces, bool deflate,
                             tg_diags *diags)
{
    for (size_t i = 0; i < tensors->count; i++) {
        TG_TRY(make_piece(&pieces[i], &tensors->list[i].tensor, diags));
        TG_TRY(add_member(zip, tensors->list[i].name, &pieces[i], deflate, diags));
    }
    return TG_OK;
}

/* libzip writes a temporary file beside `path`, renames it when the archive is closed, and removes
 * it if that fails. */
static tg_status write_archive(const char *path, const tg_tensors *tensors, piece *pieces,
                               bool deflate, tg_diags *diags)
{
    int code = 0;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!zip) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        tg_status status = zip_problem(&error, "cannot start an archive", diags);
        zip_error_fini(&error);
        return status;
    }
    tg_status status = add_members(zip, tensors, pieces, deflate, diags);
    if (status == TG_OK) {
        if (zip_close(zip) == 0) return TG_OK;
        status =
            tg_fail(diags, TG_ERR_IO, NULL, "npz: cannot write '%s': %s", path, zip_strerror(zip));
    }
    zip_discard(zip);
    return status;
}

/* Writes an archive without members, which has only the end record; libzip would not create a file
 * for it. */
static tg_status write_empty(const char *path, tg_diags *diags)
{
    static const char end_record[22] = "PK\5\6";
    tg_file_out file;
    TG_TRY(tg_file_create(path, &file, diags));
    fwrite(end_record, 1, sizeof end_record, file.stream);
    return tg_file_commit(&file, diags);
}

tg_status tg_npz_save(const char *path, const tg_tensors *tensors, bool deflate, tg_diags *diags)
{
    if (tensors->count == 0) return write_empty(path, diags);
    piece *pieces = calloc(tensors->count, sizeof *pieces);
    if (!pieces) return no_memory(diags);
    tg_status status = write_archive(path, tensors, pieces, deflate, diags);
    for (size_t i = 0; i < tensors->count; i++) free(pieces[i].made);
    free(pieces);
    return status;
}
