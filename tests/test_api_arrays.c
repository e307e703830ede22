/* Arrays that the library keeps: in memory, in files, as text; and what it says of wrong calls. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilegrind/arrays.h"
#include "two_arrays.h"

static char folder[] = "/tmp/tg-arrays-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[2][128];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void make_folder(void) { cr_assert_not_null(mkdtemp(folder)); }

static void remove_folder(void)
{
    static const char *const names[] = {"a.npz", "a.npy", "a.safetensors", "b.npy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(in_folder(names[i]));
    rmdir(folder);
}

TestSuite(api_arrays, .init = make_folder, .fini = remove_folder);

/* ---- in memory ---- */

Test(api_arrays, what_is_added_is_a_copy)
{
    tg_arrays *all = make_two();
    cr_assert_eq(tg_arrays_count(all), 2);
    cr_assert_eq(tg_arrays_find(all, "n"), 1);
    cr_assert_eq(tg_arrays_find(all, "m"), 2);
    const tg_array x = tg_arrays_get(all, 0);
    cr_assert_str_eq(x.name, "x");
    cr_assert_eq(x.tensor.ndim, 2);
    cr_assert_eq(x.tensor.shape[1], 3);
    cr_assert_eq(x.tensor.device.device_type, 1);
    cr_assert_null(x.tensor.strides);
    cr_assert_str_eq(tg_dtype_from_dlpack(x.tensor.dtype), "f32");
    cr_assert_eq(element_of(all, 0, 5), 5);
    tg_arrays_free(all);
    tg_arrays_free(NULL);
}

Test(api_arrays, the_offset_counts)
{
    float data[] = {1, 2, 3};
    int64_t shape[] = {2};
    tg_arrays *all = tg_arrays_new();
    tg_array array = array_over("x", "f32", data, 1, shape);
    array.tensor.byte_offset = 4;
    cr_assert_eq(tg_arrays_add(all, &array, NULL), TG_OK);
    cr_assert_eq(element_of(all, 0, 0), 2);
    tg_arrays_free(all);
}

Test(api_arrays, zeros)
{
    tg_errors *errors = tg_errors_new();
    tg_arrays *all = tg_arrays_new();
    cr_assert_eq(tg_arrays_add_zeros(all, "x", "f32[3]", errors), TG_OK);
    cr_assert_eq(tg_arrays_add_zeros(all, "none", "f32[0]", errors), TG_OK);
    cr_assert_eq(element_of(all, 0, 2), 0);
    check_error(&errors, tg_arrays_add_zeros(all, "x", "f32[3]", errors), TG_ERR_USAGE,
                "there is an array x already");
    check_error(&errors, tg_arrays_add_zeros(all, "y", "f31[3]", errors), TG_ERR_USAGE,
                "type \"f31[3]\" has an unknown dtype");
    check_error(&errors, tg_arrays_add_zeros(all, "y", "ref<f32[3]>", errors), TG_ERR_USAGE,
                "is that of a reference");
    check_error(&errors, tg_arrays_add_zeros(all, "y", "sem[3]", errors), TG_ERR_USAGE,
                "is that of semaphores");
    cr_assert_eq(tg_arrays_count(all), 2);
    tg_arrays_free(all);
    tg_errors_free(errors);
}

Test(api_arrays, arrays_that_are_not_taken)
{
    float data[6] = {0};
    int64_t shape[9] = {2, 3, 1, 1, 1, 1, 1, 1, 1}, negative[] = {-1}, transposed[] = {1, 2};
    tg_errors *errors = tg_errors_new();
    tg_arrays *all = make_two();
    const tg_array good = array_over("y", "f32", data, 2, shape);
    tg_array bad = good;
    check_error(&errors, (bad.name = NULL, tg_arrays_add(all, &bad, errors)), TG_ERR_USAGE,
                "the array has no name");
    bad = good;
    check_error(&errors, (bad.name = "x", tg_arrays_add(all, &bad, errors)), TG_ERR_USAGE,
                "there is an array x already");
    bad = good;
    check_error(&errors, (bad.tensor.device.device_type = 2, tg_arrays_add(all, &bad, errors)),
                TG_ERR_USAGE, "array y is not on the CPU");
    bad = good;
    check_error(&errors, (bad.tensor.strides = transposed, tg_arrays_add(all, &bad, errors)),
                TG_ERR_USAGE, "array y is not row-major");
    bad = good;
    check_error(&errors, (bad.tensor.dtype.bits = 31, tg_arrays_add(all, &bad, errors)),
                TG_ERR_USAGE, "array y is of an unknown dtype");
    bad = good;
    check_error(&errors, (bad.tensor.dtype.lanes = 2, tg_arrays_add(all, &bad, errors)),
                TG_ERR_USAGE, "array y is of an unknown dtype");
    bad = good;
    check_error(&errors, (bad.tensor.data = NULL, tg_arrays_add(all, &bad, errors)), TG_ERR_USAGE,
                "array y has no data");
    bad = good;
    check_error(&errors, (bad.tensor.shape = NULL, tg_arrays_add(all, &bad, errors)), TG_ERR_USAGE,
                "array y has no shape");
    bad = array_over("y", "f32", data, 9, shape);
    check_error(&errors, tg_arrays_add(all, &bad, errors), TG_ERR_USAGE,
                "array y has more than 8 dimensions");
    bad = array_over("y", "f32", data, 1, negative);
    check_error(&errors, tg_arrays_add(all, &bad, errors), TG_ERR_USAGE,
                "array y has a negative extent");
    cr_assert_eq(tg_arrays_count(all), 2);
    tg_arrays_free(all);
    tg_errors_free(errors);
}

/* ---- files ---- */

Test(api_arrays, files_hold_what_was_written)
{
    const char *file = in_folder("a.npz");
    tg_arrays *all = make_two(), *read = tg_arrays_new();
    cr_assert(tg_arrays_can_read(file));
    cr_assert_eq(tg_arrays_write(all, file, NULL), TG_OK);
    cr_assert_eq(tg_arrays_read(read, file, NULL, NULL), TG_OK);
    cr_assert_eq(tg_arrays_count(read), 2);
    const size_t x = tg_arrays_find(read, "x"), n = tg_arrays_find(read, "n");
    cr_assert_eq(element_of(read, x, 4), 4);
    cr_assert_str_eq(tg_dtype_from_dlpack(tg_arrays_get(read, n).tensor.dtype), "i4");
    cr_assert_eq(((int8_t *)tg_arrays_get(read, n).tensor.data)[0], -8);
    tg_arrays_free(all);
    tg_arrays_free(read);
}

Test(api_arrays, one_array_of_a_file)
{
    tg_errors *errors = tg_errors_new();
    tg_arrays *all = make_two(), *read = tg_arrays_new();
    const char *npz = in_folder("a.npz");
    cr_assert_eq(tg_arrays_write(all, npz, NULL), TG_OK);
    cr_assert_eq(tg_arrays_read_one(read, "y", npz, "x", "f32", errors), TG_OK);
    cr_assert_str_eq(tg_arrays_get(read, 0).name, "y");
    check_error(&errors, tg_arrays_read_one(read, "z", npz, NULL, NULL, errors), TG_ERR_USAGE,
                "holds 2 tensors, name one of them");
    check_error(&errors, tg_arrays_read_one(read, "z", npz, "x", "i32", errors), TG_ERR_TYPE,
                "i32");
    check_error(&errors, tg_arrays_read_one(read, "z", npz, "x", "i33", errors), TG_ERR_USAGE,
                "\"i33\" is no dtype");
    check_error(&errors, tg_arrays_read_one(read, "z", npz, "k", NULL, errors), TG_ERR_INVALID,
                "k");
    check_error(&errors, tg_arrays_read_one(read, "y", npz, "x", NULL, errors), TG_ERR_USAGE,
                "there is an array y already");
    check_error(&errors, tg_arrays_read_one(read, "z", in_folder("no.npy"), NULL, NULL, errors),
                TG_ERR_IO, "");
    /* Alone it goes to a .npy file, which has no names: its own is the file's. */
    cr_assert_eq(tg_arrays_write(read, in_folder("b.npy"), errors), TG_OK);
    cr_assert_eq(tg_arrays_read(read, in_folder("b.npy"), NULL, errors), TG_OK);
    cr_assert_str_eq(tg_arrays_get(read, 1).name, "b");
    tg_arrays_free(all);
    tg_arrays_free(read);
    tg_errors_free(errors);
}

Test(api_arrays, files_that_cannot_be)
{
    tg_errors *errors = tg_errors_new();
    tg_arrays *all = make_two();
    cr_assert_not(tg_arrays_can_read("a.txt"));
    check_error(&errors, tg_arrays_read(all, "a.txt", NULL, errors), TG_ERR_USAGE,
                "is not named .npy, .npz or .safetensors");
    check_error(&errors, tg_arrays_write(all, "a.txt", errors), TG_ERR_USAGE,
                "is not named .npy, .npz or .safetensors");
    check_error(&errors, tg_arrays_write(all, in_folder("a.npy"), errors), TG_ERR_USAGE,
                "takes one tensor, not 2");
    check_error(&errors, tg_arrays_write(all, "/no/such/folder/a.npz", errors), TG_ERR_IO, "");
    cr_assert_eq(tg_arrays_write(all, in_folder("a.npz"), errors), TG_OK);
    /* Nothing of a file is added where one of its names is taken. */
    tg_arrays *one = tg_arrays_new();
    cr_assert_eq(tg_arrays_add_zeros(one, "n", "f32[1]", errors), TG_OK);
    check_error(&errors, tg_arrays_read(one, in_folder("a.npz"), NULL, errors), TG_ERR_USAGE,
                "there is an array n already");
    cr_assert_eq(tg_arrays_count(one), 1);
    tg_arrays_free(one);
    tg_arrays_free(all);
    tg_errors_free(errors);
}

static const char *only_x(void *context, const char *name)
{
    return strcmp(name, "x") == 0 ? context : NULL;
}

Test(api_arrays, a_reader_chooses)
{
    char f32[] = "f32", f16[] = "f16";
    tg_errors *errors = tg_errors_new();
    tg_arrays *all = make_two(), *read = tg_arrays_new();
    tg_arrays_read_options options = {sizeof options, only_x, f32};
    cr_assert_eq(tg_arrays_write(all, in_folder("a.npz"), NULL), TG_OK);
    cr_assert_eq(tg_arrays_read(read, in_folder("a.npz"), &options, errors), TG_OK);
    cr_assert_eq(tg_arrays_count(read), 1);
    cr_assert_str_eq(tg_arrays_get(read, 0).name, "x");
    options.context = f16;
    check_error(&errors, tg_arrays_read(read, in_folder("a.npz"), &options, errors), TG_ERR_TYPE,
                "f16");
    /* As a program has it that knows of no option: all are taken, and x is there already. */
    options.size = sizeof options.size;
    check_error(&errors, tg_arrays_read(read, in_folder("a.npz"), &options, errors), TG_ERR_USAGE,
                "there is an array x already");
    tg_arrays_free(read);
    tg_arrays_free(all);
    tg_errors_free(errors);
}

Test(api_arrays, one_array_of_the_caller_is_written)
{
    tg_errors *errors = tg_errors_new();
    tg_arrays *all = make_two(), *read = tg_arrays_new();
    tg_array x = tg_arrays_get(all, 0);
    cr_assert_eq(tg_array_write_npy(&x, in_folder("b.npy"), errors), TG_OK);
    cr_assert_eq(tg_arrays_read(read, in_folder("b.npy"), NULL, errors), TG_OK);
    cr_assert_eq(element_of(read, 0, 3), 3);
    check_error(&errors, tg_array_write_npy(&x, "/no/such/folder/x", errors), TG_ERR_IO, "");
    x.tensor.data = NULL;
    check_error(&errors, tg_array_write_npy(&x, in_folder("b.npy"), errors), TG_ERR_USAGE,
                "array x has no data");
    tg_arrays_free(all);
    tg_arrays_free(read);
    tg_errors_free(errors);
}

Test(api_arrays, texts)
{
    char text[TG_COMPARISON_TEXT];
    const float third = 0.1F;
    tg_arrays *all = make_two();
    tg_array x = tg_arrays_get(all, 0), n = tg_arrays_get(all, 1);
    cr_assert_str_eq(tg_element_text(x.tensor.dtype, &third, text, sizeof text),
                     "0.100000001 = 0x1.99999ap-4 [3dcccccd]");
    cr_assert_str_eq(tg_element_text(x.tensor.dtype, &third, text, 4), "0.1");
    cr_assert_str_eq(tg_element_text((tg_dldtype){0}, &third, text, sizeof text), "");
    cr_assert_str_eq(tg_array_element_text(&n, 0, text, sizeof text), "-8");
    cr_assert_str_eq(tg_array_index_text(&x, 5, text, sizeof text), "[1, 2]");
    x.tensor.data = NULL;
    cr_assert_str_eq(tg_array_element_text(&x, 0, text, sizeof text), "");
    tg_arrays_free(all);
}

Test(api_arrays, comparisons)
{
    char text[TG_COMPARISON_TEXT];
    tg_comparison c;
    tg_errors *errors = tg_errors_new();
    tg_arrays *got = make_two(), *want = make_two();
    tg_array a = tg_arrays_get(got, 0), b = tg_arrays_get(want, 0), n = tg_arrays_get(got, 1);
    cr_assert_eq(tg_array_compare(&a, &b, &c, errors), TG_OK);
    cr_assert(c.agree);
    cr_assert_str_eq(tg_comparison_text(&c, &a, &b, text, sizeof text), "6 elements are equal");
    ((float *)a.tensor.data)[4] = 4.00000048F;
    cr_assert_eq(tg_array_compare(&a, &b, &c, errors), TG_OK);
    cr_assert_not(c.agree);
    cr_assert_eq(c.differing, 1);
    cr_assert_eq(c.worst, 4);
    cr_assert_eq(c.worst_ulps, 1);
    cr_assert_not_null(strstr(tg_comparison_text(&c, &a, &b, text, sizeof text),
                              "1 of 6 elements differ, most at [1, 1] by 1 ULP: got 4.00000048"),
                       "%s", text);
    check_error(&errors, tg_array_compare(&a, &n, &c, errors), TG_ERR_TYPE,
                "f32[2,3] is compared with i4[2]");
    cr_assert_eq(c.count, 0);
    a.tensor.device.device_type = 2;
    check_error(&errors, tg_array_compare(&a, &b, &c, errors), TG_ERR_USAGE, "is not on the CPU");
    tg_arrays_free(got);
    tg_arrays_free(want);
    tg_errors_free(errors);
}
