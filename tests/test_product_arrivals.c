/* What threads know of products and copies that others have waited for, and of arrivals behind products: whatever the
 * order does first. */
#include "several_threads.h"

/* The arrival may come behind both others of its thread. */
Test(product_arrivals, another_arrival_may_come_before_that_behind_products)
{
    const char *const kernel = TWO_THREADS(
        "2", START "dot_arrive %5 loc=2; barrier_arrive %5 loc=3; barrier_arrive %5 loc=4;",
        "barrier_wait %5 loc=5; barrier_arrive %5 loc=6; barrier_wait %5 loc=7; " READ);
    for (int o = 0; o < ORDERS; o++) expect_kind(kernel, every_order[o], "barrier-overrun", NULL);
}

/* That another thread knows that it has been asked for is not enough. */
Test(product_arrivals, who_knows_of_the_start_does_not_know_of_the_arrival)
{
    const char *const kernel = TWO_THREADS(
        "2", START "dot_arrive %5 loc=2; barrier_arrive %7 loc=3; barrier_wait %5 loc=4;",
        "barrier_arrive %5 loc=5; barrier_wait %7 loc=6; barrier_arrive %5 loc=7\n"
        "barrier_arrive %5 loc=8; barrier_wait %5 loc=9; barrier_wait %5; " READ);
    for (int o = 0; o < ORDERS; o++) expect_kind(kernel, every_order[o], "barrier-overrun", NULL);
}

/* ---- who has waited for a product by its barrier ---- */

/* The wait for the group is one, too, though another thread may have waited before: the factor may be
 * overwritten behind it. */
Test(product_arrivals, its_own_thread_waits_for_its_group_as_well)
{
    const char *const kernel = THREE_THREADS(
        "1",
        "store %6 %8 [0:3,0:2]; dot_start %4 %1 %6 replaces=true; dot_commit; dot_arrive %5\n"
        "dot_wait_groups %50; barrier_arrive %7;",
        "barrier_wait %5; " READ, "barrier_wait %7; store %6 %9 [0:3,0:2];");
    expect_nothing(kernel, WITH(once));
}

/* Of several groups the older ones, of which the arrival makes sure as well. */
Test(product_arrivals, its_own_thread_waits_for_the_older_groups)
{
    const char *const kernel = THREE_THREADS(
        "1",
        "store %6 %8 [0:3,0:2]; dot_start %4 %1 %6 replaces=true; dot_commit\n"
        "dot_start %4 %1 %2; dot_commit; dot_arrive %5; dot_wait_groups %51; barrier_arrive %7;",
        "barrier_wait %5; " READ, "barrier_wait %7; store %6 %9 [0:3,0:2];");
    expect_nothing(kernel, WITH(twice));
}

/* The newest group is another one, whose factor is overwritten. */
Test(product_arrivals, its_own_thread_does_not_wait_for_the_newest_group)
{
    const char *const kernel = THREE_THREADS(
        "1",
        "store %6 %8 [0:3,0:2]; dot_start %4 %1 %2 replaces=true; dot_commit\n"
        "dot_start %4 %1 %6; dot_commit; dot_arrive %5; dot_wait_groups %51; barrier_arrive %7;",
        "barrier_wait %5; " READ, "barrier_wait %7; store %6 %9 [0:3,0:2];");
    for (int seed = 0; seed < SEEDS; seed++) expect_kind(kernel, interleaved(seed), "race", NULL);
}

/* That another thread has waited does not help the thread that reads the sum. */
Test(product_arrivals, its_own_thread_does_not_wait)
{
    const char *const kernel = THREE_THREADS("1", START "dot_arrive %5; barrier_arrive %7; " READ,
                                             "barrier_wait %5;", "barrier_wait %7;");
    int races = 0;
    for (int seed = 0; seed < SEEDS; seed++)
        races += expect_kind(kernel, interleaved(seed), "race", "product-in-flight");
    cr_expect(races > 0 && races < SEEDS, "%d races", races);
}

/* The same of a copy. */
Test(product_arrivals, its_own_thread_does_not_wait_for_its_copy)
{
    const char *const kernel =
        THREE_THREADS("1",
                      "dma_start %2 %6 %5; barrier_arrive %5; barrier_arrive %7\n"
                      "%60:i32[2,2] = load %6 [0:2,0:2]; store %3 %60 [0:2,0:2];",
                      "barrier_wait %5;", "barrier_wait %7;");
    int races = 0;
    for (int seed = 0; seed < SEEDS; seed++)
        races += expect_kind(kernel, interleaved(seed), "race", "dma-in-flight");
    cr_expect(races > 0 && races < SEEDS, "%d races", races);
}
