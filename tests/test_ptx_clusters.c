/* Programs whose threads are those of a cluster's blocks, as clusters of CTAs: they give the bits of the
 * interpreter, and what races traps in the emulator. */
#include "run_seeds.h"

/* %10 the chain, %11 the block, %12 the other one of two, %13 1, %14 0. */
#define IDS                                                                                        \
    "%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=1; %13:i32[] = constant value=1\n" \
    "%14:i32[] = constant value=0; %12:i32[] = sub %13 %11\n"
/* Each block arrives at the barriers %3 of both, and waits for its own. */
#define BARRIERS "%90:ref<barrier[]> = view %3 %11 [@]; %91:ref<barrier[]> = view %3 %12 [@]\n"
#define ARRIVE "barrier_arrive %90 loc=2; barrier_arrive %91 at_once=true loc=2\n"
#define MEET ARRIVE "barrier_wait %90 loc=3\n"
/* Each puts its numbers into its own memory, and takes those of the other one. */
#define EXCHANGE(between, after)                                                                   \
    "grid 3p 2t\noutput o i32[3,2,40]\nscratch s i32[2,40] cluster=1\n"                            \
    "scratch b barrier[2] arrivals=2 cluster=1\nbody\n" IDS BARRIERS                               \
    "%20:i32[40] = iota axis=0; %21:i32[] = add %10 %10; %22:i32[] = add %21 %11\n"                \
    "%23:i32[40] = broadcast_in_dim %22 dims=[]; %24:i32[40] = mul %20 %23\n"                      \
    "store %2 %24 %11 [@,0:40] loc=1\n" between "%30:i32[40] = load %2 %12 [@,0:40] loc=4\n"       \
    "store %1 %30 %10 %11 [@,@,0:40] loc=5\n" after

static int32_t exchanged[3][2][40];

static void set_exchanged(void)
{
    for (int i = 0; i < 3 * 2 * 40; i++)
        exchanged[i / 80][i / 40 % 2][i % 40] = (2 * (i / 80) + 1 - i / 40 % 2) * (i % 40);
}

Test(ptx_clusters, blocks_exchange)
{
    const char *const kernel = EXCHANGE(MEET, MEET);
    set_exchanged();
    cr_expect_eq(count_in_text(kernel, ".reqnctapercluster 2, 1, 1"), 1);
    cr_expect_eq(count_in_text(kernel, "mbarrier.arrive.release.cluster.shared::cluster"), 4);
    cr_expect_gt(count_in_text(kernel, "mapa.shared::cluster"), 0);
    check_equal(kernel, NAMED({"o", exchanged}));
}

Test(ptx_clusters, without_order_they_race)
{
    check_fails(EXCHANGE("", MEET), NAMED({0}), TG_ERR_INTERNAL, "shared-race");
    /* who has ended is waited for at the end of a chain, as clusters run one after the other */
    set_exchanged();
    tg_module *module = load_kernel(EXCHANGE(MEET, ""));
    arrays all = make_arrays(module, NAMED({"o", exchanged}));
    char message[512];
    cr_expect_eq(run_seed(module, &all, 1, message, sizeof message), TG_OK, "%s", message);
    compare_arrays(&all, "emulator");
    free_arrays(&all);
    tg_module_free(module);
}

/* Blocks of two threads each, in a cluster of 2 x 2, that pass rows on along one axis. */
Test(ptx_clusters, a_square_of_blocks)
{
    static int32_t o[2][2][2][8];
    for (int i = 0; i < 64; i++)
        o[i / 32][i / 16 % 2][i / 8 % 2][i % 8] =
            100 * (i / 32) + 10 * (1 - i / 16 % 2) + i / 8 % 2;
    check_equal(
        "grid 2t 2t 2t\noutput o i32[2,2,2,8]\nscratch s i32[2,2,2,8] cluster=2\n"
        "scratch b barrier[2,2] arrivals=4 cluster=2\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=1; %12:i32[] = program_id "
        "axis=2\n"
        "%13:i32[] = constant value=1; %14:i32[] = sub %13 %11; %15:i32[] = constant value=100\n"
        "%16:i32[] = constant value=10; %17:i32[] = mul %10 %15; %18:i32[] = mul %11 %16\n"
        "%19:i32[] = add %17 %18; %20:i32[] = add %19 %12; %21:i32[8] = broadcast_in_dim %20 "
        "dims=[]\n"
        "%22:ref<i32[2,8]> = view %2 %10 %11 [@,@,0:2,0:8]; %23:ref<i32[2,8]> = view %2 %10 %14 "
        "[@,@,0:2,0:8]\n"
        "%24:ref<barrier[]> = view %3 %10 %11 [@,@]; %25:ref<barrier[]> = view %3 %10 %14 [@,@]\n"
        "store %22 %21 %12 [@,0:8]; barrier_arrive %24; barrier_arrive %25 at_once=true\n"
        "barrier_wait %24; %30:i32[8] = load %23 %12 [@,0:8]\n"
        "store %1 %30 %10 %11 %12 [@,@,@,0:8]; barrier_arrive %24; barrier_arrive %25 "
        "at_once=true\n"
        "barrier_wait %24\n",
        NAMED({"o", o}));
}

Test(ptx_clusters, steps_are_in_order)
{
    static const int32_t o[2] = {2, 1};
    check_equal("grid 1p 2t 2a\noutput o i32[2]\nscratch s i32[2] cluster=1\nscratch b barrier[2] "
                "arrivals=2 cluster=1\nbody\n" IDS BARRIERS
                "%15:i32[] = program_id axis=2; %16:i32[] = add %11 %13\n"
                "switch %15 { store %2 %16 %11 [@]; yield } "
                "{ %20:i32[] = load %2 %12 [@]; store %1 %20 %11 [@]; yield }\n" MEET,
                NAMED({"o", o}));
}

/* Scratch of no block is the first one's. */
Test(ptx_clusters, scratch_of_all)
{
    static const int32_t o[1] = {12};
    check_equal(
        "grid 1p 2t\noutput o i32[1]\nscratch s i32[]\nscratch b barrier[2] arrivals=2 "
        "cluster=1\nbody\n" IDS BARRIERS
        "%20:i32[] = constant value=5; %21:i32[] = constant value=7\n"
        "switch %11 { store %2 %14 []; yield } { yield }\n" MEET
        "switch %11 { %30:i32[] = atomic_rmw %2 %20 [] kind='add'; yield } "
        "{ %31:i32[] = atomic_rmw %2 %21 [] kind='add'; yield }\n" MEET
        "switch %11 { %32:i32[] = load %2 []; store %1 %32 %14 [@]; yield } { yield }\n" MEET,
        NAMED({"o", o}));
}

/* ---- copies ---- */

static const int32_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8},
                     both[2][8] = {{2, 4, 6, 8, 10, 12, 14, 16}, {2, 4, 6, 8, 10, 12, 14, 16}};

/* The first block brings rows to both, and tells the barrier of each; %4 is the barrier. */
#define TO_BOTH(start)                                                                             \
    "grid 1p 2t\ninput x i32[8]\noutput o i32[2,8]\nscratch s i32[2,8] cluster=1\n"                \
    "scratch b barrier[2] arrivals=1 cluster=1\nscratch c barrier[2] arrivals=2 "                  \
    "cluster=1\nbody\n" IDS                                                                        \
    "%15:i32[] = constant value=32; %20:ref<barrier[]> = view %4 %11 [@]\n"                        \
    "%22:ref<barrier[]> = view %5 %11 [@]; %23:ref<barrier[]> = view %5 %12 [@]\n"                 \
    "barrier_expect %20 %15; barrier_arrive %20\n" start                                           \
    "barrier_wait %20; %30:i32[8] = load %3 %11 [@,0:8]; %31:i32[8] = add %30 %30\n"               \
    "store %2 %31 %11 [@,0:8]; barrier_arrive %22; barrier_arrive %23 at_once=true\n"              \
    "barrier_wait %22\n"
#define START(block, ref)                                                                          \
    "%" ref "0:ref<i32[8]> = view %3 " block " [@,0:8]; %" ref "1:ref<barrier[]> = view %4 " block \
    " [@]; dma_start %1 %" ref "0 %" ref "1 expected=true; "

Test(ptx_clusters, copies_to_the_blocks)
{
    const char *const kernel =
        TO_BOTH("switch %11 { " START("%11", "4") START("%12", "5") "yield } { yield }\n");
    check_equal(kernel, NAMED({"x", x}, {"o", both}));
    cr_expect_eq(count_in_text(kernel, "complete_tx::bytes.multicast::cluster ["), 1);
    cr_expect_eq(count_in_text(kernel, "complete_tx::bytes ["), 2); /* unless they are one */
}

/* What stands between makes them copies of their own. */
Test(ptx_clusters, copies_that_are_apart)
{
    const char *const kernel = TO_BOTH(
        "switch %11 { " START("%11", "4") "proxy_fence; " START("%12", "5") "yield } { yield }\n");
    check_equal(kernel, NAMED({"x", x}, {"o", both}));
    cr_expect_eq(count_in_text(kernel, ".multicast::cluster"), 0);
    cr_expect_eq(count_in_text(kernel, "complete_tx::bytes ["), 2);
}

/* Two copies to one block are two, whose writes nothing orders. */
Test(ptx_clusters, copies_to_one_block)
{
    check_fails(TO_BOTH("switch %11 { " START("%12", "4") START("%12", "5") "yield } { yield }\n"),
                NAMED({"x", x}), TG_ERR_INTERNAL, "shared-race");
}

/* A copy to both blocks and a thread of one of them write there. */
Test(ptx_clusters, copies_race_with_a_peer)
{
    check_fails(
        TO_BOTH("switch %11 { " START("%11", "4") START(
            "%12", "5") "yield } { %60:i32[8] = iota axis=0; store %3 %60 %11 [@,0:8]; yield }\n"),
        NAMED({"x", x}), TG_ERR_INTERNAL, "shared-race");
}

/* To other places in each block, or to other barriers: a copy to each.  Block i has them in row i, and waits for
 * barrier i. */
#define TO_ROWS(row, barrier)                                                                      \
    "grid 1p 2t\ninput x i32[8]\noutput o i32[2,8]\nscratch s i32[2,2,8] cluster=1\n"              \
    "scratch b barrier[2,2] arrivals=1 cluster=1\nscratch c barrier[2] arrivals=2 "                \
    "cluster=1\nbody\n" IDS "%15:i32[] = constant value=32; %16:i32[] = mul %11 %" row             \
    "; %17:i32[] = mul %11 %" barrier "; %18:i32[] = mul %12 %" row                                \
    "; %19:i32[] = mul %12 %" barrier "\n%20:ref<barrier[]> = view %4 %11 %17 [@,@]\n"             \
    "%22:ref<barrier[]> = view %5 %11 [@]; %23:ref<barrier[]> = view %5 %12 [@]\n"                 \
    "barrier_expect %20 %15; barrier_arrive %20\n"                                                 \
    "switch %11 { %40:ref<i32[8]> = view %3 %11 %16 [@,@,0:8]; %41:ref<i32[8]> = view %3 %12 "     \
    "%18 [@,@,0:8]\n%42:ref<barrier[]> = view %4 %12 %19 [@,@]; "                                  \
    "dma_start %1 %40 %20 expected=true; dma_start %1 %41 %42 expected=true; yield } { yield }\n"  \
    "barrier_wait %20; %30:i32[8] = load %3 %11 %16 [@,@,0:8]; %31:i32[8] = add %30 %30\n"         \
    "store %2 %31 %11 [@,0:8]; barrier_arrive %22; barrier_arrive %23 at_once=true\n"              \
    "barrier_wait %22\n"

Test(ptx_clusters, copies_to_other_places)
{
    static const char *const kernels[] = {TO_ROWS("14", "14"), TO_ROWS("13", "14"),
                                          TO_ROWS("14", "13")};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        cr_expect_eq(count_in_text(kernels[i], ".multicast::cluster"), 1, "%zu", i);
        check_equal(kernels[i], NAMED({"x", x}, {"o", both}));
    }
}

/* From a block's memory to another one's. */
Test(ptx_clusters, copies_from_block_to_block)
{
    static const int32_t o[2][8] = {{10, 10, 10, 10, 10, 10, 10, 10}, {0}};
    const char *const kernel =
        "grid 1p 2t\noutput o i32[2,8]\nscratch s i32[2,8] cluster=1\nscratch t i32[2,8] "
        "cluster=1\n"
        "scratch b barrier[2] arrivals=1 cluster=1\nscratch c barrier[2] arrivals=2 "
        "cluster=1\nbody\n" IDS
        "%15:i32[] = constant value=32; %20:ref<barrier[]> = view %4 %11 [@]\n"
        "%16:i32[] = constant value=10; %17:i32[] = mul %11 %16\n"
        "%18:i32[8] = broadcast_in_dim %17 dims=[]; store %2 %18 %11 [@,0:8]; proxy_fence\n"
        "%22:ref<barrier[]> = view %5 %11 [@]; %23:ref<barrier[]> = view %5 %12 [@]\n"
        "%24:ref<barrier[]> = view %4 %12 [@]; %25:ref<i32[8]> = view %2 %11 [@,0:8]\n"
        "%26:ref<i32[8]> = view %3 %12 [@,0:8]; barrier_expect %20 %15; barrier_arrive %20\n"
        "dma_start %25 %26 %24 expected=true; barrier_wait %20\n"
        "%30:i32[8] = load %3 %11 [@,0:8]; store %1 %30 %11 [@,0:8]\n"
        "barrier_arrive %22; barrier_arrive %23 at_once=true; barrier_wait %22\n";
    check_equal(kernel, NAMED({"o", o}));
    cr_expect_eq(count_in_text(kernel, "cp.async.bulk.shared::cluster.shared::cta"), 1);
}

/* ---- what is refused ---- */

Test(ptx_clusters, refused)
{
    static const struct {
        const char *kernel, *text;
    } cases[] = {
        {"grid 9t\nscratch s i32[9] cluster=1\nbody\n",
         "a cluster of more than 8 blocks: 9 of them"},
        {"grid 2t 33t\nscratch s i32[2] cluster=1\nbody\n", "of more than 32 threads: 33 of them"},
        {"grid 2t\noutput o i32[2,4]\nscratch s i32[2,4] cluster=1\nbody\n"
         "%10:i32[2,4] = load %2 [0:2,0:4] loc=3; store %1 %10 [0:2,0:4]\n",
         "an access to several blocks of a cluster at once: load (k.py:3)"},
        {"grid 2t\noutput o i32[2,4]\nscratch s i32[2,4] cluster=1\nbody\n"
         "%10:ref<i32[8]> = view_reshape %2 loc=3; %11:i32[8] = load %10 [0:8]\n"
         "%12:i32[4] = slice %11 start=[2] stride=[1]; %13:i32[] = program_id axis=0\n"
         "store %1 %12 %13 [@,0:4]\n",
         "an access to several blocks of a cluster at once: view_reshape (k.py:3)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_fails(cases[i].kernel, NAMED({0}), TG_ERR_UNSUPPORTED, cases[i].text);
}

/* Nobody can wait for a phase of another block's barrier. */
Test(ptx_clusters, a_wait_for_another_block)
{
    check_fails(
        "grid 2t\nscratch s i32[2] cluster=1\nscratch b barrier[2] arrivals=1 cluster=1\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = constant value=1; %12:i32[] = sub %11 %10\n"
        "%13:ref<barrier[]> = view %2 %12 [@]; barrier_arrive %13; barrier_wait %13\n",
        NAMED({0}), TG_ERR_INTERNAL, "trap-instruction");
}

Test(ptx_clusters, targets)
{
    tg_module *module = load_kernel("grid 2t\nscratch s i32[2] cluster=1\nbody\n");
    tg_errors *errors = tg_errors_new();
    char *text = tg_module_ptx(module, NULL, NULL, errors);
    cr_assert_not_null(text);
    cr_assert_not_null(strstr(text, ".version 8.0\n.target sm_90\n"), "%.200s", text);
    free(text);
    const tg_module_ptx_options earlier = {.size = sizeof earlier, .target = "sm_80"};
    cr_assert_null(tg_module_ptx(module, NULL, &earlier, errors));
    cr_assert_not_null(
        strstr(tg_errors_get(errors, 0).message, "a cluster on a chip before sm_90: sm_80"));
    tg_errors_free(errors);
    tg_module_free(module);
}
