/* One time limit for each test, so that a test that hangs fails instead.
 *
 * All have the same one. Criterion 2.4.1 keeps its limits in a list ordered by when they end, and where it puts one before
 * others it loses those (bxfi_push_timeout of BoxFort): they never end a test, and leak. With one limit for all, a later test's
 * limit ends later. Its own option for a limit of all tests, --timeout, does nothing in that version. */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/internal/ordered-set.h>
#include <stdio.h>
#include <stdlib.h>

/* Far longer than any test takes, with sanitizers and on a busy machine; where the number of seeds is told, there is none. */
#define LIMIT_S 900

static void refuse_other_limits(const struct criterion_test_extra_data *data, const char *name)
{
    if (!data || data->timeout == 0) return;
    fprintf(stderr,
            "%s has a time limit of its own, which would lose those of other tests: see "
            "tests/test_time_limit.c\n",
            name);
    abort();
}

ReportHook(PRE_ALL)(struct criterion_test_set *all)
{
    const double limit = getenv("TILEGRIND_TEST_SEEDS") ? 0 : LIMIT_S;
    FOREACH_SET(struct criterion_suite_set * suite, all->suites)
    {
        refuse_other_limits(suite->suite.data, suite->suite.name);
        FOREACH_SET(struct criterion_test * test, suite->tests)
        {
            refuse_other_limits(test->data, test->name);
            test->data->timeout = limit;
        }
    }
}
