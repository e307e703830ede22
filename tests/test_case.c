#define _XOPEN_SOURCE 700 /* mkdtemp, symlink */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loaders/case.h"
#include "loaders/fill.h"
#include "loaders/npy.h"
#include "loaders/npz.h"

/* Two kernels over f32[5]; the second has a dynamic axis. */
static const char case_kernel[] =
    "{\"tilegrind\": \"0.1\", \"kernels\": ["
    "{\"name\": \"copy\", \"grid\": [], \"params\": ["
    "{\"name\": \"x\", \"role\": \"input\", \"type\": \"f32[5]\"},"
    "{\"name\": \"out\", \"role\": \"output\", \"type\": \"f32[5]\"}],"
    "\"body\": {\"args\": [{\"id\": 1, \"type\": \"ref<f32[5]>\"}, {\"id\": 2, \"type\": "
    "\"ref<f32[5]>\"}]}},"
    "{\"name\": \"wide\", \"grid\": [{\"size\": \"dynamic\"}], \"params\": ["
    "{\"name\": \"n\", \"role\": \"prefetch\", \"type\": \"i4[3]\"},"
    "{\"name\": \"out\", \"role\": \"output\", \"type\": \"f8e5m2[2]\"}],"
    "\"body\": {\"args\": [{\"id\": 1, \"type\": \"ref<i4[3]>\"}, {\"id\": 2, \"type\": "
    "\"ref<f8e5m2[2]>\"}]}}]}";

static char case_folder[] = "/tmp/tg-case-XXXXXX";

static char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", case_folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void write_tensors(void)
{
    tg_type type = {.dtype = TG_DT_f32, .rank = 1, .shape = {5}};
    tg_tensor t;
    tg_tensors all = {0};
    tg_diags diags = {0};
    cr_assert_eq(tg_tensor_new(&type, &t), TG_OK);
    cr_assert_eq(tg_fill_tensor(TG_FILL_IOTA, &t), TG_OK);
    cr_assert_eq(tg_npy_save(in_folder("x.npy"), &t, &diags), TG_OK);
    cr_assert_eq(tg_tensors_add(&all, "k", &t), TG_OK);
    cr_assert_eq(tg_npz_save(in_folder("x.npz"), &all, true, &diags), TG_OK);
    tg_tensors_free(&all);
}

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(case_folder));
    write_text("kernel.json", case_kernel);
    write_tensors();
    cr_assert_eq(symlink("/etc/passwd", in_folder("out.npy")), 0);
    cr_assert_eq(symlink("x.npy", in_folder("in.npy")), 0);
}

static void remove_folder(void)
{
    static const char names[6][16] = {"kernel.json", "x.npy",  "x.npz",
                                      "out.npy",     "in.npy", "case.json"};
    for (int i = 0; i < 6; i++) unlink(in_folder(names[i]));
    rmdir(case_folder);
}

static tg_case *must_read(const char *text)
{
    tg_case *c;
    tg_diags diags = {0};
    cr_assert_eq(tg_case_read(text, strlen(text), case_folder, TG_CASE_OF_PARAMS, &c, &diags),
                 TG_OK, "%s: %s", diags.count ? diags.list[0].where : "",
                 diags.count ? diags.list[0].message : "");
    cr_assert_eq(diags.count, 0);
    return c;
}

TestSuite(tensor_case, .init = make_folder, .fini = remove_folder);

Test(tensor_case, a_full_case)
{
    write_text(
        "case.json",
        "{\"tilegrind\": \"0.1\", \"name\": \"n\", \"why\": \"w\", \"kernel\": \"kernel.json\", "
        "\"entry\": \"wide\","
        "\"dynamic_grid\": [3], \"inputs\": {\"n\": {\"type\": \"i4[3]\", \"values\": [-8, \"7\", "
        "0]}},"
        "\"orders\": [\"sequential\", \"shuffled:1\"], \"compat\": \"jax\", "
        "\"profile\": \"fast\", \"tensor_core\": \"sm100\", \"expect\": {"
        "\"outputs\": {\"out\": {\"type\": \"f8e5m2[2]\", \"values\": [\"nan\", \"-0x1p-16\"]}},"
        "\"compare\": {\"rtol\": 0.25}, \"findings\": [{\"kind\": \"race\", \"param\": \"out\", "
        "\"op\": \"store\"}]},"
        "\"made_by\": {\"by\": \"hand\"}}");
    tg_case *c;
    tg_diags diags = {0};
    cr_assert_eq(tg_case_load(case_folder, TG_CASE_OF_PARAMS, &c, &diags), TG_OK, "%s",
                 diags.count ? diags.list[0].message : "");
    cr_assert_str_eq(c->name, "n");
    cr_assert_str_eq(c->why, "w");
    cr_assert_str_eq(c->kernel->name, "wide");
    cr_assert_eq(c->dynamic_count, 1);
    cr_assert_eq(c->dynamic_grid[0], 3);
    cr_assert_eq(c->inputs[0].content, TG_CASE_TENSOR);
    cr_assert_eq(((int8_t *)c->inputs[0].tensor.data)[0], -8);
    cr_assert_eq(c->expected[0].content, TG_CASE_ABSENT);
    cr_assert_eq(((uint8_t *)c->expected[1].tensor.data)[0], 0x7e);
    cr_assert_eq(((uint8_t *)c->expected[1].tensor.data)[1], 0x81);
    cr_assert_eq(c->order_count, 2);
    cr_assert_str_eq(c->orders[1], "shuffled:1");
    cr_assert_eq(c->setting.compat, TG_COMPAT_JAX);
    cr_assert_eq(c->profile, TG_CASE_FAST);
    cr_assert_eq(c->setting.tensor_core, TG_TENSOR_CORE_SM100);
    cr_assert_eq(c->compare.kind, TG_TOLERANCE_CLOSE);
    cr_assert_eq(c->compare.rtol, 0.25);
    cr_assert_eq(c->finding_count, 1);
    cr_assert_str_eq(c->findings[0].kind, "race");
    cr_assert_str_eq(c->findings[0].op, "store");
    cr_assert_eq(diags.file[0], '\0');
    tg_case_free(c);
    tg_case_free(NULL);
}

#define START "{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\", \"inputs\": {\"x\": "
#define VALUES "{\"type\": \"f32[5]\", \"values\": "
#define ZEROS START "{\"type\": \"f32[5]\", \"fill\": \"zeros\"}}"

Test(tensor_case, the_least_case)
{
    tg_case *c = must_read(ZEROS "}");
    cr_assert_str_eq(c->kernel->name, "copy", "the first");
    cr_assert_null(c->name);
    cr_assert_eq(c->order_count, 0);
    cr_assert_eq(c->setting.compat, TG_COMPAT_STRICT);
    cr_assert_eq(c->profile, TG_CASE_REFERENCE);
    cr_assert_eq(c->setting.tensor_core, TG_TENSOR_CORE_EXACT);
    cr_assert_eq(c->compare.kind, TG_TOLERANCE_BITS);
    cr_assert_eq(c->finding_count, 0);
    tg_case_free(c);
}

typedef struct form {
    const char *text;
    float last;
} form;

Test(tensor_case, all_forms_of_tensors)
{
    static const form forms[] = {
        {"{\"file\": \"x.npy\"}", 4},
        {"{\"file\": \"./x.npy\"}", 4},
        {"{\"file\": \"in.npy\"}", 4}, /* a link that stays inside */
        {"{\"file\": \"x.npz\", \"key\": \"k\"}", 4},
        {"{\"type\": \"f32[5]\", \"fill\": \"ones\"}", 1},
        {"{\"type\": \"f32[5]\", \"fill\": \"iota\"}", 4},
        {VALUES "[0, 1, 2, 3, \"0x1.8p+3\"]}", 12},
        {VALUES "7}", 7},
        {VALUES "\"bits:41000000\"}", 8},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[512];
        snprintf(text, sizeof text, START "%s}}", forms[i].text);
        tg_case *c = must_read(text);
        cr_assert_eq(((float *)c->inputs[0].tensor.data)[4], forms[i].last, "%s", forms[i].text);
        tg_case_free(c);
    }
    tg_case *c = must_read(START "{\"type\": \"f32[5]\", \"fill\": \"undefined\"}}}");
    cr_assert_eq(c->inputs[0].content, TG_CASE_UNDEFINED);
    cr_assert_null(c->inputs[0].tensor.data);
    tg_case_free(c);
}

/* -- rejections --------------------------------------------------------------------------------- */

typedef struct case_reject {
    const char *text, *where;
    tg_status status;
} case_reject;

static const case_reject case_rejects[] = {
    {START "{\"file\": \"../x.npy\"}}}", "/inputs/x/file", TG_ERR_INVALID},
    {START "{\"file\": \"a/../../x.npy\"}}}", "/inputs/x/file", TG_ERR_INVALID},
    {START "{\"file\": \"/etc/passwd\"}}}", "/inputs/x/file", TG_ERR_INVALID},
    {START "{\"file\": \"a\\\\x.npy\"}}}", "/inputs/x/file", TG_ERR_INVALID},
    {START "{\"file\": \"\"}}}", "/inputs/x/file", TG_ERR_INVALID},
    {START "{\"file\": \"out.npy\"}}}", "/inputs/x/file", TG_ERR_INVALID}, /* a link to outside */
    {START "{\"file\": \"absent.npy\"}}}", "/inputs/x/file", TG_ERR_IO},
    {START "{\"file\": \"kernel.json\"}}}", "/inputs/x", TG_ERR_INVALID},
    {START "{\"file\": \"x.npz\"}}}", "/inputs/x", TG_ERR_INVALID},
    {START "{\"file\": \"x.npz\", \"key\": \"nobody\"}}}", "", TG_ERR_INVALID},
    {START "{\"file\": \"x.npy\", \"key\": \"k\"}}}", "/inputs/x", TG_ERR_INVALID},
    {START "{\"file\": \"x.npy\", \"fill\": \"ones\"}}}", "/inputs/x/fill", TG_ERR_INVALID},
    {START "{\"file\": 3}}}", "/inputs/x/file", TG_ERR_INVALID},
    {START "{\"type\": \"f32[5]\"}}}", "/inputs/x", TG_ERR_INVALID},
    {START "{\"type\": \"f32[5]\", \"fill\": \"twos\"}}}", "/inputs/x/fill", TG_ERR_INVALID},
    {START "{\"type\": \"f32[5]\", \"fill\": \"ones\", \"values\": 1}}}", "/inputs/x",
     TG_ERR_INVALID},
    {START "{\"type\": \"f32[6]\", \"fill\": \"ones\"}}}", "/inputs/x/type", TG_ERR_TYPE},
    {START "{\"type\": \"f32[99999999999999]\", \"fill\": \"ones\"}}}", "/inputs/x/type",
     TG_ERR_TYPE},
    {START "{\"type\": \"f3[5]\", \"fill\": \"ones\"}}}", "/inputs/x/type", TG_ERR_INVALID},
    {START "{\"fill\": \"ones\"}}}", "/inputs/x", TG_ERR_INVALID},
    {START VALUES "[1, 2]}}}", "/inputs/x/values", TG_ERR_TYPE},
    {START VALUES "[1, 2, 3, 4, 0.1]}}}", "/inputs/x/values/4", TG_ERR_INVALID},
    {START VALUES "true}}}", "/inputs/x/values", TG_ERR_INVALID},
    {START VALUES "{}}}}", "/inputs/x/values", TG_ERR_INVALID},
    {START "[]}}", "/inputs/x", TG_ERR_INVALID},
    {ZEROS ", \"extra\": 1}", "/extra", TG_ERR_INVALID},
    {ZEROS ", \"name\": 1}", "/name", TG_ERR_INVALID},
    {ZEROS ", \"entry\": \"nobody\"}", "/entry", TG_ERR_INVALID},
    {ZEROS ", \"dynamic_grid\": [1]}", "/dynamic_grid", TG_ERR_INVALID},
    {ZEROS ", \"orders\": [1]}", "/orders/0", TG_ERR_INVALID},
    {ZEROS ", \"orders\": \"sequential\"}", "/orders", TG_ERR_INVALID},
    {ZEROS ", \"compat\": \"torch\"}", "/compat", TG_ERR_INVALID},
    {ZEROS ", \"profile\": \"quick\"}", "/profile", TG_ERR_INVALID},
    {ZEROS ", \"tensor_core\": \"sm80\"}", "/tensor_core", TG_ERR_INVALID},
    {ZEROS ", \"tensor_core\": 90}", "/tensor_core", TG_ERR_INVALID},
    {ZEROS ", \"made_by\": {\"x\": 1}}", "/made_by/x", TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"output\": {}}}", "/expect/output", TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"outputs\": {\"x\": " VALUES "1}}}}", "/expect/outputs/x",
     TG_ERR_INVALID},
    {ZEROS
     ", \"expect\": {\"outputs\": {\"out\": {\"type\": \"f32[5]\", \"fill\": \"undefined\"}}}}",
     "/expect/outputs/out/fill", TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"compare\": \"near\"}}", "/expect/compare", TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"compare\": {}}}", "/expect/compare", TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"compare\": {\"ulp\": -1}}}", "/expect/compare/ulp", TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"compare\": {\"ulp\": 1, \"atol\": 1}}}", "/expect/compare",
     TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"compare\": {\"rtol\": -0.5}}}", "/expect/compare/rtol",
     TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"compare\": {\"rtol\": 1e999}}}", "/expect/compare/rtol",
     TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"findings\": [{}]}}", "/expect/findings/0", TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"findings\": [{\"kind\": \"race\", \"param\": \"z\"}]}}",
     "/expect/findings/0/param", TG_ERR_INVALID},
    {ZEROS ", \"expect\": {\"findings\": [{\"kind\": \"race\", \"op\": \"z\"}]}}",
     "/expect/findings/0/op", TG_ERR_INVALID},
    {ZEROS "} x", "", TG_ERR_SYNTAX},
    {"{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\", \"inputs\": {}}", "/inputs",
     TG_ERR_INVALID},
    {"{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\", \"inputs\": {\"out\": {}}}",
     "/inputs/out", TG_ERR_INVALID},
    {"{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\"}", "", TG_ERR_INVALID},
    {"{\"tilegrind\": \"0.1\", \"kernel\": \"absent.json\", \"inputs\": {}}", "/kernel", TG_ERR_IO},
    {"{\"tilegrind\": \"0.1\", \"kernel\": \"../kernel.json\", \"inputs\": {}}", "/kernel",
     TG_ERR_INVALID},
    {"{\"tilegrind\": \"0.1\", \"inputs\": {}}", "", TG_ERR_INVALID},
    {"{\"tilegrind\": \"9.9\", \"kernel\": \"kernel.json\", \"inputs\": {}}", "/tilegrind",
     TG_ERR_UNSUPPORTED},
    {"{\"kernel\": \"kernel.json\", \"inputs\": {}}", "", TG_ERR_INVALID},
    {"[]", "", TG_ERR_INVALID},
};

Test(tensor_case, rejects)
{
    for (size_t i = 0; i < sizeof case_rejects / sizeof *case_rejects; i++) {
        const case_reject *r = &case_rejects[i];
        tg_case *c;
        tg_diags diags = {0};
        cr_assert_eq(
            tg_case_read(r->text, strlen(r->text), case_folder, TG_CASE_OF_PARAMS, &c, &diags),
            r->status, "%s: %s", r->text, diags.count ? diags.list[0].message : "accepted");
        cr_assert_null(c);
        cr_assert_str_eq(diags.list[0].where, r->where, "%s", r->text);
        tg_diags_free(&diags);
    }
}

Test(tensor_case, a_missing_folder_is_an_io_error)
{
    tg_case *c;
    tg_diags diags = {0};
    cr_assert_eq(tg_case_load("/tmp/tg-no-such-folder", TG_CASE_OF_PARAMS, &c, &diags), TG_ERR_IO);
    cr_assert_null(c);
    tg_diags_free(&diags);
}

Test(tensor_case, diagnoses_have_file_and_offset)
{
    const char *text = ZEROS ", \"compat\": \"torch\"}";
    tg_case *c;
    tg_diags diags = {0};
    write_text("case.json", text);
    cr_assert_eq(tg_case_load(case_folder, TG_CASE_OF_PARAMS, &c, &diags), TG_ERR_INVALID);
    cr_assert_str_eq(diags.list[0].file, in_folder("case.json"));
    cr_assert_eq(diags.list[0].offset, strstr(text, "\"torch\"") - text);
    tg_diags_free(&diags);
}
