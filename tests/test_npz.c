#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#include "ir/bits.h"
#include "base/file.h"
#include "loaders/fill.h"
#include "loaders/npy.h"
#include "loaders/npz.h"

#ifndef TG_TEST_DATA
#define TG_TEST_DATA "tests/data"
#endif

Test(npz, reads_what_numpy_writes)
{
    static const char files[3][24] = {"stored.npz", "deflated.npz", "streamed_zip64.npz"};
    for (int i = 0; i < 3; i++) {
        char path[256], text[TG_TYPE_TEXT];
        tg_tensors all = {0};
        tg_diags diags = {0};
        snprintf(path, sizeof path, TG_TEST_DATA "/tensors/%s", files[i]);
        cr_assert_eq(tg_npz_load(path, NULL, &all, &diags), TG_OK, "%s: %s", files[i],
                     diags.count ? diags.list[0].message : "");
        tg_tensor *x = tg_tensors_find(&all, "x");
        cr_assert_not_null(x);
        cr_assert_str_eq(tg_type_print(&x->type, text, sizeof text), "f32[2,3]");
        cr_assert_eq(((float *)x->data)[5], 5);
        cr_assert_eq(all.count, i == 2 ? 1 : 2);
        tg_tensors_free(&all);
    }
}

/* -- writing ------------------------------------------------------------------------------------ */

/* One tensor of every dtype, under its name. */
static void make_all(tg_tensors *all)
{
    for (int d = 0; d < TG_DT_COUNT; d++) {
        tg_type type = {.dtype = (tg_dtype)d, .rank = 2, .shape = {3, 4}};
        tg_tensor t;
        cr_assert_eq(tg_tensor_new(&type, &t), TG_OK);
        cr_assert_eq(tg_fill_tensor(TG_FILL_ONES, &t), TG_OK);
        tg_fill_tensor(TG_FILL_IOTA, &t);
        if (d == TG_DT_i4) tg_bits_store(TG_DT_i4, 15, t.data);
        cr_assert_eq(tg_tensors_add(all, tg_dtypes[d].name, &t), TG_OK);
    }
}

static void must_be_same(const tg_tensors *a, const tg_tensors *b)
{
    cr_assert_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const tg_tensor *left = &a->list[i].tensor, *right = &b->list[i].tensor;
        cr_assert_str_eq(a->list[i].name, b->list[i].name);
        cr_assert(tg_same_type(&left->type, &right->type), "%s", a->list[i].name);
        cr_assert_eq(memcmp(left->data, right->data, tg_tensor_bytes(&left->type)), 0, "%s",
                     a->list[i].name);
    }
}

Test(npz, every_dtype_survives_and_bytes_are_the_same_each_time)
{
    char folder[] = "/tmp/tg-npz-XXXXXX", path[64], *first, *again;
    size_t first_size, again_size;
    tg_tensors out = {0};
    tg_diags diags = {0};
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/all.npz", folder);
    make_all(&out);
    for (int deflate = 0; deflate < 2; deflate++) {
        tg_tensors in = {0};
        cr_assert_eq(tg_npz_save(path, &out, deflate, &diags), TG_OK);
        cr_assert_eq(tg_file_read(path, 1 << 20, &first, &first_size, &diags), TG_OK);
        cr_assert_eq(tg_npz_load(path, NULL, &in, &diags), TG_OK, "%s",
                     diags.count ? diags.list[0].message : "");
        must_be_same(&in, &out);
        sleep(2 * (unsigned)deflate); /* zip counts time in steps of two seconds */
        cr_assert_eq(tg_npz_save(path, &in, deflate, &diags), TG_OK);
        cr_assert_eq(tg_file_read(path, 1 << 20, &again, &again_size, &diags), TG_OK);
        cr_assert_eq(first_size, again_size);
        cr_assert_eq(memcmp(first, again, first_size), 0);
        free(first);
        free(again);
        tg_tensors_free(&in);
    }
    tg_tensors_free(&out);
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "nothing but the file was left");
}

Test(npz, an_archive_without_arrays)
{
    char folder[] = "/tmp/tg-npz-XXXXXX", path[64];
    tg_tensors none = {0};
    tg_diags diags = {0};
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/none.npz", folder);
    cr_assert_eq(tg_npz_save(path, &none, true, &diags), TG_OK);
    cr_assert_eq(tg_npz_load(path, NULL, &none, &diags), TG_OK);
    cr_assert_eq(none.count, 0);
    unlink(path);
    rmdir(folder);
}

Test(npz, names_that_could_not_be_read_are_not_written)
{
    static const char names[3][8] = {"a/b", "", "a\\b"};
    for (int i = 0; i < 3; i++) {
        tg_type type = {.dtype = TG_DT_u8};
        tg_tensor t;
        tg_tensors all = {0};
        tg_diags diags = {0};
        cr_assert_eq(tg_tensor_new(&type, &t), TG_OK);
        cr_assert_eq(tg_fill_tensor(TG_FILL_ONES, &t), TG_OK);
        cr_assert_eq(tg_tensors_add(&all, names[i], &t), TG_OK);
        cr_assert_eq(tg_npz_save("/tmp/tg-never-written.npz", &all, true, &diags), TG_ERR_USAGE);
        cr_assert_neq(access("/tmp/tg-never-written.npz", F_OK), 0);
        tg_tensors_free(&all);
        tg_diags_free(&diags);
    }
}

/* -- rejections --------------------------------------------------------------------------------- */

enum { MEMBER_BYTES = 128 + 4096 };

/* An npy file of 512 f64 ones. */
static void make_member(char out[MEMBER_BYTES])
{
    char header[TG_NPY_HEADER];
    tg_type type = {.dtype = TG_DT_f64, .rank = 1, .shape = {512}};
    tg_tensor t = {.type = type, .data = out + 128};
    cr_assert_eq(tg_npy_make_header(&type, header), 128);
    memcpy(out, header, 128);
    double *values = (double *)t.data;
    for (int i = 0; i < 512; i++) values[i] = 1;
}

/* An archive with two members holding `size` bytes, read into memory. */
static char *make_archive(const char *first, const char *second, int method, const char *data,
                          size_t size, size_t *archive_size)
{
    char folder[] = "/tmp/tg-npz-XXXXXX", path[64], *out;
    const char *names[2] = {first, second};
    tg_diags diags = {0};
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.npz", folder);
    zip_t *zip = zip_open(path, ZIP_CREATE, NULL);
    for (int i = 0; i < 2; i++) {
        zip_int64_t at = zip_file_add(zip, names[i], zip_source_buffer(zip, data, size, 0), 0);
        cr_assert_geq(at, 0);
        zip_set_file_compression(zip, (zip_uint64_t)at, method, 9);
    }
    cr_assert_eq(zip_close(zip), 0);
    cr_assert_eq(tg_file_read(path, 1 << 24, &out, archive_size, &diags), TG_OK);
    unlink(path);
    rmdir(folder);
    return out;
}

/* Where the n-th header of a kind starts: "PK\1\2" of the directory, "PK\3\4" before the data. */
static unsigned char *header_at(char *archive, size_t size, const char *magic, int n)
{
    for (size_t i = 0; i + 4 <= size; i++)
        if (memcmp(archive + i, magic, 4) == 0 && n-- == 0) return (unsigned char *)archive + i;
    cr_assert_fail("no such header");
    return NULL;
}

static void put(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> (8 * i));
}

#define LOCAL "PK\3\4"
#define CENTRAL "PK\1\2"

typedef void damage(char *archive, size_t size);

/* Both headers of the second member say that the data are of `size` bytes. */
static void claim_size(char *archive, size_t size, uint32_t claimed)
{
    put(header_at(archive, size, LOCAL, 1) + 22, claimed);
    put(header_at(archive, size, CENTRAL, 1) + 24, claimed);
}

static void no_damage(char *archive, size_t size) { (void)archive, (void)size; }
static void lie_short(char *archive, size_t size) { claim_size(archive, size, MEMBER_BYTES - 8); }
static void lie_long(char *archive, size_t size) { claim_size(archive, size, MEMBER_BYTES + 8); }
static void lie_far(char *archive, size_t size) { claim_size(archive, size, 0xfffffff0u); }

static void same_name(char *archive, size_t size)
{
    header_at(archive, size, LOCAL, 1)[30] = 'a';
    header_at(archive, size, CENTRAL, 1)[46] = 'a';
}

static void bad_crc(char *archive, size_t size)
{
    header_at(archive, size, LOCAL, 1)[14] ^= 1;
    header_at(archive, size, CENTRAL, 1)[16] ^= 1;
}

static void bad_data(char *archive, size_t size)
{
    header_at(archive, size, LOCAL, 1)[35 + 200] ^= 64;
}

static void encrypted(char *archive, size_t size)
{
    header_at(archive, size, LOCAL, 1)[6] |= 1;
    header_at(archive, size, CENTRAL, 1)[8] |= 1;
}

static void bad_end(char *archive, size_t size) { archive[size - 22] = 'Q'; }

static void many_entries(char *archive, size_t size)
{
    archive[size - 14] = (char)0xfe;
    archive[size - 13] = (char)0xff;
    archive[size - 12] = (char)0xfe;
    archive[size - 11] = (char)0xff;
}

/* Both directory entries name the same data, the trick of bombs that overlap. */
static void overlap(char *archive, size_t size)
{
    put(header_at(archive, size, CENTRAL, 1) + 42, 0);
}

typedef struct npz_reject {
    const char *why, *second;
    int method;
    damage *damage;
    int status; /* of tg_status; -1: any but TG_OK */
} npz_reject;

static const npz_reject npz_rejects[] = {
    {"bad checksum, stored", "b.npy", ZIP_CM_STORE, bad_crc, TG_ERR_INVALID},
    {"bad checksum, deflated", "b.npy", ZIP_CM_DEFLATE, bad_crc, TG_ERR_INVALID},
    {"a changed bit, stored", "b.npy", ZIP_CM_STORE, bad_data, TG_ERR_INVALID},
    {"two members of one name", "b.npy", ZIP_CM_STORE, same_name, -1},
    {"encrypted", "b.npy", ZIP_CM_STORE, encrypted, -1},
    {"a path up", "../b.npy", ZIP_CM_STORE, no_damage, TG_ERR_INVALID},
    {"a folder", "b/c.npy", ZIP_CM_STORE, no_damage, TG_ERR_INVALID},
    {"a backslash", "b\\c.npy", ZIP_CM_STORE, no_damage, TG_ERR_INVALID},
    {"no npy", "b.txt", ZIP_CM_STORE, no_damage, TG_ERR_INVALID},
    {"only an ending", ".npy", ZIP_CM_STORE, no_damage, TG_ERR_INVALID},
    {"another compression", "b.npy", ZIP_CM_BZIP2, no_damage, TG_ERR_UNSUPPORTED},
    {"a stored size that lies", "b.npy", ZIP_CM_STORE, lie_long, -1},
    {"a deflated size too short", "b.npy", ZIP_CM_DEFLATE, lie_short, TG_ERR_SYNTAX},
    {"a deflated size too long", "b.npy", ZIP_CM_DEFLATE, lie_long, TG_ERR_SYNTAX},
    {"a ratio that deflate cannot reach", "b.npy", ZIP_CM_DEFLATE, lie_far, TG_ERR_INVALID},
    {"members on top of each other", "b.npy", ZIP_CM_STORE, overlap, -1},
    {"no end record", "b.npy", ZIP_CM_STORE, bad_end, TG_ERR_SYNTAX},
    {"a count that lies", "b.npy", ZIP_CM_STORE, many_entries, TG_ERR_SYNTAX},
};

Test(npz, rejects)
{
    static char member[MEMBER_BYTES];
    make_member(member);
    for (size_t i = 0; i < sizeof npz_rejects / sizeof *npz_rejects; i++) {
        const npz_reject *c = &npz_rejects[i];
        size_t size;
        tg_tensors all = {0};
        tg_diags diags = {0};
        char *archive = make_archive("a.npy", c->second, c->method, member, sizeof member, &size);
        c->damage(archive, size);
        tg_status status = tg_npz_read(archive, size, NULL, &all, &diags);
        if (c->status >= 0)
            cr_assert_eq(status, (tg_status)c->status, "%s: %s: %s", c->why, tg_status_name(status),
                         diags.count ? diags.list[0].message : "accepted");
        else
            cr_assert_neq(status, TG_OK, "%s", c->why);
        cr_assert_geq(diags.count, 1, "%s", c->why);
        tg_tensors_free(&all);
        tg_diags_free(&diags);
        free(archive);
    }
}

Test(npz, reads_the_archive_that_the_rejects_damage)
{
    static char member[MEMBER_BYTES];
    size_t size;
    tg_tensors all = {0};
    tg_diags diags = {0};
    make_member(member);
    char *archive = make_archive("a.npy", "b.npy", ZIP_CM_DEFLATE, member, sizeof member, &size);
    cr_assert_eq(tg_npz_read(archive, size, NULL, &all, &diags), TG_OK);
    cr_assert_eq(all.count, 2);
    tg_tensors_free(&all);
    cr_assert_eq(tg_npz_read(archive, size / 2, NULL, &all, &diags), TG_ERR_SYNTAX, "truncated");
    cr_assert_eq(tg_npz_read(archive, 0, NULL, &all, &diags), TG_ERR_SYNTAX, "empty");
    tg_diags_free(&diags);
    free(archive);
}

Test(npz, the_limit_counts_all_arrays)
{
    static char member[MEMBER_BYTES];
    size_t size;
    tg_tensors all = {0};
    tg_diags diags = {0};
    make_member(member);
    char *archive = make_archive("a.npy", "b.npy", ZIP_CM_DEFLATE, member, sizeof member, &size);
    tg_npz_opts opts = {.limit = MEMBER_BYTES + 100};
    cr_assert_eq(tg_npz_read(archive, size, &opts, &all, &diags), TG_ERR_INVALID);
    cr_assert_eq(all.count, 0, "nothing is read before all is checked");
    opts.only = "b";
    cr_assert_eq(tg_npz_read(archive, size, &opts, &all, &diags), TG_OK, "one alone is below it");
    opts.only = "c";
    cr_assert_eq(tg_npz_read(archive, size, &opts, &all, &diags), TG_ERR_INVALID, "no such array");
    tg_tensors_free(&all);
    tg_diags_free(&diags);
    free(archive);
}

/* 16 MB of zeros in 16 kB: true to its size but not what the npy header asks for. */
Test(npz, a_bomb_is_not_inflated)
{
    size_t size, bytes = 16 << 20;
    char *zeros = calloc(1, bytes);
    tg_tensors all = {0};
    tg_diags diags = {0};
    cr_assert_not_null(zeros);
    make_member(zeros);
    char *archive = make_archive("a.npy", "b.npy", ZIP_CM_DEFLATE, zeros, bytes, &size);
    cr_assert_lt(size, 65536);
    cr_assert_eq(tg_npz_read(archive, size, NULL, &all, &diags), TG_ERR_SYNTAX);
    tg_diags_free(&diags);
    free(zeros);
    free(archive);
}

Test(npz, a_missing_file_is_an_io_error)
{
    tg_tensors all = {0};
    tg_diags diags = {0};
    cr_assert_eq(tg_npz_load(TG_TEST_DATA "/tensors/absent.npz", NULL, &all, &diags), TG_ERR_IO);
    cr_assert_eq(tg_npz_load(TG_TEST_DATA "/tensors/bool.npy", NULL, &all, &diags), TG_ERR_SYNTAX);
    tg_diags_free(&diags);
}
