#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "loaders/fill.h"
#include "loaders/safetensors.h"

#ifndef TG_TEST_DATA
#define TG_TEST_DATA "tests/data"
#endif

Test(safetensors, reads_what_its_own_library_writes)
{
    char text[TG_TYPE_TEXT];
    tg_tensors all = {0};
    tg_diags diags = {0};
    cr_assert_eq(tg_safetensors_load(TG_TEST_DATA "/tensors/three.safetensors", NULL, &all, &diags),
                 TG_OK, "%s", diags.count ? diags.list[0].message : "");
    cr_assert_eq(all.count, 3);
    tg_tensor *x = tg_tensors_find(&all, "x"), *b = tg_tensors_find(&all, "b"),
              *h = tg_tensors_find(&all, "h");
    cr_assert_str_eq(tg_type_print(&x->type, text, sizeof text), "f32[2,3]");
    cr_assert_eq(((float *)x->data)[5], 5);
    cr_assert_str_eq(tg_type_print(&b->type, text, sizeof text), "bool[2]");
    cr_assert_str_eq(tg_type_print(&h->type, text, sizeof text), "bf16[2]");
    cr_assert_eq(((uint16_t *)h->data)[1], 0xc000);
    tg_tensors_free(&all);
}

Test(safetensors, reads_one_by_name)
{
    tg_tensors all = {0};
    tg_diags diags = {0};
    const char *path = TG_TEST_DATA "/tensors/three.safetensors";
    cr_assert_eq(tg_safetensors_load(path, "b", &all, &diags), TG_OK);
    cr_assert_eq(all.count, 1);
    cr_assert_eq(((uint8_t *)all.list[0].tensor.data)[0], 1);
    cr_assert_eq(tg_safetensors_load(path, "nobody", &all, &diags), TG_ERR_INVALID);
    cr_assert_eq(tg_safetensors_load(path, "b", &all, &diags), TG_ERR_INVALID,
                 "b is there already");
    cr_assert_eq(tg_safetensors_load(path, "x", &all, &diags), TG_OK);
    tg_tensors_free(&all);
    tg_diags_free(&diags);
}

static void add(tg_tensors *all, const char *name, const char *type_text)
{
    tg_type type;
    tg_tensor t;
    cr_assert_null(tg_type_parse(type_text, &type));
    cr_assert_eq(tg_tensor_new(&type, &t), TG_OK);
    tg_fill_tensor(TG_FILL_ONES, &t);
    tg_fill_tensor(TG_FILL_IOTA, &t);
    cr_assert_eq(tg_tensors_add(all, name, &t), TG_OK);
}

Test(safetensors, every_dtype_survives_or_is_named)
{
    char folder[] = "/tmp/tg-st-XXXXXX", path[64], type[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.safetensors", folder);
    for (int d = 0; d < TG_DT_COUNT; d++) {
        tg_tensors out = {0}, in = {0};
        tg_diags diags = {0};
        snprintf(type, sizeof type, "%s[2,3]", tg_dtypes[d].name);
        add(&out, "t \"quoted\" \xc3\xbc", type);
        if (tg_dtypes[d].safetensors[0]) {
            cr_assert_eq(tg_safetensors_save(path, &out, &diags), TG_OK);
            cr_assert_eq(tg_safetensors_load(path, NULL, &in, &diags), TG_OK, "%s", type);
            cr_assert_eq(in.count, 1);
            cr_assert_str_eq(in.list[0].name, out.list[0].name);
            cr_assert(tg_same_type(&in.list[0].tensor.type, &out.list[0].tensor.type));
            cr_assert_eq(
                memcmp(in.list[0].tensor.data, out.list[0].tensor.data, 6u * tg_dtypes[d].bytes),
                0);
            unlink(path);
        } else {
            cr_assert_eq(tg_safetensors_save(path, &out, &diags), TG_ERR_UNSUPPORTED);
            cr_assert_not_null(strstr(diags.list[0].message, tg_dtypes[d].name));
        }
        tg_tensors_free(&out);
        tg_tensors_free(&in);
        tg_diags_free(&diags);
    }
    cr_assert_eq(rmdir(folder), 0, "nothing is left");
}

Test(safetensors, wide_elements_come_first)
{
    char folder[] = "/tmp/tg-st-XXXXXX", path[64], *text;
    size_t size;
    tg_tensors out = {0}, in = {0};
    tg_diags diags = {0};
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.safetensors", folder);
    add(&out, "byte", "u8[3]");
    add(&out, "wide", "f64[]");
    add(&out, "none", "f32[0,4]");
    cr_assert_eq(tg_safetensors_save(path, &out, &diags), TG_OK);
    cr_assert_eq(tg_safetensors_load(path, NULL, &in, &diags), TG_OK);
    cr_assert_eq(in.count, 3);
    cr_assert_str_eq(in.list[0].name, "wide");
    cr_assert_str_eq(in.list[2].name, "byte");
    cr_assert_eq(tg_file_read(path, 4096, &text, &size, &diags), TG_OK);
    cr_assert_eq((size - 11) % 8, 0, "the data start at a multiple of 8");
    free(text);
    unlink(path);
    rmdir(folder);
    tg_tensors_free(&out);
    tg_tensors_free(&in);
}

/* -- rejections --------------------------------------------------------------------------------- */

typedef struct st_reject {
    const char *why, *header;
    int data_bytes;
    tg_status status;
} st_reject;

static const st_reject st_rejects[] = {
    {"overlap",
     "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
     "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[2,6]}}",
     6, TG_ERR_INVALID},
    {"the same place twice",
     "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
     "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
     4, TG_ERR_INVALID},
    {"a hole",
     "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
     "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[5,9]}}",
     9, TG_ERR_INVALID},
    {"a hole at the start", "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[1,5]}}", 5,
     TG_ERR_INVALID},
    {"bytes after the last", "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 5,
     TG_ERR_INVALID},
    {"beyond the end", "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 3,
     TG_ERR_INVALID},
    {"a size that is not that of the shape",
     "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, TG_ERR_INVALID},
    {"offsets the wrong way", "{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[4,0]}}", 4,
     TG_ERR_INVALID},
    {"one offset", "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0]}}", 4,
     TG_ERR_INVALID},
    {"a fraction", "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4.5]}}", 4,
     TG_ERR_INVALID},
    {"a negative extent", "{\"a\":{\"dtype\":\"U8\",\"shape\":[-4],\"data_offsets\":[0,4]}}", 4,
     TG_ERR_INVALID},
    {"a huge shape",
     "{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
     TG_ERR_INVALID},
    {"nine dimensions",
     "{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}}", 1,
     TG_ERR_INVALID},
    {"an unknown dtype", "{\"a\":{\"dtype\":\"C64\",\"shape\":[4],\"data_offsets\":[0,32]}}", 32,
     TG_ERR_UNSUPPORTED},
    {"a dtype without name", "{\"a\":{\"dtype\":\"\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4,
     TG_ERR_UNSUPPORTED},
    {"another member", "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4],\"x\":1}}", 4,
     TG_ERR_INVALID},
    {"no shape", "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,4]}}", 4, TG_ERR_INVALID},
    {"a tensor that is a list", "{\"a\":[]}", 0, TG_ERR_INVALID},
    {"metadata that are no text", "{\"__metadata__\":{\"a\":1}}", 0, TG_ERR_INVALID},
    {"metadata that are a list", "{\"__metadata__\":[]}", 0, TG_ERR_INVALID},
    {"one name twice",
     "{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
     "\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}",
     0, TG_ERR_SYNTAX},
    {"a bool of 34", "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
     TG_ERR_INVALID},
    {"text after the header", "{} x", 0, TG_ERR_SYNTAX},
    {"space before the header", " {}", 0, TG_ERR_SYNTAX},
    {"a list", "[]", 0, TG_ERR_SYNTAX},
    {"no header", "", 0, TG_ERR_SYNTAX},
};

static size_t st_build(const st_reject *c, char *out)
{
    size_t length = strlen(c->header);
    memset(out, 0, 8);
    out[0] = (char)(length & 0xff);
    out[1] = (char)(length >> 8);
    memcpy(out + 8, c->header, length);
    memset(out + 8 + length, 34, (size_t)c->data_bytes);
    return 8 + length + (size_t)c->data_bytes;
}

Test(safetensors, rejects)
{
    for (size_t i = 0; i < sizeof st_rejects / sizeof *st_rejects; i++) {
        char file[512];
        tg_tensors all = {0};
        tg_diags diags = {0};
        size_t size = st_build(&st_rejects[i], file);
        cr_assert_eq(tg_safetensors_read(file, size, NULL, &all, &diags), st_rejects[i].status,
                     "%s: %s", st_rejects[i].why, diags.count ? diags.list[0].message : "accepted");
        cr_assert_eq(all.count, 0);
        tg_diags_free(&diags);
    }
}

Test(safetensors, rejects_lengths_that_lie)
{
    static const unsigned char huge[8] = {255, 255, 255, 255, 255, 255, 255, 255},
                               far[10] = {100, 0, 0, 0, 0, 0, 0, 0, '{', '}'};
    tg_tensors all = {0};
    tg_diags diags = {0};
    cr_assert_eq(tg_safetensors_read(huge, 8, NULL, &all, &diags), TG_ERR_INVALID);
    cr_assert_eq(tg_safetensors_read(far, 10, NULL, &all, &diags), TG_ERR_SYNTAX);
    cr_assert_eq(tg_safetensors_read(far, 5, NULL, &all, &diags), TG_ERR_SYNTAX);
    cr_assert_eq(tg_safetensors_read(far, 0, NULL, &all, &diags), TG_ERR_SYNTAX);
    tg_diags_free(&diags);
}

Test(safetensors, a_diagnosis_has_path_and_offset)
{
    char file[512];
    tg_tensors all = {0};
    tg_diags diags = {0};
    const st_reject c = {"", "{\"a\":{\"dtype\":\"C64\",\"shape\":[4],\"data_offsets\":[0,32]}}",
                         32, TG_OK};
    size_t size = st_build(&c, file);
    cr_assert_eq(tg_safetensors_read(file, size, NULL, &all, &diags), TG_ERR_UNSUPPORTED);
    cr_assert_str_eq(diags.list[0].where, "/a/dtype");
    cr_assert_eq(memcmp(file + diags.list[0].offset, "\"C64\"", 5), 0);
    tg_diags_free(&diags);
}
