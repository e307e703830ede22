/* Kernels whose memory and values are held where their layouts say. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/read.h"
#include "physical/physical.h"
#include "physical/registers.h"
#include "kernel_text.h"
#include "tilegrind/tilegrind.h"

#define ALL_32 "\"index\":[[\"slice\",0,32,1]]"
#define PARAM(name, role, rest)                                                                    \
    "{\"name\":\"" name "\",\"role\":\"" role "\",\"type\":\"f32[32]\"" rest "}"
#define REF(id) "{\"id\":" id ",\"type\":\"ref<f32[32]>\"}"
#define VALUE(id) "{\"id\":" id ",\"type\":\"f32[32]\"}"

/* x, then s or nothing, then o; the body is given. */
#define KERNEL(params, args, ops)                                                                  \
    "{\"tilegrind\":\"0.1\",\"locations\":[{\"file\":\"k.py\",\"line\":7}],\"kernels\":["          \
    "{\"name\":\"k\",\"loc\":1,\"grid\":[],\"params\":[" params "],\"body\":{\"args\":[" args      \
    "],\"ops\":[" ops "]}}]}"
#define LOAD(ref, to) "{\"op\":\"load\",\"in\":[" ref "]," ALL_32 ",\"out\":[" VALUE(to) "]}"
#define STORE(ref, value) "{\"op\":\"store\",\"in\":[" ref "," value "]," ALL_32 "}"

static float x[32], o[32];

static void fill(void)
{
    for (int i = 0; i < 32; i++) x[i] = (float)i, o[i] = -1;
}

static tg_status run(const char *text, const char *layouts, const char *backend, char why[256])
{
    static int64_t shape[] = {32};
    tg_module *module;
    tg_report *report = NULL;
    tg_errors *errors = tg_errors_new();
    tg_status status = tg_module_load_text(text, strlen(text), &module, errors);
    cr_assert_eq(status, TG_OK, "%s", status == TG_OK ? "" : tg_errors_get(errors, 0).message);
    const tg_run_options options = {.size = sizeof options, .layouts = layouts, .backend = backend};
    tg_array arrays[] = {{"x", {.data = x, .device = {1, 0}, .ndim = 1, .dtype = {2, 32, 1}}},
                         {"o", {.data = o, .device = {1, 0}, .ndim = 1, .dtype = {2, 32, 1}}}};
    arrays[0].tensor.shape = arrays[1].tensor.shape = shape;
    fill();
    status = tg_run(module, NULL, arrays, 2, &options, &report, errors);
    why[0] = '\0';
    if (status != TG_OK) snprintf(why, 256, "%s", tg_errors_get(errors, 0).message);
    tg_report_free(report);
    tg_module_free(module);
    tg_errors_free(errors);
    return status;
}

/* Runs on both backends: element i of o is x[want(i)], or undefined where that is -1. */
static void expect(const char *text, const char *layouts, int (*want)(int i))
{
    static const char *const backends[] = {"cpu", "emulator"};
    char why[256];
    for (int b = 0; b < 2; b++) {
        cr_assert_eq(run(text, layouts, backends[b], why), TG_OK, "%s", why);
        for (int i = 0; i < 32; i++) {
            const int from = want(i);
            if (from < 0)
                cr_expect(o[i] != o[i], "%s, %s: o[%d] is %g", layouts, backends[b], i,
                          (double)o[i]);
            else
                cr_expect_eq(o[i], x[from], "%s, %s: o[%d] is %g, not x[%d]", layouts, backends[b],
                             i, (double)o[i], from);
        }
    }
}

static int itself(int i) { return i; }

/* ---- memory ---- */

static const char through_scratch[] = KERNEL(
    PARAM("x", "input", ",\"layout\":\"32:3 + 5\"") "," PARAM(
        "o", "output",
        ",\"layout\":\"Sw<1,1,2> o (4,8):(1,4)\"") "," PARAM("s", "scratch",
                                                             ",\"space\":\"smem\",\"layout\":\"Sw<"
                                                             "2,2,2>@byte o 32:4@byte\""),
    REF("0") "," REF("1") "," REF("2"),
    LOAD("0", "3") "," STORE("2", "3") "," LOAD("2", "4") "," STORE("1", "4"));

Test(physical, memory_is_read_as_it_was_written)
{
    expect(through_scratch, "logical", itself);
    expect(through_scratch, "physical", itself);
}

/* Two references to one scratch, of which only the first swizzles: both runs show the permutation. */
static const char two_layouts[] =
    KERNEL(PARAM("x", "input", "") "," PARAM("o", "output", "") "," PARAM("s", "scratch", ""),
           REF("0") "," REF("1") "," REF("2"),
           LOAD("0", "3") ",{\"op\":\"view_layout\",\"in\":[2],\"out\":[{\"id\":5,\"type\":"
                          "\"ref<f32[32]>\",\"layout\":\"Sw<2,0,3> o 32:1\"}]}," STORE(
                              "5", "3") "," LOAD("2", "4") "," STORE("1", "4"));

static int swizzled(int i) { return i ^ (i >> 3 & 3); }

Test(physical, another_layout_reads_permuted_elements)
{
    expect(two_layouts, "logical", swizzled);
    expect(two_layouts, "physical", swizzled);
}

/* Copies beside the program, into swizzled scratch and from there into a block. */
static const char copied[] = KERNEL(
    PARAM("x", "input", "") "," PARAM("o", "output", ",\"layout\":\"(4,8):(1,4)\"") "," PARAM(
        "s", "scratch", ",\"layout\":\"Sw<2,0,3> o 32:1\"") ",{\"name\":\"d\",\"role\":\"scratch\","
                                                            "\"type\":\"dma_sem[]\"}",
    REF("0") "," REF("1") "," REF("2") ",{\"id\":3,\"type\":\"ref<dma_sem[]>\"}",
    "{\"op\":\"dma_start\",\"in\":[0,2,3]},{\"op\":\"dma_wait\",\"in\":[0,3]},"
    "{\"op\":\"dma_start\",\"in\":[2,1,3]},{\"op\":\"dma_wait\",\"in\":[1,3]}");

Test(physical, copies_beside_the_program)
{
    expect(copied, "logical", itself);
    expect(copied, "physical", itself);
}

/* ---- what is there at first ---- */

#define HALF(start) "\"index\":[[\"slice\"," start ",16,1]]"
#define ALLOC(layout) "{\"op\":\"alloc\",\"out\":[{\"id\":5,\"type\":\"ref<f32[32]>\"" layout "}]}"
#define HALF_VALUE(id) "{\"id\":" id ",\"type\":\"f32[16]\"}"

static int first_half(int i) { return i < 16 ? i : -1; }
static int behind_a_hole(int i) { return i - 16 < 0 ? -1 : i - 16; }
static int second_half(int i) { return i < 16 ? -1 : i; }

/* Half of the memory is stored to, before or after it is read: the rest is undefined. */
Test(physical, memory_that_is_not_overwritten)
{
#define STORE_HALF                                                                                 \
    LOAD("0", "3")                                                                                 \
    ",{\"op\":\"load\",\"in\":[0]," HALF("0") ",\"out\":[" HALF_VALUE("6") "]}," ALLOC(            \
        ",\"layout\":\"32:1\"") ",{\"op\":\"store\",\"in\":[5,6]," HALF("0") "}"
    static const char text[] =
        KERNEL(PARAM("x", "input", "") "," PARAM("o", "output", ""), REF("0") "," REF("1"),
               STORE_HALF "," LOAD("5", "4") "," STORE("1", "4"));
    expect(text, "logical", first_half);
    expect(text, "physical", first_half);
    static const char before[] =
        KERNEL(PARAM("x", "input", "") "," PARAM("o", "output", ""), REF("0") "," REF("1"),
               STORE_HALF "," LOAD("5", "4") "," STORE("5", "3") "," STORE("1", "4"));
    expect(before, "physical", first_half);
}

/* What of an output is not stored stays as it is; its block may be copied though. */
Test(physical, outputs_that_are_not_overwritten)
{
    static const char text[] =
        KERNEL(PARAM("x", "input", "") "," PARAM("o", "output", ",\"layout\":\"Sw<1,0,1> o 32:1\""),
               REF("0") "," REF("1"),
               "{\"op\":\"load\",\"in\":[0]," HALF("16") ",\"out\":[" HALF_VALUE(
                   "6") "]},{\"op\":\"store\",\"in\":[1,6]," HALF("16") "}");
    expect(text, "logical", second_half);
    expect(text, "physical", second_half);
}

/* A view of the whole memory through a layout with a hole: the hole is undefined. */
Test(physical, holes_are_undefined)
{
    static const char text[] = KERNEL(
        PARAM("x", "input", "") "," PARAM("o", "output", ""), REF("0") "," REF("1"),
        "{\"op\":\"load\",\"in\":[0]," HALF("0") ",\"out\":[" HALF_VALUE("6") "]}," ALLOC(
            "") ",{\"op\":\"view_layout\",\"in\":[5],\"out\":[{\"id\":7,\"type\":\"ref<f32[16]>\","
                "\"layout\":\"16:1 + 16\"}]},{\"op\":\"store\",\"in\":[7,6]," HALF("0") "}," LOAD(
                    "5", "4") "," STORE("1", "4"));
    expect(text, "logical", behind_a_hole);
}

/* ---- registers ---- */

#define CAST(layout)                                                                               \
    KERNEL(PARAM("x", "input", "") "," PARAM("o", "output", ""), REF("0") "," REF("1"),            \
           LOAD("0", "3") ",{\"op\":\"layout_cast\",\"in\":[3],\"out\":[{\"id\":4,\"type\":"       \
                          "\"f32[32]\",\"layout\":\"" layout "\"}]}," STORE("1", "4"))

Test(physical, values_are_where_their_layouts_say)
{
    expect(CAST("(8,4):(4@lane,1@reg) + [3:1@lane, 2:1@wid_in_wg]"), "physical", itself);
    expect(CAST("(16,2):(1@lane,0)"), "logical", itself);
}

/* In the interpreter the later of two elements is in the register; as PTX their threads race for it. */
Test(physical, elements_that_share_a_register)
{
    char why[256];
    cr_assert_eq(run(CAST("(16,2):(1@lane,0)"), "physical", "cpu", why), TG_OK, "%s", why);
    for (int i = 0; i < 32; i++) cr_expect_eq(o[i], x[i | 1]);
    cr_expect_neq(run(CAST("(16,2):(1@lane,0)"), "physical", "emulator", why), TG_OK);
    cr_expect(strstr(why, "shared-race"), "%s", why);
}

Test(physical, registers_follow_threads)
{
    tg_axe axe, held;
    tg_register_file file;
    static const char text[] = "(2,3):(1@warp,5@lane) + [2:1@reg] + 1@reg";
    cr_assert_eq(tg_axe_read(text, strlen(text), &axe, NULL), TG_OK);
    tg_register_file_begin(&file);
    tg_register_file_add(&file, &axe);
    tg_axe_in_registers(&axe, &file, &held);
    /* 3 registers a thread, 32 threads a warp */
    cr_expect_eq(held.d.list[0].stride, 96);
    cr_expect_eq(held.d.list[1].stride, 15);
    cr_expect_eq(held.r.list[0].stride, 1);
    cr_expect_eq(held.offset[TG_AXIS_m], 1);
}

/* ---- what cannot be held so ---- */

static void refuses(const char *text, const char *wanted)
{
    char why[256];
    cr_expect_eq(run(text, "physical", "cpu", why), TG_ERR_UNSUPPORTED);
    cr_expect(strstr(why, wanted), "%s", why);
    cr_expect_eq(run(text, "logical", "cpu", why), TG_OK, "%s", why);
}

Test(physical, refusals)
{
    refuses(KERNEL(PARAM("x", "input", "") "," PARAM("o", "output", ",\"layout\":\"32:1\""),
                   REF("0") "," REF("1"),
                   LOAD("0", "3") ",{\"op\":\"add_update\",\"in\":[1,3]," ALL_32 ",\"loc\":1}"),
            "k.py:7: kernel k, param o: an atomic op on a block");
    refuses(KERNEL(PARAM("x", "input", ",\"layout\":\"32:1\"") "," PARAM("o", "output", ""),
                   REF("0") "," REF("1"),
                   LOAD("0", "3") ",{\"op\":\"store\",\"in\":[0,3]," ALL_32
                                  ",\"loc\":1}," STORE("1", "3")),
            "k.py:7: kernel k, param x: a write to an input");
}

#define ALIASED(x_rest, ops)                                                                       \
    KERNEL(PARAM("x", "input", x_rest) "," PARAM("o", "output", ",\"alias\":\"x\""),               \
           REF("0") "," REF("1"), ops)
#define SWIZZLED ",\"layout\":\"Sw<1,0,2> o 32:1\""
#define STORE_AT_7(ref, value) "{\"op\":\"store\",\"in\":[" ref "," value "]," ALL_32 ",\"loc\":1}"

/* A kernel that reads all before it writes may have two names for its memory. */
Test(physical, names_of_one_memory)
{
    char why[256];
    cr_expect_eq(run(ALIASED(SWIZZLED, LOAD("0", "3") "," STORE("1", "3")), "physical", "cpu", why),
                 TG_OK, "%s", why);
    refuses(ALIASED(SWIZZLED,
                    LOAD("0", "3") "," STORE("1", "3") "," LOAD("0", "4") "," STORE_AT_7("1", "4")),
            "param o: memory that is written by one of its two names");
    cr_expect_eq(
        run(ALIASED("", LOAD("0", "3") "," STORE("1", "3") "," LOAD("0", "4") "," STORE("1", "4")),
            "physical", "cpu", why),
        TG_OK, "%s", why);
}

#define I32(id, value)                                                                             \
    "{\"op\":\"constant\",\"value\":" value ",\"out\":[{\"id\":" id ",\"type\":\"i32[]\"}]},"

/* In a loop the next turn reads what this one wrote. */
Test(physical, names_of_one_memory_in_a_loop)
{
    refuses(
        ALIASED(
            SWIZZLED,
            I32("5", "0") I32("6", "2") I32(
                "7",
                "1") "{\"op\":\"for\",\"in\":[5,6,7],\"regions\":[{\"args\":[{\"id\":9,\"type\":"
                     "\"i32[]\"}],\"ops\":[" LOAD("0", "3") "," STORE("1", "3") "]}]}"),
        "param o: memory that is written by one of its two names");
}

/* No operands of mma belong to a result whose rows go over lanes. */
Test(physical, results_that_no_instruction_has)
{
    static const char text[] =
        "input a f16[16,16]\ninput b f16[16,8]\noutput o f32[16,8]\nbody\n"
        "%10:f16[16,16]'(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg)' = load %1 [0:16,0:16]\n"
        "%11:f16[16,8] = load %2 [0:16,0:8]\n"
        "%12:f32[16,8]'(4,4,8):(8@lane,8@reg,1@lane)' = dot_general %10 %11 lhs_contract=[1] "
        "rhs_contract=[0] lhs_batch=[] rhs_batch=[] instruction='mma'\nstore %3 %12 [0:16,0:8]";
    tg_diags diags = {0};
    char *json = json_of(text);
    tg_module *module, *physical;
    tg_errors *errors = tg_errors_new();
    const tg_status status = tg_module_load_text(json, strlen(json), &module, errors);
    cr_assert_eq(status, TG_OK, "%s", status == TG_OK ? "" : tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
    free(json);
    cr_expect_eq(tg_physical_new(module, &physical, &diags), TG_ERR_UNSUPPORTED);
    cr_expect_str_eq(diags.list[0].message,
                     "(unknown place):0: kernel k, op dot_general: the result is held as "
                     "(4,4,8):(8@lane,8@reg,1@lane), wanted is (2,32,2):(2@reg,1@lane,1@reg): "
                     "element (0,1) is in lane 1, wanted in reg 1");
    tg_diags_free(&diags);
    tg_module_free(module);
}

Test(physical, unknown_option)
{
    char why[256];
    cr_expect_eq(run(two_layouts, "both", "cpu", why), TG_ERR_USAGE);
    cr_expect_str_eq(why, "layouts \"both\" is neither logical nor physical");
}
