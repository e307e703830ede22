/* The printers: what they write is fixed, and what they write as JSON loads again. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/literal.h"
#include "ir/print.h"
#include "ir/schema.h"
#include "base/text.h"
#include "loaders/json_ir.h"
#include "loaders/json_scan.h"

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    tg_text text = {0};
    char part[4096];
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;)
        tg_text_put_bytes(&text, part, got);
    fclose(file);
    return tg_text_finish(&text);
}

static tg_module *load_file(const char *path)
{
    tg_diags diags = {0};
    tg_module *module;
    tg_status status = tg_json_load_file(path, &module, &diags);
    cr_assert_eq(status, TG_OK, "%s: %s", path, diags.count ? diags.list[0].message : "");
    tg_diags_free(&diags);
    return module;
}

/* These files are in canonical form, and between them have all attribute kinds, dtypes and control
 * ops. */
static const char *const canonical[] = {
    "tests/data/json/add.json",
    "tests/data/json/matmul.json",
    "tests/data/json/control.json",
    "tests/data/json/literals.json",
};

Test(print, gives_back_canonical_files)
{
    for (size_t i = 0; i < sizeof canonical / sizeof *canonical; i++) {
        tg_module *module = load_file(canonical[i]);
        char *wanted = read_all(canonical[i]), *printed = tg_print_json(module);
        cr_expect_str_eq(printed, wanted, "%s", canonical[i]);
        free(wanted);
        free(printed);
        tg_module_destroy(module);
    }
}

static void note_region(const tg_kernel *k, const tg_region *region, bool *dtypes, bool *kinds,
                        bool *ops)
{
    for (uint32_t i = 0; i < region->op_count; i++) {
        const tg_op *op = &region->ops[i];
        ops[op->code] = true;
        for (uint32_t a = 0; a < op->attr_count; a++) kinds[tg_attrs[op->attrs[a].id].kind] = true;
        for (uint32_t v = 0; v < op->out_count; v++)
            dtypes[tg_type_of(k, op->out[v])->dtype] = true;
        for (uint32_t r = 0; r < op->region_count; r++)
            note_region(k, &op->regions[r], dtypes, kinds, ops);
    }
}

Test(print, canonical_files_cover_the_language)
{
    bool dtypes[TG_DT_COUNT] = {0}, kinds[TG_ATTR_KIND_DATA + 1] = {0}, ops[TG_OP_COUNT] = {0};
    for (size_t i = 0; i < sizeof canonical / sizeof *canonical; i++) {
        tg_module *module = load_file(canonical[i]);
        note_region(&module->kernels[0], &module->kernels[0].body, dtypes, kinds, ops);
        tg_module_destroy(module);
    }
    for (int d = 0; d < TG_DT_COUNT; d++) cr_expect(dtypes[d], "dtype %s", tg_dtypes[d].name);
    for (int kind = 0; kind <= TG_ATTR_KIND_DATA; kind++) cr_expect(kinds[kind], "kind %d", kind);
    for (int op = 0; op < TG_OP_COUNT; op++)
        cr_expect(ops[op] || !(tg_ops[op].traits & TG_TRAIT_CONTROL), "operation %s",
                  tg_ops[op].name);
}

Test(print, text_reads_like_a_jaxpr)
{
    static const char wanted[] =
        "kernel add (i: 4 assumed parallel)  # add.py:3 in add_kernel\n"
        "  input x_ref: f32[32] in blocks (8)\n"
        "    index_map (%0:i32[])\n"
        "      yield %0\n"
        "  input y_ref: f32[32] in blocks (8)\n"
        "    index_map (%1:i32[])\n"
        "      yield %1\n"
        "  output o_ref: f32[32] in blocks (8)\n"
        "    index_map (%2:i32[])\n"
        "      yield %2\n"
        "  body (x_ref:ref<f32[8]>, y_ref:ref<f32[8]>, o_ref:ref<f32[8]>)\n"
        "    %6:f32[8] = load x_ref[0:8]  # add.py:4 in add_kernel\n"
        "    %7:f32[8] = load y_ref[0:8]  # add.py:4 in add_kernel\n"
        "    %8:f32[8] = add %6, %7  # add.py:4 in add_kernel\n"
        "    store o_ref[0:8], %8  # add.py:4 in add_kernel\n";
    tg_module *module = load_file(canonical[0]);
    char *text = tg_print_text(module);
    cr_expect_str_eq(text, wanted);
    free(text);
    tg_module_destroy(module);
}

Test(print, text_tells_declared_axes_from_assumed_ones)
{
    static const char wanted[] =
        "kernel matmul (m: 2 parallel, n: 2 assumed parallel, k: 4 arbitrary)";
    tg_module *module = load_file("tests/data/json/matmul.json");
    char *text = tg_print_text(module);
    cr_expect_eq(strncmp(text, wanted, sizeof wanted - 1), 0, "%.80s", text);
    free(text);
    tg_module_destroy(module);
}

Test(print, text_shows_accesses_and_regions)
{
    static const char *const lines[] = {
        "kernel control (dynamic assumed parallel) dialect triton\n",
        "  input x_ref: f32[10,4,6] in blocks (element 3 pad (1,1), squeezed, 6)\n",
        "    %30:f32[6] = for %20, %21, %22, %23\n",
        "      region (%24:i32[], %25:f32[6])\n",
        "        %26:f32[6] = load x_ref[%24, 0:6]\n",
        "    %73:ref<f32[2,6]> = view o_ref[%20:%20+2, 0:6]\n",
        "    %75:f32[6] = load o_ref[%20, %70] mask=%71 other=%72\n",
        "    %80:f32[2,3] = load o_ref[0:4:2, %20:%20+6:2]\n",
        "    %77:i32[] = atomic_rmw[kind=max] sizes[%20], %22\n",
    };
    tg_module *module = load_file("tests/data/json/control.json");
    char *text = tg_print_text(module);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not_null(strstr(text, lines[i]), "%s", lines[i]);
    free(text);
    tg_module_destroy(module);
}

Test(print, schema_is_json_and_names_every_row)
{
    char *schema = tg_schema_json(), wanted[64];
    tg_diags diags = {0};
    cr_expect_eq(tg_json_scan(schema, strlen(schema), &diags), TG_OK);
    for (int op = 0; op < TG_OP_COUNT; op++) {
        snprintf(wanted, sizeof wanted, "{\"const\": \"%s\"}", tg_ops[op].name);
        cr_expect_not_null(strstr(schema, wanted), "operation %s", tg_ops[op].name);
    }
    for (int d = 0; d < TG_DT_COUNT; d++) cr_expect_not_null(strstr(schema, tg_dtypes[d].name));
    tg_diags_free(&diags);
    free(schema);
}

/* Every code of the 8- and 16-bit floats is read from its bits, printed, and read back the same. */
Test(literal, all_narrow_floats_survive)
{
    for (int d = 0; d < TG_DT_COUNT; d++) {
        if (!tg_is_float((tg_dtype)d) || tg_dtypes[d].bits > 16) continue;
        for (unsigned bits = 0; bits < 1u << tg_dtypes[d].bits; bits++) {
            char spelled[2 * TG_LITERAL_TEXT], printed[TG_LITERAL_TEXT];
            float first = 0, again = 0;
            snprintf(spelled, sizeof spelled, "bits:%0*x", tg_dtypes[d].bits / 4, bits);
            cr_assert_null(tg_literal_from_text((tg_dtype)d, spelled, &first));
            bool bare = tg_literal_print((tg_dtype)d, &first, printed);
            const char *wrong =
                bare ? tg_literal_from_number((tg_dtype)d, strtod(printed, NULL), &again)
                     : tg_literal_from_text((tg_dtype)d, printed, &again);
            cr_assert_null(wrong, "%s %s: %s", tg_dtypes[d].name, printed, wrong);
            cr_assert_eq(memcmp(&first, &again, sizeof first), 0, "%s %s", tg_dtypes[d].name,
                         spelled);
        }
    }
}

Test(literal, hex_floats_of_any_form)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0x1p0", 1},
        {"0X1p0", 0},
        {"-0xA.8p+1", -21},
        {"0x.8p1", 1},
        {"0x8.p-3", 1},
        {"0x0.0p+5", 0},
        {"0x1p-1074", 0x1p-1074},
        {"0x00000000000000000000001p4", 16},
        {"0x1.8000000000000000p1", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        const char *wrong = tg_literal_from_text(TG_DT_f64, cases[i].text, &value);
        if (cases[i].text[1] == 'X')
            cr_expect_not_null(wrong);
        else
            cr_expect(!wrong && value == cases[i].value, "%s: %s", cases[i].text, wrong);
    }
    static const char *const bad[] = {"0xp1",
                                      "0x.p1",
                                      "0x1",
                                      "0x1p",
                                      "0x1p+",
                                      "0x1p1 ",
                                      "0x1.1.",
                                      "1p1",
                                      "0x1p99999",
                                      "-nan",
                                      "0x1p-1075",
                                      "",
                                      "0x1.fffffffffffff8p0",
                                      "infinity"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value;
        cr_expect_not_null(tg_literal_from_text(TG_DT_f64, bad[i], &value), "%s", bad[i]);
    }
}

Test(text, grows_and_quotes)
{
    tg_text text = {0};
    for (int i = 0; i < 1000; i++) tg_text_add(&text, "%d,", i);
    cr_expect_eq(text.length, 10u * 2 + 90 * 3 + 900 * 4);
    cr_expect_eq(strlen(text.data), text.length);
    tg_text_drop(&text);
    tg_text_quote(&text, "a\"\\\n\x01\xc3\xa9");
    tg_text_line(&text, 2);
    char *done = tg_text_finish(&text);
    cr_expect_str_eq(done, "\"a\\\"\\\\\\n\\u0001\xc3\xa9\"\n  ");
    free(done);
    done = tg_text_finish(&text);
    cr_expect_str_eq(done, "");
    free(done);
}
