#define _XOPEN_SOURCE 700 /* mkstemp, mkdtemp */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ir/bits.h"
#include "loaders/fill.h"
#include "loaders/npy.h"
#include "loaders/tensor_file.h"

#ifndef TG_TEST_DATA
#define TG_TEST_DATA "tests/data"
#endif

static void must_load(const char *file, tg_dtype expect, const char *type, tg_tensor *out)
{
    char path[256], text[TG_TYPE_TEXT];
    tg_diags diags = {0};
    snprintf(path, sizeof path, TG_TEST_DATA "/tensors/%s", file);
    cr_assert_eq(tg_npy_load(path, expect, out, &diags), TG_OK, "%s: %s", file,
                 diags.count ? diags.list[0].message : "");
    cr_assert_str_eq(tg_type_print(&out->type, text, sizeof text), type, "%s", file);
    cr_assert_eq(diags.count, 0);
    cr_assert_eq(diags.file[0], '\0', "the file of later diagnoses is as before");
}

/* The elements as 64-bit numbers, whatever the dtype. */
static double element(const tg_tensor *t, int64_t i)
{
    tg_dtype d = t->type.dtype;
    uint64_t bits = tg_bits_load(d, (char *)t->data + (size_t)i * tg_dtypes[d].bytes);
    if (tg_is_float(d)) return tg_bits_value(d, bits);
    uint64_t sign = (uint64_t)1 << (tg_dtypes[d].bits - 1);
    return tg_is_signed(d) ? (double)(int64_t)((bits ^ sign) - sign) : (double)bits;
}

typedef struct numpy_file {
    const char *file, *type;
    tg_dtype expect;
    double first, last;
} numpy_file;

Test(npy, reads_what_numpy_writes)
{
    static const numpy_file files[] = {
        {"c_order_f4.npy", "f32[2,3]", TG_DT_COUNT, 0, 5},
        {"fortran_order_f8.npy", "f64[2,3]", TG_DT_f64, 0, 5},
        {"big_endian_i2.npy", "i16[2,3]", TG_DT_COUNT, -300, -295},
        {"scalar_i8.npy", "i64[]", TG_DT_COUNT, -7, -7},
        {"bool.npy", "bool[3]", TG_DT_COUNT, 1, 1},
        {"version_2.npy", "u32[2,3]", TG_DT_COUNT, 0, 5},
        {"version_3.npy", "u32[2,3]", TG_DT_COUNT, 0, 5},
        {"void_bf16.npy", "bf16[2]", TG_DT_bf16, 1, -2},
        {"void_i4.npy", "i4[3]", TG_DT_i4, -8, 7},
        {"f1_f8e5m2.npy", "f8e5m2[2]", TG_DT_COUNT, 1, -2},
        {"f2.npy", "f16[3]", TG_DT_COUNT, 1, (double)INFINITY},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tg_tensor t;
        must_load(files[i].file, files[i].expect, files[i].type, &t);
        cr_assert_eq(element(&t, 0), files[i].first, "%s", files[i].file);
        cr_assert_eq(element(&t, tg_type_count(&t.type) - 1), files[i].last, "%s", files[i].file);
        tg_tensor_free(&t);
    }
}

Test(npy, transposes_fortran_order)
{
    tg_tensor t;
    must_load("fortran_order_f8.npy", TG_DT_COUNT, "f64[2,3]", &t);
    for (int i = 0; i < 6; i++) cr_assert_eq(element(&t, i), i);
    tg_tensor_free(&t);
}

Test(npy, an_empty_array_has_no_data)
{
    tg_tensor t;
    must_load("empty_u1.npy", TG_DT_COUNT, "u8[0,3]", &t);
    cr_assert_null(t.data);
}

Test(npy, every_dtype_survives)
{
    char path[] = "/tmp/tg-npy-XXXXXX", file[64];
    int fd = mkstemp(path);
    snprintf(file, sizeof file, "%s.npy", path);
    for (int d = 0; d < TG_DT_COUNT; d++) {
        tg_type type = {.dtype = (tg_dtype)d, .rank = 3, .shape = {2, 1, 5}};
        tg_tensor out, in;
        tg_diags diags = {0};
        cr_assert_eq(tg_tensor_new(&type, &out), TG_OK);
        for (int i = 0; i < 10; i++) {
            uint64_t bits =
                d == TG_DT_bool ? (uint64_t)i & 1 : 0x9e3779b97f4a7c15u * (uint64_t)(i + 1);
            bits &= UINT64_MAX >> (64 - tg_dtypes[d].bits);
            tg_bits_store((tg_dtype)d, bits, (char *)out.data + i * tg_dtypes[d].bytes);
        }
        cr_assert_eq(tg_npy_save(file, &out, &diags), TG_OK);
        cr_assert_eq(tg_npy_load(file, TG_DT_COUNT, &in, &diags), TG_OK, "%s", tg_dtypes[d].name);
        cr_assert(tg_same_type(&in.type, &type));
        cr_assert_eq(memcmp(in.data, out.data, tg_tensor_bytes(&type)), 0, "%s", tg_dtypes[d].name);
        tg_tensor_free(&in);
        tg_tensor_free(&out);
    }
    close(fd);
    unlink(path);
    unlink(file);
}

Test(npy, writes_a_header_that_numpy_aligns)
{
    char header[TG_NPY_HEADER];
    tg_type widest = {.dtype = TG_DT_f8e4m3b11fnuz, .rank = 8};
    for (int d = 0; d < 8; d++) widest.shape[d] = (int64_t)1 << 47;
    size_t length = tg_npy_make_header(&widest, header);
    cr_assert_eq(length % 64, 0);
    cr_assert_leq(length, TG_NPY_HEADER);
    cr_assert_eq(header[length - 1], '\n');
}

/* -- rejections --------------------------------------------------------------------------------- */

typedef struct npy_reject {
    const char *why, *header; /* the dictionary; the rest is built around it */
    int data_bytes;
    tg_dtype expect;
    tg_status status;
} npy_reject;

#define GOOD_SHAPE "'fortran_order': False, 'shape': (2,), }"

static const npy_reject npy_rejects[] = {
    {"unknown descr", "{'descr': '<c8', " GOOD_SHAPE, 16, TG_DT_COUNT, TG_ERR_UNSUPPORTED},
    {"objects", "{'descr': '|O', " GOOD_SHAPE, 16, TG_DT_COUNT, TG_ERR_UNSUPPORTED},
    {"a record", "{'descr': [('a', '<f4')], " GOOD_SHAPE, 8, TG_DT_COUNT, TG_ERR_UNSUPPORTED},
    {"a name with byte order", "{'descr': '<bfloat16', " GOOD_SHAPE, 4, TG_DT_COUNT,
     TG_ERR_UNSUPPORTED},
    {"raw bytes of no dtype", "{'descr': '<V2', " GOOD_SHAPE, 4, TG_DT_COUNT, TG_ERR_TYPE},
    {"raw bytes of another size", "{'descr': '<V2', " GOOD_SHAPE, 4, TG_DT_f32, TG_ERR_TYPE},
    {"another dtype than expected", "{'descr': '<f4', " GOOD_SHAPE, 8, TG_DT_i32, TG_ERR_TYPE},
    {"too few elements", "{'descr': '<f4', " GOOD_SHAPE, 7, TG_DT_COUNT, TG_ERR_SYNTAX},
    {"trailing bytes", "{'descr': '<f4', " GOOD_SHAPE, 9, TG_DT_COUNT, TG_ERR_SYNTAX},
    {"a bool of 2", "{'descr': '|b1', " GOOD_SHAPE, 2, TG_DT_COUNT, TG_ERR_INVALID},
    {"a u4 of 34", "{'descr': 'uint4', " GOOD_SHAPE, 2, TG_DT_COUNT, TG_ERR_INVALID},
    {"an i4 of 34", "{'descr': 'int4', " GOOD_SHAPE, 2, TG_DT_COUNT, TG_ERR_INVALID},
    {"a shape beyond any memory",
     "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 0,
     TG_DT_COUNT, TG_ERR_INVALID},
    {"a shape that overflows 64 bits",
     "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 0, TG_DT_COUNT,
     TG_ERR_SYNTAX},
    {"a huge extent beside 0",
     "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 281474976710656), }", 0, TG_DT_COUNT,
     TG_ERR_INVALID},
    {"a lying size", "{'descr': '<f8', 'fortran_order': False, 'shape': (1048576, 1048576), }", 8,
     TG_DT_COUNT, TG_ERR_SYNTAX},
    {"nine dimensions", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }",
     4, TG_DT_COUNT, TG_ERR_INVALID},
    {"a negative extent", "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", 8,
     TG_DT_COUNT, TG_ERR_SYNTAX},
    {"a shape that is a number", "{'descr': '<f4', 'fortran_order': False, 'shape': (2), }", 8,
     TG_DT_COUNT, TG_ERR_SYNTAX},
    {"no shape", "{'descr': '<f4', 'fortran_order': False, }", 8, TG_DT_COUNT, TG_ERR_SYNTAX},
    {"two shapes", "{'descr': '<f4', 'shape': (2,), " GOOD_SHAPE, 8, TG_DT_COUNT, TG_ERR_SYNTAX},
    {"another key", "{'descr': '<f4', 'x': (2,), " GOOD_SHAPE, 8, TG_DT_COUNT, TG_ERR_SYNTAX},
    {"an order that is no bool", "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }", 8,
     TG_DT_COUNT, TG_ERR_SYNTAX},
    {"text after the dictionary", "{'descr': '<f4', " GOOD_SHAPE "x", 8, TG_DT_COUNT,
     TG_ERR_SYNTAX},
    {"an open text", "{'descr': '<f4", 8, TG_DT_COUNT, TG_ERR_SYNTAX},
    {"an escape", "{'descr': '<f\\x34', " GOOD_SHAPE, 8, TG_DT_COUNT, TG_ERR_SYNTAX},
    {"no dictionary", "", 8, TG_DT_COUNT, TG_ERR_SYNTAX},
};

/* Magic, length and dictionary, then data_bytes bytes of 34. */
static size_t build_file(const npy_reject *c, char *out)
{
    size_t length = strlen(c->header);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)length;
    out[9] = 0;
    memcpy(out + 10, c->header, length);
    memset(out + 10 + length, 34, (size_t)c->data_bytes);
    return 10 + length + (size_t)c->data_bytes;
}

Test(npy, rejects)
{
    for (size_t i = 0; i < sizeof npy_rejects / sizeof *npy_rejects; i++) {
        const npy_reject *c = &npy_rejects[i];
        char file[512];
        tg_tensor out;
        tg_diags diags = {0};
        tg_source source = tg_source_of_memory(file, build_file(c, file));
        cr_assert_eq(tg_npy_read(&source, c->expect, &out, &diags), c->status, "%s: %s", c->why,
                     diags.count ? diags.list[0].message : "accepted");
        cr_assert_eq(diags.count, 1, "%s", c->why);
        cr_assert_null(out.data);
        tg_diags_free(&diags);
    }
}

Test(npy, rejects_a_malformed_preamble)
{
    static const struct {
        char bytes[16];
        size_t size;
        tg_status status;
    } starts[] = {
        {"\x93NUMPX\1\0\x10\0", 10, TG_ERR_SYNTAX},      /* bad magic */
        {"\x93NUM", 4, TG_ERR_SYNTAX},                   /* truncated magic */
        {"\x93NUMPY\4\0\x10\0", 10, TG_ERR_UNSUPPORTED}, /* a version to come */
        {"\x93NUMPY\1\0\x10", 9, TG_ERR_SYNTAX},         /* truncated length */
        {"\x93NUMPY\1\0\x10\0{", 11, TG_ERR_SYNTAX},     /* truncated header */
        {"\x93NUMPY\2\0\0\0\0\x7f", 12, TG_ERR_INVALID}, /* a header of 2 GB */
        {"", 0, TG_ERR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        tg_tensor out;
        tg_diags diags = {0};
        tg_source source = tg_source_of_memory(starts[i].bytes, starts[i].size);
        cr_assert_eq(tg_npy_read(&source, TG_DT_COUNT, &out, &diags), starts[i].status, "start %zu",
                     i);
        tg_diags_free(&diags);
    }
}

Test(npy, files_that_cannot_be_read_are_io_errors)
{
    tg_tensor out;
    tg_diags diags = {0};
    cr_assert_eq(tg_npy_load(TG_TEST_DATA "/tensors/absent.npy", TG_DT_COUNT, &out, &diags),
                 TG_ERR_IO);
    cr_assert_eq(tg_npy_load(TG_TEST_DATA, TG_DT_COUNT, &out, &diags), TG_ERR_IO);
    cr_assert_eq(tg_npy_load("/dev/null", TG_DT_COUNT, &out, &diags), TG_ERR_IO);
    cr_assert_str_eq(diags.list[0].file, TG_TEST_DATA "/tensors/absent.npy");
    tg_diags_free(&diags);
}

Test(npy, a_failed_write_leaves_nothing)
{
    tg_type type = {.dtype = TG_DT_f32, .rank = 1, .shape = {4}};
    tg_tensor t;
    tg_diags diags = {0};
    cr_assert_eq(tg_tensor_new(&type, &t), TG_OK);
    cr_assert_eq(tg_fill_tensor(TG_FILL_IOTA, &t), TG_OK);
    cr_assert_eq(tg_npy_save("/tmp/tg-no-such-folder/x.npy", &t, &diags), TG_ERR_IO);
    char folder[] = "/tmp/tg-npy-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(tg_npy_save(folder, &t, &diags), TG_ERR_IO, "a folder is in the way");
    cr_assert_eq(rmdir(folder), 0);
    tg_tensor_free(&t);
    tg_diags_free(&diags);
}

/* -- fill, and the choice of format ------------------------------------------------------------- */

Test(npy, fills_every_dtype)
{
    for (int d = 0; d < TG_DT_COUNT; d++) {
        tg_type type = {.dtype = (tg_dtype)d, .rank = 1, .shape = {4}};
        bool no_zero = d == TG_DT_f8e8m0fnu;
        tg_tensor t;
        cr_assert_eq(tg_tensor_new(&type, &t), TG_OK);
        cr_assert_eq(tg_fill_tensor(TG_FILL_ONES, &t), TG_OK);
        cr_assert_eq(element(&t, 3), 1, "%s", tg_dtypes[d].name);
        cr_assert_eq(tg_fill_tensor(TG_FILL_ZEROS, &t), no_zero ? TG_ERR_INVALID : TG_OK);
        cr_assert_eq(element(&t, 3), no_zero, "%s", tg_dtypes[d].name);
        cr_assert_eq(tg_fill_tensor(TG_FILL_IOTA, &t), no_zero ? TG_ERR_INVALID : TG_OK);
        const double third = d == TG_DT_bool ? 1 : d == TG_DT_i2 ? -1 : 3;
        if (!no_zero) cr_assert_eq(element(&t, 3), third, "%s", tg_dtypes[d].name);
        tg_tensor_free(&t);
    }
}

Test(npy, iota_wraps_and_rounds)
{
    tg_type type = {.dtype = TG_DT_i4, .rank = 1, .shape = {20}};
    tg_tensor t;
    cr_assert_eq(tg_tensor_new(&type, &t), TG_OK);
    cr_assert_eq(tg_fill_tensor(TG_FILL_IOTA, &t), TG_OK);
    cr_assert_eq(element(&t, 8), -8);
    cr_assert_eq(element(&t, 17), 1);
    t.type.dtype = TG_DT_f8e4m3fn;
    cr_assert_eq(tg_fill_tensor(TG_FILL_IOTA, &t), TG_OK);
    cr_assert_eq(element(&t, 17), 16, "17 lies between 16 and 18: the even one");
    cr_assert_eq(element(&t, 19), 20);
    tg_tensor_free(&t);
}

Test(npy, the_ending_chooses_the_format)
{
    tg_tensors all = {0};
    tg_tensor one;
    tg_diags diags = {0};
    cr_assert_eq(tg_tensor_file_load_all(TG_TEST_DATA "/tensors/c_order_f4.npy", &all, &diags),
                 TG_OK);
    cr_assert_not_null(tg_tensors_find(&all, "c_order_f4"));
    cr_assert_eq(tg_tensor_file_load_all(TG_TEST_DATA "/tensors/stored.npz", &all, &diags), TG_OK);
    cr_assert_eq(all.count, 3);
    cr_assert_eq(
        tg_tensor_file_load(TG_TEST_DATA "/tensors/stored.npz", "y", TG_DT_i32, &one, &diags),
        TG_OK);
    cr_assert_eq(element(&one, 0), 3);
    tg_tensor_free(&one);
    cr_assert_eq(
        tg_tensor_file_load(TG_TEST_DATA "/tensors/stored.npz", NULL, TG_DT_COUNT, &one, &diags),
        TG_ERR_USAGE);
    cr_assert_eq(
        tg_tensor_file_load(TG_TEST_DATA "/tensors/bool.npy", "x", TG_DT_COUNT, &one, &diags),
        TG_ERR_USAGE);
    cr_assert_eq(tg_tensor_file_load("x.txt", NULL, TG_DT_COUNT, &one, &diags), TG_ERR_USAGE);
    cr_assert_eq(tg_tensor_file_save("x.npy", &all, &diags), TG_ERR_USAGE);
    tg_tensors_free(&all);
    tg_diags_free(&diags);
}
