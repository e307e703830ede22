/* What findings of physical runs say of memory: elements as the kernel counts them, bytes, and lanes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tilegrind/tilegrind.h"

#define AT(from, size) "[\"slice\"," #from "," #size ",1]"
#define VALUE(id, type, rest) "{\"id\":" #id ",\"type\":\"" type "\"" rest "}"
#define LAYOUT(text) ",\"layout\":\"" text "\""
#define IN_FRAGMENT LAYOUT("(8,4,8):(4@lane,1@lane,1@reg)")
#define LOAD(from, index, to)                                                                      \
    "{\"op\":\"load\",\"in\":[" #from "],\"index\":[" index "],\"out\":[" to "]}"
#define STORE(to, index, value)                                                                    \
    "{\"op\":\"store\",\"in\":[" #to "," #value "],\"index\":[" index "]}"
#define ALL AT(0, 8) "," AT(0, 32)

/* Threads: the first does `one`, the second `two`, with x in value 4 and `tile` held in `layout`. */
#define THREADS(layout, fragment, one, two)                                                        \
    "{\"tilegrind\":\"0.1\",\"kernels\":[{\"name\":\"k\",\"grid\":[{\"size\":2,\"semantics\":"     \
    "\"thread\"}],\"params\":[{\"name\":\"x\",\"role\":\"input\",\"type\":\"f32[8,32]\"},"         \
    "{\"name\":\"o\",\"role\":\"output\",\"type\":\"f32[8,32]\"},{\"name\":\"tile\",\"role\":"     \
    "\"scratch\",\"type\":\"f32[8,32]\"" LAYOUT(layout) "}],\"body\":{\"args\":[" VALUE(           \
        0, "ref<f32[8,32]>",                                                                       \
        "") "," VALUE(1, "ref<f32[8,32]>",                                                         \
                      "") "," VALUE(2, "ref<f32[8,32]>",                                           \
                                    "") "],\"ops\":[{\"op\":\"program_id\",\"axis\":0,\"out\":"    \
                                        "[" VALUE(3, "i32[]", "") "]}," LOAD(                      \
                                            0, ALL,                                                \
                                            VALUE(4, "f32[8,32]", fragment)) ",{\"op\":"           \
                                                                             "\"switch\","         \
                                                                             "\"in\":[3],"         \
                                                                             "\"regions\":[{"      \
                                                                             "\"ops\":[" one       \
                                                                             "]},{\"ops\":"        \
                                                                             "[" two "]}]}]}}]}"

#define SWIZZLED "Sw<3,4,3>@byte o (8,32):(128@byte,4@byte)"
#define STORES STORE(2, ALL, 4)

/* Runs with check races; *finding is the first one about `tile`, with its text in `message`. */
static void run(const char *text, const char *layouts, tg_finding *finding, char message[800])
{
    static float x[256], o[256];
    static int64_t shape[] = {8, 32};
    tg_errors *errors = tg_errors_new();
    tg_module *module;
    tg_report *report;
    tg_status status = tg_module_load_text(text, strlen(text), &module, errors);
    cr_assert_eq(status, TG_OK, "%s", status == TG_OK ? "" : tg_errors_get(errors, 0).message);
    tg_array arrays[] = {{"x", {.data = x, .device = {1, 0}, .ndim = 2, .dtype = {2, 32, 1}}},
                         {"o", {.data = o, .device = {1, 0}, .ndim = 2, .dtype = {2, 32, 1}}}};
    arrays[0].tensor.shape = arrays[1].tensor.shape = shape;
    const tg_run_options options = {
        .size = sizeof options, .layouts = layouts, .checks = "races,duplicates"};
    status = tg_run(module, NULL, arrays, 2, &options, &report, errors);
    cr_assert_eq(status, TG_OK, "%s", status == TG_OK ? "" : tg_errors_get(errors, 0).message);
    *message = '\0';
    for (size_t i = 0; i < tg_report_finding_count(report) && !*message; i++) {
        *finding = tg_report_finding(report, i);
        if (!strcmp(finding->param, "tile")) snprintf(message, 800, "%s", finding->message);
    }
    cr_assert(*message, "nothing was found");
    tg_report_free(report);
    tg_module_free(module);
    tg_errors_free(errors);
}

static void tells(const char *text, const char *wanted, int64_t first, int64_t last, int64_t count)
{
    tg_finding finding;
    char message[800];
    run(text, "physical", &finding, message);
    cr_expect(strstr(message, wanted), "%s", message);
    cr_expect_eq(finding.first, first);
    cr_expect_eq(finding.last, last);
    cr_expect_eq(finding.count, count);
}

/* Row 2 is from byte 256 on, and its swizzle moves its bytes 16 to 31 to 48. */
#define PART AT(2, 4) "," AT(5, 9)
static const char part[] =
    THREADS(SWIZZLED, IN_FRAGMENT, STORES, LOAD(2, PART, VALUE(5, "f32[4,9]", "")));

Test(physical_findings, races_name_elements_bytes_and_lanes)
{
    tells(part, "writes tile[2, 5] (byte 308) from lane 8 of warp 0, program (1) reads it, and",
          2 * 32 + 5, 5 * 32 + 13, 36);
}

/* The same elements as in a logical run, however they lie in memory. */
Test(physical_findings, races_are_those_of_a_logical_run)
{
    tg_finding logical, physical;
    char message[800];
    run(part, "logical", &logical, message);
    cr_expect(strstr(message, "writes tile[2, 5], program (1) reads it, and"), "%s", message);
    run(part, "physical", &physical, message);
    cr_expect_eq(logical.first, physical.first);
    cr_expect_eq(logical.last, physical.last);
    cr_expect_eq(logical.count, physical.count);
}

/* All rows but the first four overlap nothing, and element (7, 31) is in the last lane. */
Test(physical_findings, both_sides_may_have_lanes)
{
    tells(THREADS("(8,32):(32,1)", LAYOUT("(8,4,8):(4@lane,1@lane,1@reg) + [2:1@wid_in_wg]"),
                  STORES,
                  LOAD(2, AT(7, 1) "," AT(16, 16),
                       VALUE(5, "f32[1,16]", LAYOUT("(8,2):(1@lane,1@reg)")))),
          "writes tile[7, 16] (byte 960) from lane 30 of warp 0 and 1 others, program (1) reads it "
          "into lane 0 of warp 0, and",
          7 * 32 + 16, 7 * 32 + 31, 16);
}

/* A layout_cast says where what it takes was loaded to. */
Test(physical_findings, a_cast_gives_lanes_to_a_load)
{
    tells(THREADS("(8,32):(32,1)", IN_FRAGMENT, STORES,
                  LOAD(2, AT(7, 1) "," AT(16, 16),
                       VALUE(5, "f32[1,16]",
                             "")) ","
                                  "{\"op\":\"layout_cast\",\"in\":[5],\"out\":[" VALUE(
                                      6, "f32[1,16]", LAYOUT("(8,2):(1@lane,1@reg)")) "]}"),
          "program (1) reads it into lane 0 of warp 0, and", 7 * 32 + 16, 7 * 32 + 31, 16);
}

/* A start that the run decides: which lane it is, is not known. */
Test(physical_findings, lanes_are_told_where_they_are_known)
{
    tells(THREADS("(8,32):(32,1)", IN_FRAGMENT, STORES,
                  "{\"op\":\"load\",\"in\":[2,3],\"index\":[[\"slice\",null,1,1]," AT(
                      0, 32) "],\"out\":[" VALUE(5, "f32[1,32]", LAYOUT("32:1@lane")) "]}"),
          "writes tile[1, 0] (byte 128) from lane 4 of warp 0, program (1) reads it, and", 32, 63,
          32);
}

/* A view of the tile counts its elements, not its bytes: element 36 is (1, 4). */
Test(physical_findings, views_count_elements)
{
    tells(THREADS("(8,32):(64,1)", IN_FRAGMENT,
                  "{\"op\":\"view_layout\",\"in\":[2],\"out\":[" VALUE(
                      6, "ref<f32[8]>",
                      LAYOUT("8:1 + 32")) "]},{\"op\":\"constant\",\"value\":1,"
                                          "\"out\":[" VALUE(7, "f32[8]",
                                                            "") "]}," STORE(6, AT(0, 8), 7),
                  "{\"op\":\"view_layout\",\"in\":[2],\"out\":[" VALUE(
                      8, "ref<f32[8]>", LAYOUT("8:1 + 36")) "]}," LOAD(8, AT(0, 8),
                                                                       VALUE(9, "f32[8]", ""))),
          "writes tile[1, 4] (byte 272), program (1) reads it, and", 36, 39, 4);
}

/* A copy into the tile that nobody has waited for. */
Test(physical_findings, copies_in_flight)
{
    tells(
        "{\"tilegrind\":\"0.1\",\"kernels\":[{\"name\":\"k\",\"grid\":[],\"params\":["
        "{\"name\":\"x\",\"role\":\"input\",\"type\":\"f32[8,32]\"},{\"name\":\"o\",\"role\":"
        "\"output\",\"type\":\"f32[8,32]\"},{\"name\":\"tile\",\"role\":\"scratch\",\"type\":"
        "\"f32[8,32]\"" LAYOUT(
            SWIZZLED) "},{\"name\":\"sem\",\"role\":\"scratch\",\"type\":"
                      "\"dma_sem[]\"}],\"body\":{\"args\":[" VALUE(
                          0, "ref<f32[8,32]>",
                          "") "," VALUE(1, "ref<f32[8,32]>",
                                        "") "," VALUE(2, "ref<f32[8,32]>",
                                                      "") "," VALUE(3, "ref<dma_sem[]>",
                                                                    "") "],\"ops\":[{\"op\":\"dma_"
                                                                        "start\",\"in\":[0,2,3]}"
                                                                        "," LOAD(
                                                                            2,
                                                                            AT(2, 1) "," AT(5, 1),
                                                                            VALUE(4, "f32[1,1]",
                                                                                  "")) ",{"
                                                                                       "\"op\":"
                                                                                       "\"dma_"
                                                                                       "wait\","
                                                                                       "\"in\":["
                                                                                       "2,3]}]}}"
                                                                                       "]}",
        "load reads tile[2, 5], which a copy may still be writing", 69, 69, 1);
}

/* ---- other findings ---- */

#define SCALAR(id, type, value)                                                                    \
    "{\"op\":\"constant\",\"value\":" #value ",\"out\":[" VALUE(id, type, "") "]}"
#define POLL(operands, index, type, more)                                                          \
    "{\"op\":\"while\",\"regions\":[{\"ops\":[" SCALAR(20, "i32[]", 2) "," SCALAR(                 \
        21, "i32[]", 5) ",{\"op\":\"load\",\"in\":[" operands "],\"index\":[" index                \
                        "],\"out\":[" VALUE(22, type,                                              \
                                            "") "]}," more                                         \
                                                "{\"op\":\"eq\",\"in\":[23,24],\"out\":[" VALUE(   \
                                                    25, "bool[]", "") "]}],\"yield\":[25]},{}]}"

/* A wait that never ends names what it reads. */
Test(physical_findings, waits_name_elements)
{
    static const char one[] =
        THREADS("(8,32):(1,8)", "",
                STORES "," POLL("2,20,21", "[\"at\"],[\"at\"]", "f32[]",
                                SCALAR(24, "f32[]", 0) ",{\"op\":\"square\",\"in\":[22],\"out\":"
                                                       "[" VALUE(23, "f32[]", "") "]},"),
                ""),
                      row[] = THREADS(
                          "(8,32):(1,8)", "",
                          STORES "," POLL("2", AT(2, 1) "," AT(0, 32), "f32[1,32]",
                                          SCALAR(24, "f32[]", 0) ",{\"op\":\"reduce_max\",\"axes\":"
                                                                 "[0,1],\"in\":[22],\"out\":"
                                                                 "[" VALUE(23, "f32[]", "") "]},"),
                          ""),
                      dense[] = THREADS(
                          "(8,32):(40,1)", "",
                          STORES "," POLL("2", AT(4, 1) "," AT(0, 32), "f32[1,32]",
                                          SCALAR(24, "f32[]", 0) ",{\"op\":\"reduce_max\",\"axes\":"
                                                                 "[0,1],\"in\":[22],\"out\":"
                                                                 "[" VALUE(23, "f32[]", "") "]},"),
                          "");
    tells(one, "it reads tile[2, 5], which is 0 [00000000], and no", 2 * 32 + 5, 2 * 32 + 5, 1);
    tells(row, "it reads tile[2, 0], which is 0 [00000000], and no", 2 * 32, 2 * 32, 1);
    tells(dense, "it reads tile[4, 0] and 31 that follow it in memory, and", 4 * 32, 4 * 32, 1);
}

/* A store through index arrays that names an element twice: it is byte 4 * (7 + 3 * 8) of the memory. */
Test(physical_findings, duplicates_name_elements)
{
    static const char twice[] = THREADS(
        "(8,32):(1,8)", "",
        SCALAR(20, "i32[2]", 7) "," SCALAR(
            21, "i32[2]",
            3) ",{\"op\":\"constant\",\"value\":"
               "[1,2],\"out\":[" VALUE(
                   22, "f32[2]",
                   "") "]},"
                       "{\"op\":\"store\",\"in\":[2,22,20,21],\"index\":[[\"at\"],[\"at\"]]}",
        "");
    tells(twice, "store gives tile[7, 3] several values", 7 * 32 + 3, 7 * 32 + 3, 1);
}
