/* PTX in cases: read, rejected, and held against the interpreter. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <unistd.h>

#include "run_text.h"
#include "tilegrind/crosscheck.h"

/* Doubles its memory and adds y. */
static const char kernel[] =
    "grid d d d\ninput before f32[8]\ninput y f32[8]\ninput n f32[]\n"
    "output o f32[8] alias=before\nbody\n%10:f32[8] = load %1 [0:8]\n%11:f32[8] = load %2 [0:8]\n"
    "%12:f32[8] = add %10 %10\n%13:f32[8] = add %12 %11\nstore %4 %13 [0:8]\n";

#define HEAD                                                                                       \
    ".version 7.8\n.target sm_80\n.address_size 64\n.file 1 \"k.py\"\n"                            \
    ".visible .entry f(.param .u64 x, .param .u64 y, .param .f32 n, .param .u64 s)\n{\n"           \
    ".reg .f32 %f<5>; .reg .u32 %r<3>; .reg .u64 %rd<7>;\n"                                        \
    "ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [n];\n"                     \
    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;\n"                                            \
    "add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;\n"                                        \
    "ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [%rd5];\n"                                      \
    ".loc 1 7 0\n"

static const char right[] =
    HEAD "fma.rn.f32 %f4, %f2, %f1, %f3; st.global.f32 [%rd4], %f4; ret;\n}\n";
static const char wrong[] = HEAD "mul.f32 %f4, %f2, %f1; st.global.f32 [%rd4], %f4; ret;\n}\n";
static const char writes_input[] =
    HEAD "fma.rn.f32 %f4, %f2, %f1, %f3; st.global.f32 [%rd4], %f4;\n"
         "st.global.f32 [%rd5], %f4; ret;\n}\n";
static const char outside[] = HEAD "ld.global.f32 %f2, [%rd4+4]; ret;\n}\n";
static const char scratch[] =
    HEAD "ld.param.u64 %rd6, [s]; add.u64 %rd6, %rd6, %rd3; ld.global.f32 %f4, [%rd6];\n"
         "fma.rn.f32 %f2, %f2, %f1, %f4; add.f32 %f2, %f2, %f3; st.global.f32 [%rd4], %f2; "
         "ret;\n}\n";

#define ARGS(offset)                                                                               \
    "\"threads\": 8, \"arguments\": [{\"memory\": \"before\"}, {\"memory\": \"y\", \"offset\": "   \
    "" offset "}, {\"number\": \"n\"}, {\"zeros\": 32}]"

static char folder[32];

static void write_text(const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(void)
{
    char *json = json_of(kernel);
    strcpy(folder, "/tmp/tg-case-ptx-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    write_text("kernel.json", json);
    write_text("k.ptx", right);
    free(json);
}

static void remove_folder(void)
{
    static const char *const names[] = {"kernel.json", "k.ptx", "case.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

TestSuite(case_ptx, .init = make_folder, .fini = remove_folder);

static void write_case(const char *ptx, const char *more)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\", \"dynamic_grid\": [1, 1, 1]%s%s, "
        "\"inputs\": {\"before\": {\"type\": \"f32[8]\", \"fill\": \"iota\"}, \"y\": {\"type\": "
        "\"f32[8]\", \"values\": 0.5}, \"n\": {\"type\": \"f32[]\", \"values\": 2}}%s}",
        ptx ? ", \"ptx\": " : "", ptx ? ptx : "", more);
    write_text("case.json", text);
}

static tg_case *open_case(const char *ptx, const char *more)
{
    tg_case *c = NULL;
    write_case(ptx, more);
    tg_errors *errors = tg_errors_new();
    const tg_status status = tg_case_open(folder, &c, errors);
    show_errors(errors);
    cr_assert_eq(status, TG_OK);
    tg_errors_free(errors);
    return c;
}

/* ---- against the interpreter ---- */

static void check(const char *ptx, const char *text, const char *more, tg_cross_verdict verdict,
                  const char *part)
{
    static const char *const backends[] = {"cpu", "triton-ptx:3"};
    const tg_crosscheck_options options = {
        .size = sizeof options, .backends = backends, .backend_count = 2};
    tg_crosscheck *found;
    if (text) write_text("k.ptx", text);
    tg_case *c = open_case(ptx, more);
    cr_assert_eq(tg_crosscheck_new(c, &options, &found, NULL), TG_OK);
    const tg_cross_result result = tg_crosscheck_get(found, 0);
    cr_assert_eq(result.verdict, verdict, "%d: %s", (int)result.verdict, result.message);
    if (part)
        cr_assert_not_null(strstr(result.message, part), "%s", result.message);
    else
        cr_assert_str_eq(result.message, "");
    tg_crosscheck_free(found);
    tg_case_close(c);
}

#define PTX "{\"file\": \"k.ptx\", " ARGS("0") "}"

Test(case_ptx, equal) { check(PTX, right, "", TG_CROSS_EQUAL, NULL); }

Test(case_ptx, zeros_are_memory) { check(PTX, scratch, "", TG_CROSS_EQUAL, NULL); }

Test(case_ptx, different)
{
    check(PTX, wrong, "", TG_CROSS_DIFFERENT, "memory o: 8 of 8 elements differ");
    check(PTX, writes_input, "", TG_CROSS_DIFFERENT, "memory y: 7 of 8 elements differ");
}

Test(case_ptx, within_what_the_case_allows)
{
    check(PTX, wrong, ", \"expect\": {\"compare\": {\"atol\": 0.5}}", TG_CROSS_WITHIN,
          "memory o: 8 of 8");
    check(PTX, wrong, ", \"expect\": {\"compare\": {\"atol\": 0.25}}", TG_CROSS_DIFFERENT,
          "memory o: 8 of 8");
}

Test(case_ptx, traps_are_told_with_the_line_of_the_kernel)
{
    check(PTX, outside, "", TG_CROSS_DIFFERENT, "out-of-bounds: ");
    check(PTX, outside, "", TG_CROSS_DIFFERENT,
          "4 beyond its end, at 13:1 (k.py:7), CTA (0, 0, 0), thread (7, 0, 0) of f");
    check("{\"file\": \"k.ptx\", " ARGS("4") "}", right, "", TG_CROSS_DIFFERENT, "out-of-bounds: ");
}

Test(case_ptx, refused_and_failed)
{
    check(NULL, NULL, "", TG_CROSS_REFUSED, "the case has no \"ptx\"");
    check(PTX, ".version 7.8\n.target sm_80\n.address_size 64\n.frob\n", "", TG_CROSS_REFUSED,
          "k.ptx:4:1: ");
    check("{\"file\": \"k.ptx\", \"arguments\": []}", right, "", TG_CROSS_FAILED,
          "f has 4 parameters, and 0 are given");
}

Test(case_ptx, it_goes_with_cpu_and_profile_reference)
{
    static const char *const backwards[] = {"triton-ptx", "cpu"},
                             *const beside[] = {"emulator", "triton-ptx"},
                             *const fast[] = {"cpu", "triton-ptx"};
    const tg_crosscheck_options all[] = {
        {.size = sizeof *all, .backends = backwards, .backend_count = 2},
        {.size = sizeof *all, .backends = beside, .backend_count = 2},
        {.size = sizeof *all, .backends = fast, .backend_count = 2, .profile = "fast"}};
    tg_case *c = open_case(PTX, "");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tg_crosscheck *found;
        tg_errors *errors = tg_errors_new();
        cr_assert_eq(tg_crosscheck_new(c, &all[i], &found, errors), TG_ERR_USAGE);
        cr_assert_not_null(
            strstr(tg_errors_get(errors, 0).message, "triton-ptx is compared with cpu"));
        tg_errors_free(errors);
    }
    tg_case_close(c);
}

Test(case_ptx, names_of_the_backend)
{
    uint64_t seed = 9;
    cr_assert(tg_crosscheck_is_triton_ptx("triton-ptx", &seed) && seed == 0);
    cr_assert(tg_crosscheck_is_triton_ptx("triton-ptx:12", &seed) && seed == 12);
    static const char *const others[] = {"triton",        "triton-ptx:", "triton-ptx:x",
                                         "triton-ptx:1x", "triton-ptx1", "cpu"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_assert_not(tg_crosscheck_is_triton_ptx(others[i], &seed), "%s", others[i]);
}

/* ---- the launch ---- */

/* Arguments of any number; the four parameters are x, y, n and s. */
#define LAUNCH(more, arguments)                                                                    \
    "{\"file\": \"k.ptx\", \"threads\": 8, " more "\"arguments\": [" arguments "]}"
#define X "{\"memory\": \"before\"}, "
#define Y "{\"memory\": \"y\"}, "
#define N "{\"number\": \"n\"}, "

/* Two arguments of one memory: what is written through one is seen through the other. */
Test(case_ptx, an_input_given_twice)
{
    static const char text[] = HEAD
        "ld.param.u64 %rd6, [s]; add.u64 %rd6, %rd6, %rd3; ld.global.f32 %f3, [%rd6];\n"
        "st.global.f32 [%rd5], %f1; ld.global.f32 %f4, [%rd4]; fma.rn.f32 %f4, %f2, %f4, %f3;\n"
        "st.global.f32 [%rd4], %f4; ret;\n}\n";
    check(LAUNCH("", X X N "{\"memory\": \"y\"}"), text, "", TG_CROSS_EQUAL, NULL);
}

/* No scratch memory at all is a pointer to none. */
Test(case_ptx, no_zeros_are_no_memory)
{
    static const char text[] =
        HEAD "ld.param.u64 %rd6, [s]; cvt.rn.f32.u64 %f4, %rd6; add.rn.f32 %f3, %f3, %f4;\n"
             "fma.rn.f32 %f4, %f2, %f1, %f3; st.global.f32 [%rd4], %f4; ret;\n}\n";
    check(LAUNCH("", X Y N "{\"zeros\": 0}"), text, "", TG_CROSS_EQUAL, NULL);
}

#define SHARED                                                                                     \
    ".version 7.8\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 room[];\n"       \
    ".visible .entry f(.param .u64 x, .param .u64 y, .param .f32 n, .param .u64 s)\n{\n"           \
    ".reg .f32 %f<5>; .reg .u32 %r<5>; .reg .u64 %rd<7>; .reg .pred %p;\n"                         \
    "ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [n];\n"                     \
    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; mov.u32 %r2, room;\n"                         \
    "add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3; ld.global.f32 %f2, [%rd4];\n"
#define DOUBLED                                                                                    \
    "ld.global.f32 %f3, [%rd5]; fma.rn.f32 %f4, %f2, %f1, %f3; st.global.f32 [%rd4], %f4; "        \
    "ret;\n}\n"

Test(case_ptx, shared_memory)
{
    static const char own[] =
        SHARED "shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3;\n"
               "st.shared.f32 [%r2], %f2; ld.shared.f32 %f2, [%r2];\n" DOUBLED;
    check(LAUNCH("\"shared_bytes\": 32, ", X Y N "{\"zeros\": 0}"), own, "", TG_CROSS_EQUAL, NULL);
    check(LAUNCH("\"shared_bytes\": 28, ", X Y N "{\"zeros\": 0}"), own, "", TG_CROSS_DIFFERENT,
          "out-of-bounds: ");
}

/* Threads that store the same number in the same place do not race, as Triton's do. */
Test(case_ptx, threads_that_store_the_same)
{
    check(LAUNCH("\"shared_bytes\": 4, ", X Y N "{\"zeros\": 0}"),
          SHARED "st.shared.f32 [%r2], %f1; bar.sync 0; ld.shared.f32 %f1, [%r2];\n" DOUBLED, "",
          TG_CROSS_EQUAL, NULL);
}

/* A register that nobody has written has some number, on which nothing may depend. */
Test(case_ptx, registers_that_nobody_wrote)
{
    check(LAUNCH("", X Y N "{\"zeros\": 0}"),
          SHARED
          "setp.eq.u32 %p, %r4, %r4; selp.f32 %f3, %f2, %f3, %p; mov.f32 %f2, %f3;\n" DOUBLED,
          "", TG_CROSS_EQUAL, NULL);
}

/* Memory that differs is told, though memory behind it is within what the case allows. */
Test(case_ptx, the_worst_memory_is_told)
{
    static const char text[] =
        HEAD "st.global.f32 [%rd4], %f1; add.rn.f32 %f3, %f3, 0f3D800000; st.global.f32 [%rd5], "
             "%f3; ret;\n}\n";
    check(PTX, text, ", \"expect\": {\"compare\": {\"atol\": 0.25}}", TG_CROSS_DIFFERENT,
          "memory o: ");
}

/* ---- the grid ---- */

/* Each program stores its number, 100 z + 10 y + x, and its second CTA, where it has one, the same. */
static void write_grid(void)
{
    char *json = json_of(
        "grid d d d\ninput before i32[2,3,4]\noutput o i32[2,3,4] alias=before\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=1; %12:i32[] = program_id "
        "axis=2\n"
        "%13:i32[] = constant value=10; %14:i32[] = mul %10 %13; %15:i32[] = add %14 %11\n"
        "%16:i32[] = mul %15 %13; %17:i32[] = add %16 %12; store %2 %17 %10 %11 %12 [@,@,@]\n");
    write_text("kernel.json", json);
    free(json);
}

static void check_grid(const char *grid, const char *more, const char *text)
{
    static const char *const backends[] = {"cpu", "triton-ptx"};
    const tg_crosscheck_options options = {
        .size = sizeof options, .backends = backends, .backend_count = 2};
    char json[512];
    tg_crosscheck *found;
    tg_case *c;
    snprintf(json, sizeof json,
             "{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\", \"dynamic_grid\": %s, \"ptx\": "
             "{\"file\": \"k.ptx\", \"threads\": 1%s, \"arguments\": [{\"memory\": \"before\"}]}, "
             "\"inputs\": {\"before\": {\"type\": \"i32[2,3,4]\", \"fill\": \"iota\"}}}",
             grid, more);
    write_grid();
    write_text("case.json", json);
    write_text("k.ptx", text);
    cr_assert_eq(tg_case_open(folder, &c, NULL), TG_OK);
    cr_assert_eq(tg_crosscheck_new(c, &options, &found, NULL), TG_OK);
    const tg_cross_result result = tg_crosscheck_get(found, 0);
    cr_assert_eq(result.verdict, TG_CROSS_EQUAL, "%s: %s", grid, result.message);
    tg_crosscheck_free(found);
    tg_case_close(c);
}

#define GRID(version, target, more, x)                                                             \
    ".version " version "\n.target " target "\n.address_size 64\n"                                 \
    ".visible .entry f(.param .u64 o)" more "\n{\n.reg .u32 %r<7>; .reg .u64 %rd<3>;\n"            \
    ".reg .pred %p;\n"                                                                             \
    "ld.param.u64 %rd1, [o]; mov.u32 %r1, %ctaid.z; mov.u32 %r2, %ctaid.y; mov.u32 %r3, " x ";\n"  \
    "mad.lo.u32 %r4, %r1, 10, %r2; mad.lo.u32 %r4, %r4, 10, %r3;\n"                                \
    "mad.lo.u32 %r5, %r1, 3, %r2; mad.lo.u32 %r5, %r5, 4, %r3;\n"                                  \
    "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd1, %rd1, %rd2;\n"

static const char grid_text[] = GRID("7.8", "sm_80", "", "%ctaid.x") "st.global.u32 [%rd1], "
                                                                     "%r4; ret;\n}\n";

Test(case_ptx, axes_of_the_grid) { check_grid("[2, 3, 4]", "", grid_text); }

/* Nothing is launched, and nothing changes. */
Test(case_ptx, grids_without_programs) { check_grid("[2, 0, 4]", "", grid_text); }

/* Of two CTAs of a program the second one stores. */
Test(case_ptx, programs_of_several_ctas)
{
    check_grid("[2, 3, 4]", ", \"ctas\": 2",
               GRID("7.8", "sm_90", "\n.explicitcluster\n.reqnctapercluster 2, 1, 1",
                    "%clusterid.x") "mov.u32 %r6, %cluster_ctarank; setp.eq.u32 %p, %r6, 1;\n@%p "
                                    "st.global.u32 [%rd1], "
                                    "%r4; ret;\n}\n");
}

/* ---- rejections ---- */

typedef struct reject {
    const char *ptx, *where;
    tg_status status;
} reject;

static const reject rejects[] = {
    {"3", "/ptx", TG_ERR_INVALID},
    {"{\"arguments\": []}", "/ptx", TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\"}", "/ptx", TG_ERR_INVALID},
    {"{\"file\": \"../k.ptx\", \"arguments\": []}", "/ptx/file", TG_ERR_INVALID},
    {"{\"file\": \"absent.ptx\", \"arguments\": []}", "/ptx/file", TG_ERR_IO},
    {"{\"file\": \"k.ptx\", \"arguments\": [], \"warps\": 4}", "/ptx/warps", TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [], \"threads\": 2048}", "/ptx/threads", TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [], \"ctas\": 0}", "/ptx/ctas", TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [], \"shared_bytes\": -1}", "/ptx/shared_bytes",
     TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [], \"shared_bytes\": 262145}", "/ptx/shared_bytes",
     TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": {}}", "/ptx/arguments", TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [1]}", "/ptx/arguments/0", TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [{}]}", "/ptx/arguments/0", TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [{\"memory\": \"o\"}]}", "/ptx/arguments/0/memory",
     TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [{\"memory\": 1}]}", "/ptx/arguments/0/memory",
     TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [{\"memory\": \"y\", \"offset\": 33}]}",
     "/ptx/arguments/0/offset", TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [{\"memory\": \"y\", \"zeros\": 3}]}",
     "/ptx/arguments/0/zeros", TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [{\"number\": \"y\"}]}", "/ptx/arguments/0/number",
     TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [{\"number\": \"n\", \"offset\": 1}]}",
     "/ptx/arguments/0/offset", TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [{\"zeros\": -1}]}", "/ptx/arguments/0/zeros",
     TG_ERR_INVALID},
    {"{\"file\": \"k.ptx\", \"arguments\": [{\"zeros\": 1, \"offset\": 1}]}",
     "/ptx/arguments/0/offset", TG_ERR_INVALID},
};

static void check_rejected(const reject *one)
{
    tg_case *c;
    tg_errors *errors = tg_errors_new();
    const tg_status status = tg_case_open(folder, &c, errors);
    cr_assert_eq(status, one->status, "%s: %s", one->ptx, tg_status_name(status));
    bool is_there = false;
    for (size_t i = 0; i < tg_errors_count(errors); i++) {
        const char *where = tg_errors_get(errors, i).where;
        is_there |= where && strcmp(where, one->where) == 0;
    }
    cr_assert(is_there, "%s", one->ptx);
    tg_errors_free(errors);
}

Test(case_ptx, rejections)
{
    for (size_t i = 0; i < sizeof rejects / sizeof *rejects; i++) {
        write_case(rejects[i].ptx, "");
        check_rejected(&rejects[i]);
    }
}

Test(case_ptx, a_kernel_with_another_grid)
{
    char *json = json_of("grid d 1\noutput o f32[8]\nbody\n");
    write_text("kernel.json", json);
    write_text("case.json",
               "{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\", \"dynamic_grid\": [1], "
               "\"inputs\": {}, \"ptx\": {\"file\": \"k.ptx\", \"arguments\": []}}");
    check_rejected(&(reject){"another grid", "/ptx", TG_ERR_INVALID});
    free(json);
}

Test(case_ptx, a_kernel_whose_grid_is_not_dynamic)
{
    char *json = json_of("grid 1 1 1\noutput o f32[8]\nbody\n");
    write_text("kernel.json", json);
    write_text("case.json", "{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\", \"inputs\": {}, "
                            "\"ptx\": {\"file\": \"k.ptx\", \"arguments\": []}}");
    check_rejected(&(reject){"a static grid", "/ptx", TG_ERR_INVALID});
    free(json);
}
