/* Copies of shared memory that no fence of proxies tells what threads have written. */
#include "run_findings.h"

/* KIND@LINE-LINE: with the line of the write. */
static char *text_of_both(const tg_report *report)
{
    tg_text text = {0};
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        tg_text_add(&text, "%s%s@%d", i ? "; " : "", f.kind, (int)f.line);
        if (f.related_count) tg_text_add(&text, "-%d", (int)tg_report_related(report, i, 0).line);
    }
    return tg_text_finish(&text);
}

static void expect_found(const char *kernel, const named *list, const char *checks,
                         const char *wanted)
{
    expect_checked(kernel, list, checks, text_of_both, wanted);
}

static const int32_t x[4] = {1, 2, 3, 4};
#define ARRAYS NAMED({"x", x}, {"o", NULL})

/* ---- one thread ---- */

#define ONE(space, ops)                                                                            \
    "input x i32[4]\noutput o i32[4]\nscratch s i32[4]" space "\n"                                 \
    "scratch b barrier[] arrivals=1\nbody\n"                                                       \
    "%5:i32[] = constant value=0; %10:i32[4] = load %1 [0:4]\n" ops
#define SHARED " space=smem"
#define COPY_OUT "dma_start %3 %2 loc=2; dma_commit; dma_wait_groups %5;"

Test(proxies, a_store_and_a_copy)
{
    expect_found(ONE(SHARED, "store %3 %10 [0:4] loc=1;" COPY_OUT), ARRAYS, "all",
                 "proxy-fence-missing@2-1");
}

Test(proxies, a_fence_between)
{
    expect_found(ONE(SHARED, "store %3 %10 [0:4] loc=1; proxy_fence;" COPY_OUT), ARRAYS, "all", "");
}

Test(proxies, a_fence_before_both)
{
    expect_found(ONE(SHARED, "proxy_fence; store %3 %10 [0:4] loc=1;" COPY_OUT), ARRAYS, "proxies",
                 "proxy-fence-missing@2-1");
}

/* A part of what the copy reads was written behind the fence. */
Test(proxies, a_part_behind_the_fence)
{
    expect_found(ONE(SHARED, "store %3 %10 [0:4]; proxy_fence; %11:i32[2] = constant value=7\n"
                             "store %3 %11 [1:2] loc=3;" COPY_OUT),
                 ARRAYS, "proxies", "proxy-fence-missing@2-3");
}

Test(proxies, a_part_that_is_not_copied)
{
    expect_found(ONE(SHARED, "%12:ref<i32[2]> = view %3 [0:2]; %13:ref<i32[2]> = view %2 [0:2]\n"
                             "%14:i32[2] = constant value=7; store %2 %14 [2:2]\n"
                             "store %3 %10 [0:4]; proxy_fence; store %3 %14 [2:2] loc=3\n"
                             "dma_start %12 %13; dma_commit; dma_wait_groups %5"),
                 ARRAYS, "proxies", "");
}

Test(proxies, without_the_check_nothing_is_found)
{
    expect_found(ONE(SHARED, "store %3 %10 [0:4] loc=1;" COPY_OUT), ARRAYS, "races", "");
}

/* Memory of another space is not shared memory. */
Test(proxies, memory_of_no_space)
{
    expect_found(ONE("", "store %3 %10 [0:4] loc=1;" COPY_OUT), ARRAYS, "all", "");
}

/* What a copy has brought, another one may take away. */
Test(proxies, what_a_copy_has_brought)
{
    expect_found(ONE(SHARED, "store %3 %10 [0:4]; proxy_fence; dma_start %1 %3 %4\n"
                             "barrier_arrive %4; barrier_wait %4;" COPY_OUT),
                 ARRAYS, "all", "");
}

/* The copy that overwrites what was written takes its place, though that itself is not fenced. */
Test(proxies, what_a_copy_has_overwritten)
{
    expect_found(ONE(SHARED, "store %3 %10 [0:4] loc=1; dma_start %1 %3 %4 loc=3\n"
                             "barrier_arrive %4; barrier_wait %4;" COPY_OUT),
                 ARRAYS, "proxies,gpu-strict", "overwrite-unfenced@3-1");
}

Test(proxies, atomics_write)
{
    expect_found(ONE(SHARED, "store %3 %10 [0:4]; proxy_fence\n"
                             "add_update %3 %10 [0:4] loc=3;" COPY_OUT),
                 ARRAYS, "proxies", "proxy-fence-missing@2-3");
}

/* A copy that a semaphore is told of is one of a TPU, also beside one that is not. */
Test(proxies, copies_of_a_tpu)
{
    expect_found("input x i32[4]\noutput o i32[4]\nscratch s i32[4] space=smem\n"
                 "scratch d dma_sem[]\nscratch r i32[4] space=smem\nbody\n"
                 "%10:i32[4] = load %1 [0:4]; store %3 %10 [0:4]\n"
                 "dma_start %3 %2 %4; dma_wait %2 %4; %11:i32[] = constant value=0\n"
                 "dma_start %1 %5; dma_commit; dma_wait_groups %11\n",
                 ARRAYS, "all", "");
}

/* ---- threads ---- */

/* Thread 0 writes, and thread 1 starts the copy. */
#define TWO(behind_store, behind_wait)                                                             \
    "grid 2t\ninput x i32[4]\noutput o i32[4]\nscratch s i32[4] space=smem\n"                      \
    "scratch b barrier[] arrivals=1\nbody\n"                                                       \
    "%20:i32[] = program_id axis=0; %5:i32[] = constant value=0\n"                                 \
    "switch %20 { %10:i32[4] = load %1 [0:4]; store %3 %10 [0:4] loc=1;" behind_store              \
    " yield } { " behind_wait COPY_OUT " yield }\n"

Test(proxies, another_thread_copies)
{
    expect_found(TWO("barrier_arrive %4;", "barrier_wait %4;"), ARRAYS, "all",
                 "proxy-fence-missing@2-1");
}

Test(proxies, the_writer_has_fenced)
{
    expect_found(TWO("proxy_fence; barrier_arrive %4;", "barrier_wait %4;"), ARRAYS, "all", "");
}

/* The arrival comes later, but hands on nothing of the fence. */
Test(proxies, the_writer_fences_behind_an_arrival_that_is_to_come)
{
    expect_found(TWO("dot_arrive %4; proxy_fence;", "barrier_wait %4;"), ARRAYS, "all",
                 "proxy-fence-missing@2-1");
}

Test(proxies, the_starter_has_fenced_behind_the_wait)
{
    expect_found(TWO("barrier_arrive %4;", "barrier_wait %4; proxy_fence;"), ARRAYS, "all", "");
}

Test(proxies, the_starter_has_fenced_before_the_wait)
{
    expect_found(TWO("barrier_arrive %4;", "proxy_fence; barrier_wait %4;"), ARRAYS, "all",
                 "proxy-fence-missing@2-1");
}

Test(proxies, the_writer_has_fenced_behind_its_arrival)
{
    expect_found(TWO("barrier_arrive %4; proxy_fence;", "barrier_wait %4;"), ARRAYS, "all",
                 "proxy-fence-missing@2-1");
}

/* Thread 1 writes and starts a copy for the barrier of thread 0, which then copies away what was written. */
Test(proxies, a_copy_tells_what_its_starter_has_done)
{
    expect_found("grid 2t\ninput x i32[4]\noutput o i32[4]\nscratch s i32[4] space=smem\n"
                 "scratch r i32[4] space=smem\nscratch b barrier[] arrivals=1\nbody\n"
                 "%20:i32[] = program_id axis=0; %6:i32[] = constant value=16\n"
                 "%7:i32[] = constant value=0\n"
                 "switch %20 { barrier_expect %5 %6; barrier_arrive %5; barrier_wait %5\n"
                 "dma_start %3 %2 loc=2; dma_commit; dma_wait_groups %7; yield } {\n"
                 "%10:i32[4] = load %1 [0:4]; store %3 %10 [0:4] loc=1; proxy_fence\n"
                 "dma_start %1 %4 %5 expected=true; yield }\n",
                 ARRAYS, "all", "");
}

/* ---- overwriting ---- */

/* Thread 1 reads what a copy of thread 0 has brought, and then another copy overwrites it. */
#define REFILLED(behind_load)                                                                      \
    "grid 2t\ninput x i32[4]\noutput o i32[4]\nscratch s i32[4] space=smem\n"                      \
    "scratch full barrier[] arrivals=1\nscratch free barrier[] arrivals=1\nbody\n"                 \
    "%20:i32[] = program_id axis=0\n"                                                              \
    "switch %20 { dma_start %1 %3 %4; barrier_arrive %4; barrier_wait %5\n"                        \
    "dma_start %1 %3 %4 loc=2; barrier_arrive %4; yield } {\n"                                     \
    "barrier_wait %4; %10:i32[4] = load %3 [0:4] loc=1;" behind_load " barrier_arrive %5\n"        \
    "barrier_wait %4; %11:i32[4] = load %3 [0:4]; %12:i32[4] = add %10 %11\n"                      \
    "store %2 %12 [0:4]; yield }\n"

Test(proxies, a_slot_is_refilled) { expect_found(REFILLED(""), ARRAYS, "all", ""); }

Test(proxies, a_slot_is_refilled_without_a_fence)
{
    expect_found(REFILLED(""), ARRAYS, "gpu-strict", "overwrite-unfenced@2-1");
}

Test(proxies, a_slot_is_refilled_behind_a_fence)
{
    expect_found(REFILLED("proxy_fence;"), ARRAYS, "gpu-strict", "");
}

/* Each chain has its own memory, in the same place: what the one before has left there was never written. */
Test(proxies, another_chain_has_written)
{
    expect_found("grid 3p\ninput x i32[4] block b4 at 0\noutput o i32[12] block b4 at i\n"
                 "scratch s i32[4] space=smem\nbody\n"
                 "%5:i32[] = constant value=0; dma_start %3 %2; dma_commit; dma_wait_groups %5\n"
                 "%10:i32[4] = load %1 [0:4]; store %3 %10 [0:4]\n",
                 ARRAYS, "proxies", "");
}

/* The fence of the first step is before the store of the next one, of the same line. */
Test(proxies, a_fence_in_the_first_step)
{
    expect_found(ONE(SHARED,
                     "%6:i32[] = constant value=1; %7:i32[] = constant value=3\n"
                     "for %5 %7 %6 { (%20:i32[]) %21:bool[] = eq %20 %5\n"
                     "store %3 %10 [0:4] loc=1; switch %21 { yield } { proxy_fence; yield }\n"
                     "dma_start %3 %2 loc=2; dma_commit; dma_wait_groups %5; yield }\n"),
                 ARRAYS, "all", "proxy-fence-missing@2-1");
}
