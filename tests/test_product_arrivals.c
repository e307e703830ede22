/* What threads know of products and copies that others have waited for, and of arrivals behind products: whatever the
 * order does first. */
#include "run_findings.h"

static const int32_t x[2][3] = {{1, 2, 3}, {4, 5, 6}}, y[3][2] = {{1, 0}, {0, 1}, {1, 1}};
static const int32_t once[2][2] = {{4, 5}, {10, 11}}, twice[2][2] = {{8, 10}, {20, 22}};

#define WITH(o) NAMED({"x", x}, {"y", y}, {"o", o})

/* The orders differ in which thread waits first. */
enum { SEEDS = 30 };

static const char *interleaved(int seed)
{
    static char order[32];
    snprintf(order, sizeof order, "interleaved:%d", seed);
    return order;
}

static void expect_nothing(const char *kernel, const named *list)
{
    tg_module *module = load_kernel(kernel);
    for (int seed = 0; seed < SEEDS; seed++) expect_in(module, list, interleaved(seed), "");
    tg_module_free(module);
}

/* The order finds one of two kinds; returns how often the first. */
static int expect_kind(const char *kernel, const char *order, const char *kind, const char *other)
{
    const tg_run_options options = {.size = sizeof options, .order = order, .checks = "all"};
    tg_module *module = load_kernel(kernel);
    arrays all = make_arrays(module, WITH(NULL));
    tg_report *report = run_once(module, &all, &options);
    const int count = (int)count_findings(report, kind);
    cr_expect(count || (other && count_findings(report, other)), "%s: no %s", order, kind);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
    return count;
}

/* The sum is %4; a factor may be in %6.  Barriers %5, of `arrivals`, and %7, of one. */
#define SEVERAL_THREADS(count, arrivals, switches)                                                 \
    "grid " count "t\ninput x i32[2,3]\ninput y i32[3,2]\noutput o i32[2,2]\n"                     \
    "scratch s i32[2,2]\nscratch b barrier[] arrivals=" arrivals "\nscratch f i32[3,2]\n"          \
    "scratch c barrier[] arrivals=1\nbody\n"                                                       \
    "%50:i32[] = constant value=0; %51:i32[] = constant value=1\n"                                 \
    "%9:i32[3,2] = constant value=0; %8:i32[3,2] = load %2 [0:3,0:2]\n"                            \
    "%10:i32[] = program_id axis=0; switch %10 " switches "\n"
#define START "dot_start %4 %1 %2 replaces=true loc=1; "
#define READ "%40:i32[2,2] = load %4 [0:2,0:2] loc=8; store %3 %40 [0:2,0:2] loc=9;"
#define TWO_ARRIVALS(first, second)                                                                \
    SEVERAL_THREADS("2", "2", "{ " first " yield } { " second " yield }")
#define THREE_THREADS(first, second, third)                                                        \
    SEVERAL_THREADS("3", "1", "{ " first " yield } { " second " yield } { " third " yield }")

/* The arrival may come behind both others of its thread. */
Test(product_arrivals, another_arrival_may_come_before_that_behind_products)
{
    const char *const kernel = TWO_ARRIVALS(
        START "dot_arrive %5 loc=2; barrier_arrive %5 loc=3; barrier_arrive %5 loc=4;",
        "barrier_wait %5 loc=5; barrier_arrive %5 loc=6; barrier_wait %5 loc=7; " READ);
    for (int o = 0; o < ORDERS; o++) expect_kind(kernel, every_order[o], "barrier-overrun", NULL);
}

/* That another thread knows that it has been asked for is not enough. */
Test(product_arrivals, who_knows_of_the_start_does_not_know_of_the_arrival)
{
    const char *const kernel =
        TWO_ARRIVALS(START "dot_arrive %5 loc=2; barrier_arrive %7 loc=3; barrier_wait %5 loc=4;",
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
        "store %6 %8 [0:3,0:2]; dot_start %4 %1 %6 replaces=true; dot_commit; dot_arrive %5\n"
        "dot_wait_groups %50; barrier_arrive %7;",
        "barrier_wait %5; " READ, "barrier_wait %7; store %6 %9 [0:3,0:2];");
    expect_nothing(kernel, WITH(once));
}

/* Of several groups the older ones, of which the arrival makes sure as well. */
Test(product_arrivals, its_own_thread_waits_for_the_older_groups)
{
    const char *const kernel = THREE_THREADS(
        "store %6 %8 [0:3,0:2]; dot_start %4 %1 %6 replaces=true; dot_commit\n"
        "dot_start %4 %1 %2; dot_commit; dot_arrive %5; dot_wait_groups %51; barrier_arrive %7;",
        "barrier_wait %5; " READ, "barrier_wait %7; store %6 %9 [0:3,0:2];");
    expect_nothing(kernel, WITH(twice));
}

/* The newest group is another one, whose factor is overwritten. */
Test(product_arrivals, its_own_thread_does_not_wait_for_the_newest_group)
{
    const char *const kernel = THREE_THREADS(
        "store %6 %8 [0:3,0:2]; dot_start %4 %1 %2 replaces=true; dot_commit\n"
        "dot_start %4 %1 %6; dot_commit; dot_arrive %5; dot_wait_groups %51; barrier_arrive %7;",
        "barrier_wait %5; " READ, "barrier_wait %7; store %6 %9 [0:3,0:2];");
    for (int seed = 0; seed < SEEDS; seed++) expect_kind(kernel, interleaved(seed), "race", NULL);
}

/* That another thread has waited does not help the thread that reads the sum. */
Test(product_arrivals, its_own_thread_does_not_wait)
{
    const char *const kernel = THREE_THREADS(START "dot_arrive %5; barrier_arrive %7; " READ,
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
        THREE_THREADS("dma_start %2 %6 %5; barrier_arrive %5; barrier_arrive %7\n"
                      "%60:i32[2,2] = load %6 [0:2,0:2]; store %3 %60 [0:2,0:2];",
                      "barrier_wait %5;", "barrier_wait %7;");
    int races = 0;
    for (int seed = 0; seed < SEEDS; seed++)
        races += expect_kind(kernel, interleaved(seed), "race", "dma-in-flight");
    cr_expect(races > 0 && races < SEEDS, "%d races", races);
}
