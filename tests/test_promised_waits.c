/* Waits for products that a language promises, and that a GPU may do without: what relies on them is found where a strict
 * check is asked for, and values are the same with it and without. */
#include "several_threads.h"

#define PROMISED(newest) "dot_wait_groups %" newest " promised=true; "
#define REALLY(newest) "dot_wait_groups %" newest "; "
#define PRODUCT "dot_start %4 %1 %6 loc=1; dot_commit; "
#define OVERWRITE "store %6 %9 [0:3,0:2] loc=2; "
#define FIRST "store %6 %8 [0:3,0:2]; dot_start %4 %1 %6 replaces=true loc=1; dot_commit; "

static void expect_strict(const char *kernel, const named *list, const char *wanted)
{
    expect_checked(kernel, list, "all", findings_text, "");
    expect_checked(kernel, list, "all,gpu-strict", findings_text, wanted);
}

#define ONE_THREAD(ops) SEVERAL_THREADS("1", "1", "{ " ops " yield } { yield }")

Test(promised_waits, a_factor_is_overwritten)
{
    expect_strict(ONE_THREAD(FIRST PROMISED("50") OVERWRITE READ), WITH(once),
                  "wait-only-promised@1; wait-only-promised@2; wait-only-promised@8");
    expect_strict(ONE_THREAD(FIRST PROMISED("50") REALLY("50") OVERWRITE READ), WITH(once), "");
}

/* Of the two products the later one is in flight: that is an error, and is told first. */
Test(promised_waits, a_product_that_is_in_flight_is_told_first)
{
    const char *const kernel = ONE_THREAD(FIRST PRODUCT PROMISED("51") READ REALLY("50"));
    expect_checked(kernel, WITH(NULL), "all,gpu-strict", findings_text, "product-in-flight@8");
}

Test(promised_waits, its_memory_ends)
{
    expect_strict(
        ONE_THREAD("scoped { (%60:ref<i32[2,2]>) dot_start %60 %1 %2 replaces=true loc=3; "
                   "dot_commit\n" PROMISED("50") "yield }\n" FIRST REALLY("50") READ),
        WITH(once), "wait-only-promised@3");
}

/* The thread that overwrites the factor has been told behind the promised wait. */
#define TOLD(wait)                                                                                 \
    TWO_THREADS("1", FIRST wait "barrier_arrive %5; " REALLY("50") READ,                           \
                "barrier_wait %5; " OVERWRITE)

Test(promised_waits, another_thread_overwrites_a_factor)
{
    expect_strict(TOLD(PROMISED("50")), WITH(once), "wait-only-promised@2");
    expect_strict(TOLD(REALLY("50")), WITH(once), "");
}

/* So may a copy that it starts. */
Test(promised_waits, a_copy_of_another_thread_overwrites_a_factor)
{
    expect_strict(TWO_THREADS("1", FIRST PROMISED("50") "barrier_arrive %5; " REALLY("50") READ,
                              "barrier_wait %5; dma_start %2 %6 loc=2; dma_commit; "
                              "dma_wait_groups %50; "),
                  WITH(once), "wait-only-promised@2");
}

/* Of a group that another thread has waited for only the last product is left: what the ones before it have read is
 * known behind it. */
Test(promised_waits, another_thread_has_waited_for_the_group)
{
#define GROUP_OF_TWO(wait)                                                                         \
    TWO_THREADS("1",                                                                               \
                "store %6 %8 [0:3,0:2]; dot_start %4 %1 %6 replaces=true loc=1; "                  \
                "dot_start %4 %1 %2 replaces=true loc=3; dot_commit; dot_arrive %5; "              \
                "barrier_wait %7; " wait OVERWRITE REALLY("50") READ,                              \
                "barrier_arrive %7; barrier_wait %5; ")
    expect_strict(GROUP_OF_TWO(PROMISED("50")), WITH(once), "wait-only-promised@2");
    expect_strict(GROUP_OF_TWO(REALLY("50")), WITH(once), "");
}

/* It is a race whoever waits. */
Test(promised_waits, who_was_not_told_has_a_race)
{
    const char *const kernel =
        TWO_THREADS("1", FIRST PROMISED("50") REALLY("50") READ "barrier_arrive %5; ",
                    OVERWRITE "barrier_wait %5; ");
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = "all,gpu-strict"};
        tg_module *module = load_kernel(kernel);
        arrays all = make_arrays(module, WITH(NULL));
        tg_report *report = run_once(module, &all, &options);
        cr_expect(count_findings(report, "race"), "%s", every_order[o]);
        cr_expect(!count_findings(report, "wait-only-promised"), "%s", every_order[o]);
        tg_report_free(report);
        free_arrays(&all);
        tg_module_free(module);
    }
}

/* ---- behind products of other threads ---- */

#define HAND_ON(barrier) "barrier_arrive %" barrier " orders_products=true; "
#define TAKE_ON(barrier) "barrier_wait %" barrier " orders_products=true; "
#define OF_FIRST "store %6 %8 [0:3,0:2]; dot_start %4 %1 %6 replaces=true loc=1; dot_commit; "
#define BEHIND "dot_start %4 %1 %2 replaces=true loc=3; dot_commit; "

/* The factor of the first thread's product may be read until the second one's is done, for which it really waits at last. */
Test(promised_waits, a_product_that_comes_behind_that_of_another_thread)
{
    expect_strict(TWO_THREADS("1", OF_FIRST HAND_ON("5"),
                              TAKE_ON("5") BEHIND PROMISED("50") OVERWRITE REALLY("50") READ),
                  WITH(once), "wait-only-promised@2");
    expect_strict(
        TWO_THREADS("1", OF_FIRST HAND_ON("5"), TAKE_ON("5") BEHIND REALLY("50") OVERWRITE READ),
        WITH(once), "");
}

/* Who started it is told by the thread that has waited as it is promised. */
Test(promised_waits, the_thread_of_the_first_product_is_told)
{
#define TOLD_BY(wait)                                                                              \
    TWO_THREADS("1", OF_FIRST HAND_ON("5") "barrier_wait %7; " OVERWRITE,                          \
                TAKE_ON("5") BEHIND wait "barrier_arrive %7; " REALLY("50") READ)
    expect_strict(TOLD_BY(PROMISED("50")), WITH(once), "wait-only-promised@2");
    expect_strict(TOLD_BY(REALLY("50")), WITH(once), "");
}

/* The thread of the first product has waited for it, but a third one knows of the promised wait only. */
Test(promised_waits, another_thread_is_told_behind_a_later_product)
{
#define TOLD_BEHIND(wait)                                                                          \
    THREE_THREADS("1", OF_FIRST HAND_ON("5") REALLY("50"),                                         \
                  TAKE_ON("5") BEHIND wait "barrier_arrive %7; " REALLY("50") READ,                \
                  "barrier_wait %7; " OVERWRITE)
    expect_strict(TOLD_BEHIND(PROMISED("50")), WITH(once), "wait-only-promised@2");
    expect_strict(TOLD_BEHIND(REALLY("50")), WITH(once), "");
}

Test(promised_waits, memory_of_both_ends)
{
    expect_strict(
        TWO_THREADS(
            "1", "%60:i32[2,2] = constant value=4; store %3 %60 [0:2,0:2]; " OF_FIRST HAND_ON("5"),
            TAKE_ON("5") BEHIND PROMISED("50")),
        NAMED({"x", x}, {"y", y}, {"o", (const int32_t[]){4, 4, 4, 4}}),
        "wait-only-promised@1; wait-only-promised@3");
}
