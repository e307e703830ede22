/* Kernels whose threads do different things with products: x times y is 2 by 2.
 *
 * The sum is %4; a factor may be in %6.  Barriers %5, of `arrivals`, and %7, of one; %50 is 0, %51 is 1. */
#ifndef TG_TESTS_SEVERAL_THREADS_H
#define TG_TESTS_SEVERAL_THREADS_H

#include "run_findings.h"

static const int32_t x[2][3] = {{1, 2, 3}, {4, 5, 6}}, y[3][2] = {{1, 0}, {0, 1}, {1, 1}};
static const int32_t once[2][2] = {{4, 5}, {10, 11}}, twice[2][2] = {{8, 10}, {20, 22}};

#define WITH(o) NAMED({"x", x}, {"y", y}, {"o", o})

/* The orders differ in which thread waits first. */
enum { SEEDS = 30 };

static inline const char *interleaved(int seed)
{
    static char order[32];
    snprintf(order, sizeof order, "interleaved:%d", seed);
    return order;
}

static inline void expect_nothing(const char *kernel, const named *list)
{
    tg_module *module = load_kernel(kernel);
    for (int seed = 0; seed < SEEDS; seed++) expect_in(module, list, interleaved(seed), "");
    tg_module_free(module);
}

/* The order finds one of two kinds; returns how often the first. */
static inline int expect_kind(const char *kernel, const char *order, const char *kind,
                              const char *other)
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

#define SEVERAL_THREADS(count, arrivals, switches)                                                 \
    "grid " count "t\ninput x i32[2,3]\ninput y i32[3,2]\noutput o i32[2,2]\n"                     \
    "scratch s i32[2,2]\nscratch b barrier[] arrivals=" arrivals "\nscratch f i32[3,2]\n"          \
    "scratch c barrier[] arrivals=1\nbody\n"                                                       \
    "%50:i32[] = constant value=0; %51:i32[] = constant value=1\n"                                 \
    "%9:i32[3,2] = constant value=0; %8:i32[3,2] = load %2 [0:3,0:2]\n"                            \
    "%10:i32[] = program_id axis=0; switch %10 " switches "\n"
#define START "dot_start %4 %1 %2 replaces=true loc=1; "
#define READ "%40:i32[2,2] = load %4 [0:2,0:2] loc=8; store %3 %40 [0:2,0:2] loc=9;"
#define TWO_THREADS(arrivals, first, second)                                                       \
    SEVERAL_THREADS("2", arrivals, "{ " first " yield } { " second " yield }")
#define THREE_THREADS(arrivals, first, second, third)                                              \
    SEVERAL_THREADS("3", arrivals, "{ " first " yield } { " second " yield } { " third " yield }")

#endif
