/* Check "memory-cost": the checked values of conflicts of banks and of coalescing, by kernels whose accesses have these
 * addresses; the same in every order. */
#include "check_text.h"

static const float zeros[4096];

/* "OP PARAM COST/LEAST, NARROWEST..WIDEST B[, USED]", the bytes used of global memory. */
static void site_line(const tg_memory_access_cost *c, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%s %s %d/%d, %d", c->op, c->param, (int)c->cost,
                                   (int)c->least, c->narrowest_bytes);
    if (c->widest_bytes != c->narrowest_bytes)
        used += (size_t)snprintf(out + used, size - used, "..%d", c->widest_bytes);
    used += (size_t)snprintf(out + used, size - used, " B");
    if (strcmp(c->space, "global") == 0)
        snprintf(out + used, size - used, ", %d used", (int)c->used_bytes);
}

static void expect_sites(const tg_report *report, const char *const *wanted, const char *what)
{
    size_t count = 0;
    for (; wanted[count]; count++) {
        char line[200] = "nothing";
        if (count < tg_report_memory_cost_count(report)) {
            const tg_memory_access_cost c = tg_report_memory_cost(report, count);
            site_line(&c, line, sizeof line);
        }
        cr_assert_str_eq(line, wanted[count], "%s: %s\ninstead of %s", what, line, wanted[count]);
    }
    cr_assert_eq(tg_report_memory_cost_count(report), count, "%s: %zu sites", what,
                 tg_report_memory_cost_count(report));
}

/* Runs a kernel in every order.  Findings are those of sites that cost more than the least. */
static void costs(const char *text, int warps, const char *const *wanted)
{
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {.size = sizeof options,
                                        .order = every_order[o],
                                        .checks = "memory-cost",
                                        .warps = warps};
        arrays all = make_arrays(module, NAMED({"x", zeros}, {"y", zeros}));
        tg_report *report = run_once(module, &all, &options);
        expect_sites(report, wanted, text);
        size_t costly = 0;
        for (size_t i = 0; i < tg_report_memory_cost_count(report); i++) {
            const tg_memory_access_cost c = tg_report_memory_cost(report, i);
            costly += c.cost > c.least;
        }
        cr_assert_eq(count_findings(report, "memory-cost"), costly, "%s", text);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* ---- shared memory ---- */

#define OUTPUT "output o f32[1]\n"
#define DONE "%99:f32[1] = constant value=0; store %1 %99 [0:1]\n"
#define STORED "store o 1/1, 4 B, 4 used"

Test(memory_cost, strides)
{
    static const int strides[] = {1, 2, 4, 8, 16, 32, 33, 3},
                     wavefronts[] = {1, 2, 4, 8, 16, 32, 1, 1};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        char text[300], line[60];
        snprintf(text, sizeof text, "%s [0:32:%d]\n%s",
                 OUTPUT "scratch s f32[1056]\nbody\n%10:f32[32] = load %2", strides[i], DONE);
        snprintf(line, sizeof line, "load s %d/1, 4 B", wavefronts[i]);
        costs(text, 1, LINES(line, STORED));
    }
}

/* Lanes that read one word share it. */
Test(memory_cost, one_word)
{
#define GATHER(index)                                                                              \
    OUTPUT "scratch s f32[64]\nbody\n%10:i32[32] = iota axis=0; %11:i32[32] = constant value=1; "  \
           "%12:i32[32] = " index "; %13:f32[32] = load %2 %12 [@]\n" DONE
    costs(GATHER("constant value=5"), 1, LINES("load s 1/1, 4 B", STORED));
    costs(GATHER("shift_right_logical %10 %11"), 1, LINES("load s 1/1, 4 B", STORED));
    costs(GATHER("add %10 %10"), 1, LINES("load s 2/1, 4 B", STORED));
}

/* The columns of a square: with a pitch of 32, with one of 33, and with columns that a swizzle permutes. */
Test(memory_cost, columns_of_a_square)
{
#define COLUMN(pitch, load) OUTPUT "scratch s f32[32," pitch "]\nbody\n" load "\n" DONE
#define SWIZZLED                                                                                   \
    "%10:i32[32] = iota axis=0; %11:i32[32] = constant value=7; %12:i32[32] = xor %10 %11; "       \
    "%13:f32[32] = load %2 %10 %12 [@,@]"
    costs(COLUMN("32", "%10:f32[32,1] = load %2 [0:32,7:1]"), 1, LINES("load s 32/1, 4 B", STORED));
    costs(COLUMN("33", "%10:f32[32,1] = load %2 [0:32,7:1]"), 1, LINES("load s 1/1, 4 B", STORED));
    costs(COLUMN("32", SWIZZLED), 1, LINES("load s 1/1, 4 B", STORED));
}

/* A transpose of 16 rows: rows are stored, pairs of columns are read. */
Test(memory_cost, pairs_of_columns)
{
#define TRANSPOSE(column)                                                                          \
    "input x f32[16,32]\n" OUTPUT "scratch s f32[16,32]\nbody\n"                                   \
    "%10:i32[16,1] = iota axis=0; %11:i32[1,2] = iota axis=1\n"                                    \
    "%12:i32[16,2] = broadcast_in_dim %10 dims=[0,1]; %13:i32[16,2] = broadcast_in_dim %11 "       \
    "dims=[0,1]\n"                                                                                 \
    "%14:i32[16,2] = add %12 %12; %15:i32[16,2] = " column "\n"                                    \
    "%16:f32[16,2] = load %3 %12 %15 [@,@]\n"                                                      \
    "%17:f32[1,32] = load %1 [3:1,0:32]; store %3 %17 [3:1,0:32]\n"                                \
    "%99:f32[1] = constant value=0; store %2 %99 [0:1]\n"
    static const char *const columns[] = {TRANSPOSE("add %13 %13"), TRANSPOSE("xor %13 %12"),
                                          TRANSPOSE("xor %13 %14")};
    static const char *const loads[] = {"load s 16/1, 4 B", "load s 2/1, 4 B", "load s 1/1, 4 B"};
    for (int i = 0; i < 3; i++)
        costs(columns[i], 1,
              LINES(loads[i], "load x 4/4, 4 B, 128 used", "store s 1/1, 4 B", STORED));
}

Test(memory_cost, halves)
{
#define HALVES(load)                                                                               \
    OUTPUT "scratch s f16[8,64]\nbody\n%10:i32[8] = iota axis=0; %11:i32[8] = constant value=8; "  \
           "%12:i32[8] = mul %10 %11\n" load "\n" DONE
    costs(HALVES("%13:f16[8,1] = load %2 [0:8,0:1]"), 1, LINES("load s 8/1, 2 B", STORED));
    costs(HALVES("%13:f16[8] = load %2 %10 %12 [@,@]"), 1, LINES("load s 1/1, 2 B", STORED));
}

/* Scale factors, transposed: each lane stores one of a column of four, without and with a swizzle. */
Test(memory_cost, scale_factors)
{
#define SCALES(column)                                                                             \
    OUTPUT "scratch s f32[32,4]\nbody\n%10:i32[32] = iota axis=0; %11:i32[32] = constant "         \
           "value=3; %12:i32[32] = shift_right_logical %10 %11; %13:i32[32] = and %12 %11\n"       \
           "%14:i32[32] = constant value=1; %15:i32[32] = xor %13 %14; %16:f32[32] = constant "    \
           "value=0; store %2 %16 %10 " column " [@,@]\n" DONE
    costs(SCALES("%14"), 1, LINES("store s 4/1, 4 B", STORED));
    costs(SCALES("%15"), 1, LINES("store s 1/1, 4 B", STORED));
}

/* Vectors take a phase for each 4 bytes of a lane. */
Test(memory_cost, phases)
{
    costs(OUTPUT "scratch s f32[128]\nbody\n%10:f32[128] = load %2 [0:128]\n" DONE, 1,
          LINES("load s 4/4, 16 B", STORED));
    costs(OUTPUT "scratch s f32[64]\nbody\n%10:f32[64] = load %2 [0:64]\n" DONE, 1,
          LINES("load s 2/2, 8 B", STORED));
    /* Rows of 16 bytes, 128 bytes apart: the 8 lanes of a phase have one bank. */
    costs(OUTPUT "scratch s f32[32,32]\nbody\n%10:f32[32,4] = load %2 [0:32,0:4]\n" DONE, 1,
          LINES("load s 32/4, 16 B", STORED));
}

/* ---- global memory ---- */

#define READS(dtype, extent, load)                                                                 \
    "input x " dtype "[" extent "]\n" OUTPUT "body\n" load "\n"                                    \
    "%99:f32[1] = constant value=0; store %2 %99 [0:1]\n"

Test(memory_cost, sectors)
{
    costs(READS("f32", "128", "%10:f32[32] = load %1 [0:32]"), 1,
          LINES("load x 4/4, 4 B, 128 used", STORED));
    costs(READS("f32", "128", "%10:f32[32] = load %1 [1:32]"), 1,
          LINES("load x 5/4, 4 B, 128 used", STORED));
    costs(READS("f32", "128", "%10:f32[32] = load %1 [0:32:2]"), 1,
          LINES("load x 8/4, 4 B, 128 used", STORED));
    costs(READS("f32", "1024", "%10:f32[32] = load %1 [0:32:32]"), 1,
          LINES("load x 32/4, 4 B, 128 used", STORED));
    costs(READS("f16", "128", "%10:f16[32] = load %1 [0:32]"), 1,
          LINES("load x 2/2, 2 B, 64 used", STORED));
    costs(READS("f32", "128", "%10:f32[128] = load %1 [0:128]"), 1,
          LINES("load x 16/16, 16 B, 512 used", STORED));
}

/* ---- the standard distribution ---- */

/* A vector is as wide as the number of elements, the addresses and the last element let it be. */
Test(memory_cost, widths)
{
    static const struct {
        int warps;
        const char *load, *line;
    } all[] = {{0, "%10:f32[128] = load %1 [0:128]", "load x 16/16, 4 B, 512 used"},
               {0, "%10:f32[512] = load %1 [0:512]", "load x 64/64, 16 B, 2048 used"},
               {1, "%10:f32[96] = load %1 [0:96]", "load x 12/12, 8 B, 384 used"},
               {1, "%10:f32[512] = load %1 [2:512]", "load x 72/64, 8 B, 2048 used"},
               {1, "%10:f32[512] = load %1 [1:512]", "load x 80/64, 4 B, 2048 used"},
               {1, "%10:f32[255] = load %1 [0:255]", "load x 32/32, 4 B, 1020 used"},
               {32, "%10:f32[512] = load %1 [0:512]", "load x 64/64, 4 B, 2048 used"},
               {1, "%10:f32[0] = load %1 [0:0]", NULL}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "input x f32[1024]\n" OUTPUT "body\n%s\n%%99:f32[1] = constant value=0; store %%2 "
                 "%%99 [0:1]\n",
                 all[i].load);
        costs(text, all[i].warps, all[i].line ? LINES(all[i].line, STORED) : LINES(STORED));
    }
}

/* ---- views, masks, edges, index arrays, atomics ---- */

Test(memory_cost, views)
{
    /* A transposed ref, and one that is reshaped first. */
    costs(OUTPUT "scratch s f32[32,32]\nbody\n%10:ref<f32[32,32]> = view_transpose %2 "
                 "permutation=[1,0]; %11:f32[1,32] = load %10 [2:1,0:32]\n" DONE,
          1, LINES("load s 32/1, 4 B", STORED));
    costs(OUTPUT "scratch s f32[1024]\nbody\n%10:ref<f32[64,16]> = view_reshape %2; "
                 "%11:f32[32,1] = load %10 [0:32,0:1]\n" DONE,
          1, LINES("load s 16/1, 4 B", STORED));
    /* A part of rows, which stays in them; and rows whose parts no strides describe. */
    costs("input x f32[64,64]\n" OUTPUT
          "body\n%10:ref<f32[32,16]> = view %1 [3:32,8:16]; %11:f32[32,1] = load %10 [0:32,1:1]\n"
          "%99:f32[1] = constant value=0; store %2 %99 [0:1]\n",
          1, LINES("load x 32/4, 4 B, 128 used", STORED));
    costs("input x f32[64,64]\n" OUTPUT
          "body\n%10:ref<f32[4,8]> = view %1 [0:4,0:8]; %12:ref<f32[32]> = view_reshape %10; "
          "%11:f32[32] = load %12 [0:32]\n%99:f32[1] = constant value=0; store %2 %99 [0:1]\n",
          1, LINES("load x 4/4, 4 B, 128 used", STORED));
    /* Words whose bytes are in four rows: four instructions of a byte a lane. */
    costs(OUTPUT "scratch s i8[4,128]\nbody\n%10:ref<i32[1,128]> = view_bitcast %2; %11:i32[1,32] "
                 "= load %10 [0:1,0:32]\n" DONE,
          1, LINES("load s 4/4, 1 B", STORED));
}

Test(memory_cost, masks)
{
    /* Half of the lanes, every other lane; vectors that the mask cuts in two. */
#define MASKED(mask)                                                                               \
    "input x f32[1024]\n" OUTPUT "body\n%10:i32[256] = iota axis=0; %11:i32[256] = constant "      \
    "value=128; %12:i32[256] = constant value=1; %13:i32[256] = constant value=130\n"              \
    "%14:bool[256] = " mask "; %15:f32[256] = load %1 %14 [0:256] mask=true\n"                     \
    "%99:f32[1] = constant value=0; store %2 %99 [0:1]\n"
    costs(MASKED("lt %10 %11"), 1, LINES("load x 16/16, 16 B, 512 used", STORED));
    costs(MASKED("lt %10 %13"), 1, LINES("load x 17/17, 8 B, 520 used", STORED));
    costs(MASKED("lt %10 %12"), 1, LINES("load x 1/1, 4 B, 4 used", STORED));
    costs(MASKED("ge %10 %10"), 1, LINES("load x 32/32, 16 B, 1024 used", STORED));
    costs(MASKED("lt %10 %10"), 1, LINES(STORED)); /* nothing is accessed */
}

/* The last block has 44 of 64 elements; programs begin in the middle of sectors. */
Test(memory_cost, edges)
{
    costs("grid 4\ninput x f32[236] block b64 at i\noutput o f32[236] block b64 at i\nbody\n"
          "%10:f32[64] = load %1 [0:64]; store %2 %10 [0:64]\n",
          1, LINES("load x 30/30, 8 B, 944 used", "store o 30/30, 8 B, 944 used"));
    costs("grid 4\ninput x f32[132] block b33 at i\noutput o f32[132] block b33 at i\nbody\n"
          "%10:f32[33] = load %1 [0:33]; store %2 %10 [0:33]\n",
          1, LINES("load x 23/20, 4 B, 528 used", "store o 23/20, 4 B, 528 used"));
}

/* Different programs have different widths. */
Test(memory_cost, programs)
{
    costs("grid 4\ninput x f32[1024]\noutput o f32[4] block s at i\nbody\n%10:i32[] = program_id "
          "axis=0; %11:f32[128] = load %1 %10 [*:128]; %12:f32[] = reduce_sum %11 axes=[0]; store "
          "%2 %12 []\n",
          1, LINES("load x 74/64, 4..16 B, 2048 used", "store o 4/4, 4 B, 16 used"));
}

Test(memory_cost, atomics_and_swaps)
{
    costs(
        "output o f32[1024]\nbody\n%10:f32[32] = constant value=0; store %1 %10 [0:32]; add_update "
        "%1 %10 [0:32:4]; %11:f32[32] = swap %1 %10 [0:32:2]\n",
        1,
        LINES("store o 4/4, 4 B, 128 used", "add_update o 16/4, 4 B, 128 used",
              "swap o 8/4, 4 B, 128 used"));
}

/* ---- which memory ---- */

Test(memory_cost, spaces)
{
    costs(
        "input x f32[64] space=smem\ninput y f32[64] space=gmem\n" OUTPUT
        "scratch s f32[64] space=tmem\nscratch t f32[64] space=gmem\nbody\n%10:f32[32] = load %1 "
        "[0:32:2]; %11:f32[32] = load %2 [0:32:2]; %12:f32[32] = load %4 [0:32:2]; %13:f32[32] = "
        "load %5 [0:32:2]\n%99:f32[1] = constant value=0; store %3 %99 [0:1]\n",
        1,
        LINES("load x 2/1, 4 B", "load y 8/4, 4 B, 128 used", "load t 8/4, 4 B, 128 used", STORED));
    costs(OUTPUT "body\n%10:ref<f32[64]> = alloc; %11:f32[32] = load %10 [0:32:2]\n" DONE, 1,
          LINES("load  2/1, 4 B", STORED));
}

/* As JAX does it, a slice is moved inside; else what lies outside is not touched. */
Test(memory_cost, slices_that_reach_outside)
{
    static const char text[] =
        "input x f32[64]\n" OUTPUT "body\n%10:i32[] = constant value=61; %11:f32[32] = load %1 %10 "
        "[*:32]\n%99:f32[1] = constant value=0; store %2 %99 [0:1]\n";
    static const char *const lines[] = {"load x 1/1, 4 B, 12 used", "load x 4/4, 4 B, 128 used"};
    tg_module *module = load_kernel(text);
    for (int i = 0; i < 2; i++) {
        const tg_run_options options = {
            .size = sizeof options, .compat = i ? "jax" : NULL, .checks = "memory-cost"};
        arrays all = make_arrays(module, NAMED({"x", zeros}));
        tg_report *report = run_once(module, &all, &options);
        expect_sites(report, LINES(lines[i], STORED), text);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* ---- what is told ---- */

Test(memory_cost, lines_are_summed_up)
{
    check_lines(
        "grid 3\noutput o f32[3] block s at i\nscratch s f32[32,32]\nbody\n"
        "%10:f32[32,1] = load %2 [0:32,7:1] loc=4; %11:f32[32,1] = load %2 [0:32,8:1] loc=4\n"
        "%12:f32[1,32] = load %2 [8:1,0:32] loc=5; store %2 %12 [9:1,0:32] loc=6\n"
        "%13:f32[] = reduce_sum %12 axes=[0,1]; store %1 %13 [] loc=7\n",
        NAMED({NULL, NULL}), &(const tg_run_options){.checks = "memory-cost", .warps = 2},
        LINES(
            "advice memory-cost load 4 (0) s[7..39]: load of s takes 32 wavefronts of shared "
            "memory "
            "where 1 would do (32.0x): lanes 0 and 1 are 128 bytes apart, in the same bank; in all "
            "192 where 6 would do (32.0x); vectors of 4 bytes a lane; assumed: elements go over "
            "the "
            "lanes of 2 warps in turn"));
}

Test(memory_cost, worst_program)
{
    check_lines(
        "grid 4\ninput x f32[1024]\noutput o f32[4] block s at i\nbody\n%10:i32[] = program_id "
        "axis=0; %11:f32[32] = load %1 %10 [*:32] loc=3; %12:f32[] = reduce_sum %11 axes=[0]; "
        "store "
        "%2 %12 []\n",
        NAMED({"x", zeros}), &(const tg_run_options){.checks = "memory-cost", .warps = 1},
        LINES("advice memory-cost load 3 (1) x[1..1]: load of x takes 5 sectors of global memory "
              "where "
              "4 would do (1.3x): it begins at byte 4 of a sector; in all 19 where 16 would do "
              "(1.2x); "
              "84.2 % of the bytes of its sectors are used; vectors of 4 bytes a lane; assumed: "
              "elements "
              "go over the lanes of 1 warp in turn"));
}

/* What is known of one program's access is told of another's with that one's addresses, in whatever order they come. */
Test(memory_cost, like_accesses_of_programs)
{
    check_lines(
        "grid 4\ninput x f32[1024]\noutput o f32[4] block s at i\nbody\n%10:i32[] = program_id "
        "axis=0; %11:i32[] = constant value=32; %12:i32[] = mul %10 %11; %13:i32[] = constant "
        "value=1; %14:i32[] = add %12 %13; %15:f32[32] = load %1 %14 [*:32] loc=3; "
        "%16:f32[] = reduce_sum %15 axes=[0]; store %2 %16 []\n",
        NAMED({"x", zeros}), &(const tg_run_options){.checks = "memory-cost", .warps = 1},
        LINES("advice memory-cost load 3 (0) x[1..1]: load of x takes 5 sectors of global memory "
              "where 4 would do (1.3x): it begins at byte 4 of a sector; in all 20 where 16 would "
              "do (1.3x); 80.0 % of the bytes of its sectors are used; vectors of 4 bytes a lane; "
              "assumed: elements go over the lanes of 1 warp in turn"));
}

static const char conflict[] =
    OUTPUT "scratch s f32[32,32]\nbody\n%10:f32[1,32] = constant value=0; store %2 %10 [3:1,0:32]; "
           "%11:f32[32,1] = load %2 [0:32,7:1] loc=4\n" DONE;

/* A swizzle serves all accesses to a memory. */
Test(memory_cost, swizzles)
{
    tg_module *module = load_kernel(conflict);
    const tg_run_options options = {.size = sizeof options, .checks = "memory-cost", .warps = 1};
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 1);
    cr_assert_str_eq(tg_report_finding(report, 0).advice,
                     "a swizzle of s that would fix it: Sw<5,0,5> of its elements, Sw<5,2,5>@byte; "
                     "the accesses to it, one of each line, take 2 wavefronts then, not 33");
    const tg_memory_access_cost c = tg_report_memory_cost(report, 1);
    cr_assert_eq(c.swizzle_bytes.bits, 5);
    cr_assert_eq(c.swizzle_bytes.base, 2);
    cr_assert_eq(c.swizzle_elements.base, 0);
    cr_assert_eq(c.swizzle_after, 2);
    cr_assert_eq(tg_report_memory_cost(report, 0).swizzle_bytes.bits, 0);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* And none to another memory. */
Test(memory_cost, a_swizzle_for_each_memory)
{
    tg_module *module = load_kernel(
        OUTPUT "scratch s f32[32,32]\nscratch t f32[32,32]\nbody\n"
               "%10:f32[32,1] = load %2 [0:32,7:1] loc=4; %11:f32[32,1] = load %3 [0:32,7:1] "
               "loc=5\n" DONE);
    const tg_run_options options = {.size = sizeof options, .checks = "memory-cost", .warps = 1};
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 2);
    for (size_t i = 0; i < 2; i++)
        cr_expect(strstr(tg_report_finding(report, i).advice, "take 1 wavefronts then, not 32"),
                  "%s", tg_report_finding(report, i).advice);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* ---- when ---- */

static size_t told(const char *checks, const char *target)
{
    tg_module *module = load_kernel(conflict);
    const tg_run_options options = {.size = sizeof options, .checks = checks, .target = target};
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    tg_report *report = run_once(module, &all, &options);
    const size_t count = count_findings(report, "memory-cost");
    cr_expect_eq(tg_report_memory_cost_count(report), count ? 3 : 0);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
    return count;
}

Test(memory_cost, asked_for)
{
    cr_expect_eq(told(NULL, NULL), 0);
    cr_expect_eq(told("all", NULL), 0);
    cr_expect_eq(told("memory-cost", NULL), 1);
    cr_expect_eq(told("all,memory-cost", NULL), 1);
    cr_expect_eq(told("memory-cost", "tpu"), 0, "a TPU has no warps");
}

Test(memory_cost, of_a_check)
{
    tg_module *module = load_kernel(conflict);
    for (int i = 0; i < 2; i++) {
        const tg_run_options options = {.size = sizeof options,
                                        .checks = i ? "all,memory-cost" : NULL};
        arrays all = make_arrays(module, NAMED({NULL, NULL}));
        tg_report *report;
        cr_assert_eq(tg_check(module, NULL, all.list, all.count, &options, NULL, &report, NULL),
                     TG_OK);
        cr_expect_eq(count_findings(report, "memory-cost"), (size_t)i);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

Test(memory_cost, warps_out_of_range)
{
    tg_module *module = load_kernel(conflict);
    for (int i = 0; i < 2; i++) {
        const tg_run_options options = {.size = sizeof options, .warps = i ? 33 : -1};
        arrays all = make_arrays(module, NAMED({NULL, NULL}));
        tg_errors *errors = tg_errors_new();
        tg_report *report;
        cr_assert_eq(tg_run(module, NULL, all.list, all.count, &options, &report, errors),
                     TG_ERR_USAGE);
        cr_expect_str_eq(tg_errors_get(errors, 0).message,
                         i ? "warps is 33; it is 1 to 32, or 0 for 4"
                           : "warps is -1; it is 1 to 32, or 0 for 4");
        tg_errors_free(errors);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* Findings that say what is wrong come first, so that a limit does not hide them. */
Test(memory_cost, advice_comes_last)
{
    tg_module *module = load_kernel(
        "grid 2\noutput o f32[64]\nbody\n%10:f32[16] = constant value=0; store %1 %10 [0:16:2]\n");
    const tg_run_options options = {
        .size = sizeof options, .checks = "all,memory-cost", .max_findings = 2};
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 2);
    cr_expect_eq(count_findings(report, "memory-cost"), 0);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}
