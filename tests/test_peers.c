/* Blocks of a cluster that use memory of another one, which may have ended. */
#include "run_findings.h"

static void expect_found(const char *kernel, const char *wanted)
{
    const named nothing[] = {{NULL, NULL}};
    expect_checked(kernel, nothing, NULL, findings_text, wanted);
}

/* Two blocks of two threads each.  Of the block's own: %30 is a part of s, %31 a barrier of one arrival,
 * %32 one of two; %40 to %42 are those of the other block.  What the four threads do. */
#define BLOCKS(a0, a1, b0, b1)                                                                     \
    "grid 2t 2t\nscratch s i32[2,4] cluster=1\nscratch m barrier[2] arrivals=1 cluster=1\n"        \
    "scratch n barrier[2] arrivals=2 cluster=1\nscratch q i32[4]\nbody\n"                          \
    "%20:i32[] = program_id axis=0; %21:i32[] = program_id axis=1\n"                               \
    "%22:i32[] = constant value=1; %23:i32[] = sub %22 %20; %24:i32[4] = constant value=5\n"       \
    "%25:i32[] = constant value=0\n"                                                               \
    "%30:ref<i32[4]> = view %1 %20 [@,0:4]; %31:ref<barrier[]> = view %2 %20 [@]\n"                \
    "%32:ref<barrier[]> = view %3 %20 [@]\n"                                                       \
    "%40:ref<i32[4]> = view %1 %23 [@,0:4]; %41:ref<barrier[]> = view %2 %23 [@]\n"                \
    "%42:ref<barrier[]> = view %3 %23 [@]\n"                                                       \
    "switch %20 { switch %21 { " a0 " yield } { " a1 " yield }; yield } "                          \
    "{ switch %21 { " b0 " yield } { " b1 " yield }; yield }\n"

#define READ_OTHER "%50:i32[4] = load %40 [0:4] loc=1;"

Test(peers, a_block_reads_its_own_memory)
{
    expect_found(BLOCKS("%50:i32[4] = load %30 [0:4];", "", "", ""), "");
}

Test(peers, nothing_keeps_the_other_block)
{
    expect_found(BLOCKS(READ_OTHER, "", "", ""), "peer-ended@1");
    expect_found(BLOCKS("", READ_OTHER, "", ""), "peer-ended@1");
    expect_found(BLOCKS("", "", "", "store %40 %24 [0:4] loc=2;"), "peer-ended@2");
}

/* A copy that is over when all end tells nobody what its thread has done before. */
Test(peers, a_copy_that_takes_place_at_the_end)
{
    expect_found(BLOCKS("", "",
                        READ_OTHER "dma_start %30 %4; dma_commit; dma_wait_groups %25 reads=true;",
                        ""),
                 "peer-ended@1");
}

/* The last of its threads is enough. */
Test(peers, one_thread_of_the_other_block_waits)
{
    expect_found(BLOCKS(READ_OTHER "barrier_arrive %41;", "", "", "barrier_wait %31;"), "");
    expect_found(BLOCKS("barrier_arrive %41;" READ_OTHER, "", "", "barrier_wait %31;"),
                 "peer-ended@1");
}

Test(peers, a_thread_of_the_same_block_tells)
{
    expect_found(BLOCKS(READ_OTHER "barrier_arrive %31;", "barrier_wait %31; barrier_arrive %41;",
                        "barrier_wait %31;", ""),
                 "");
    expect_found(BLOCKS(READ_OTHER "barrier_arrive %31;", "barrier_wait %31;", "", ""),
                 "peer-ended@1");
}

Test(peers, the_last_use_counts)
{
    expect_found(BLOCKS(READ_OTHER "barrier_arrive %41; store %40 %24 [0:4] loc=2;", "",
                        "barrier_wait %31;", ""),
                 "peer-ended@2");
}

Test(peers, an_arrival_is_a_use)
{
    expect_found(BLOCKS("barrier_arrive %41 loc=3;", "", "barrier_wait %31;", ""), "");
    expect_found(BLOCKS("barrier_arrive %41 loc=3;", "", "", ""), "peer-ended@3");
}

/* Both arrive at a barrier of the first block; the second one is told by nobody. */
Test(peers, who_waits_for_both)
{
    expect_found(BLOCKS(READ_OTHER "barrier_arrive %32; barrier_wait %32;", "",
                        "%51:i32[4] = load %40 [0:4] loc=2; barrier_arrive %42;", ""),
                 "peer-ended@1");
}

Test(peers, memory_that_is_no_block_s_own)
{
    expect_found("grid 2t\nscratch s i32[2,4]\nbody\n%20:i32[] = program_id axis=0\n"
                 "%22:i32[] = constant value=1; %23:i32[] = sub %22 %20\n"
                 "%30:i32[4] = load %1 %23 [@,0:4] loc=1\n",
                 "");
}

/* Chains do not reach each other's clusters. */
Test(peers, several_clusters)
{
    expect_found("grid 3p 2t\nscratch s i32[2,4] cluster=1\nbody\n"
                 "%20:i32[] = program_id axis=1; %22:i32[] = constant value=1\n"
                 "%23:i32[] = sub %22 %20; %30:i32[4] = load %1 %23 [@,0:4] loc=1\n",
                 "peer-ended@1");
}
