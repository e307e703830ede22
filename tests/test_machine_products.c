/* Products that run beside the threads, and their groups. */
#include "run_findings.h"

static void expect_kernel_in(const char *kernel, const named *list, const char *order,
                             const char *wanted)
{
    tg_module *module = load_kernel(kernel);
    expect_in(module, list, order, wanted);
    tg_module_free(module);
}

static const int32_t x[2][3] = {{1, 2, 3}, {4, 5, 6}}, y[3][2] = {{1, 0}, {0, 1}, {1, 1}};
static const int32_t zeros[2][2], once[2][2] = {{4, 5}, {10, 11}},
                                  twice[2][2] = {{8, 10}, {20, 22}};

/* A sum, %20, that is 0 at first; the factors are %1 and, in memory of the program's own, %21. */
#define WITH_SUM(ops)                                                                              \
    "input x i32[2,3]\ninput y i32[3,2]\noutput o i32[2,2]\nbody\n"                                \
    "%5:i32[] = constant value=0; %6:i32[] = constant value=1; %7:i32[2,2] = constant value=0\n"   \
    "%8:i32[3,2] = load %2 [0:3,0:2]; %9:i32[3,2] = constant value=0\n"                            \
    "scoped { (%20:ref<i32[2,2]> %21:ref<i32[3,2]>) store %20 %7 [0:2,0:2]\n"                      \
    "store %21 %8 [0:3,0:2]\n" ops " yield }\n"

#define WITH(o) NAMED({"x", x}, {"y", y}, {"o", o})

#define GIVE "%40:i32[2,2] = load %20 [0:2,0:2] loc=8; store %3 %40 [0:2,0:2] loc=9;"

/* ---- values ---- */

Test(machine_products, a_product_is_added)
{
    expect_findings(WITH_SUM("dot_start %20 %1 %21 loc=1; dot_commit; dot_wait_groups %5\n" GIVE),
                    WITH(once), "");
}

Test(machine_products, products_of_a_thread_follow_each_other)
{
    expect_findings(WITH_SUM("dot_start %20 %1 %21 loc=1; dot_commit; dot_start %20 %1 %21 loc=2\n"
                             "dot_commit; dot_wait_groups %5\n" GIVE),
                    WITH(twice), "");
}

/* The value is kept: what its slot holds later does not matter. */
Test(machine_products, a_factor_may_be_a_value)
{
    expect_findings(WITH_SUM("%30:i32[2,3] = load %1 [0:2,0:3]; %31:i32[2,3] = constant value=0\n"
                             "%32:i32[2,3] = add %30 %31; dot_start %20 %32 %21 loc=1\n"
                             "dot_commit; dot_wait_groups %5\n" GIVE),
                    WITH(once), "");
}

/* Each turn of the loop has another value. */
Test(machine_products, a_value_of_each_turn)
{
    static const int32_t o[2][2] = {{4 * 3, 5 * 3}, {10 * 3, 11 * 3}};
    expect_findings(
        WITH_SUM("%30:i32[2,3] = load %1 [0:2,0:3]; %31:i32[] = constant value=3\n"
                 "for %5 %31 %6 { (%32:i32[]) %33:i32[2,3] = broadcast_in_dim %32 dims=[]\n"
                 "%34:i32[2,3] = mul %33 %30; dot_start %20 %34 %21 loc=1; dot_commit; yield }\n"
                 "dot_wait_groups %5\n" GIVE),
        WITH(o), "");
}

/* The sum has rows that are apart, or columns; what lies between stays as it is. */
Test(machine_products, a_sum_may_be_a_part_of_memory)
{
    static const int32_t rows[2][2] = {{4 + 7, 5 + 7}, {10 + 7, 11 + 7}},
                         columns[2][2] = {{4 + 7, 10 + 7}, {5 + 7, 11 + 7}};
#define IN_PART(view)                                                                              \
    WITH_SUM("scoped { (%25:ref<i32[2,4]>) %26:i32[2,4] = constant value=7\n"                      \
             "store %25 %26 [0:2,0:4]; %27:ref<i32[2,2]> = view %25 [0:2,1:2]\n"                   \
             "%28:ref<i32[2,2]> = view_transpose %27 permutation=" view "\n"                       \
             "dot_start %28 %1 %21 loc=1; dot_commit; dot_wait_groups %5\n"                        \
             "%30:i32[2,1] = load %25 [0:2,0:1]; %31:i32[2,1] = load %25 [0:2,3:1]\n"              \
             "%32:i32[2,1] = add %30 %31; %33:i32[2,1] = constant value=14\n"                      \
             "%34:i32[2,1] = sub %32 %33; %35:i32[2,2] = load %27 [0:2,0:2]\n"                     \
             "%36:i32[2,2] = broadcast_in_dim %34 dims=[0,1]; %40:i32[2,2] = add %35 %36\n"        \
             "store %3 %40 [0:2,0:2]; yield }\n")
    expect_findings(IN_PART("[0,1]"), WITH(rows), "");
    expect_findings(IN_PART("[1,0]"), WITH(columns), "");
#undef IN_PART
}

/* A transposed view, and one that strides cannot describe. */
Test(machine_products, factors_may_be_views)
{
    static const int32_t square[2][2] = {{14, 32}, {32, 77}};
    expect_findings(WITH_SUM("%30:ref<i32[3,2]> = view_transpose %1 permutation=[1,0]\n"
                             "dot_start %20 %1 %30 loc=1; dot_commit; dot_wait_groups %5\n" GIVE),
                    WITH(square), "");
    static const int32_t reshaped[2][2] = {{22, 28}, {49, 64}};
    expect_findings(
        WITH_SUM("%30:ref<i32[6]> = view_reshape %1; %31:ref<i32[3,2]> = view_reshape %30\n"
                 "dot_start %20 %1 %31 loc=1; dot_commit; dot_wait_groups %5\n" GIVE),
        WITH(reshaped), "");
}

/* f16: the product, 2^-11 + 2^-22, is rounded, and then the sum, as by dot_general and add. */
Test(machine_products, narrow_sums_are_rounded_twice)
{
    static const uint16_t a[1][2] = {{0x1000, 0x1000}}, b[2][1] = {{0x3c00}, {0x1000}};
    static const uint16_t sum[1][1] = {{0x3c00}};
    expect_findings("input x f16[1,2]\ninput y f16[2,1]\noutput o f16[1,1]\nbody\n"
                    "%5:i32[] = constant value=0; %7:f16[1,1] = constant value=1\n"
                    "scoped { (%20:ref<f16[1,1]>) store %20 %7 [0:1,0:1]\n"
                    "dot_start %20 %1 %2; dot_commit; dot_wait_groups %5\n"
                    "%8:f16[1,1] = load %20 [0:1,0:1]; store %3 %8 [0:1,0:1]; yield }\n",
                    NAMED({"x", a}, {"y", b}, {"o", sum}), "");
}

Test(machine_products, integers_of_a_byte)
{
    static const int8_t a[1][2] = {{-128, 127}}, b[2][1] = {{-128}, {127}};
    static const int32_t sum[1][1] = {{128 * 128 + 127 * 127}};
    expect_findings("input x i8[1,2]\ninput y i8[2,1]\noutput o i32[1,1]\nbody\n"
                    "%5:i32[] = constant value=0; %7:i32[1,1] = constant value=0\n"
                    "scoped { (%20:ref<i32[1,1]>) store %20 %7 [0:1,0:1]\n"
                    "dot_start %20 %1 %2; dot_commit; dot_wait_groups %5\n"
                    "%8:i32[1,1] = load %20 [0:1,0:1]; store %3 %8 [0:1,0:1]; yield }\n",
                    NAMED({"x", a}, {"y", b}, {"o", sum}), "");
}

/* ---- scales, and sparse factors ---- */

/* Of 2 rows each: one scale for two elements of x, one for each row of y. */
static const float ones[2][4] = {{1, 1, 1, 1}, {1, 1, 1, 1}}, counted[4][1] = {{1}, {2}, {4}, {8}};

Test(machine_products, factors_have_scales)
{
    static const float of_rows[2][2] = {{1, 2}, {3, 4}}, of_columns[1][4] = {{1, 10, 100, 1000}};
    static const float sum[2][1] = {{1 + 20 + 2 * (400 + 8000)}, {3 * (1 + 20) + 4 * (400 + 8000)}};
    expect_findings(
        "input x f32[2,4]\ninput y f32[4,1]\ninput r f32[2,2]\ninput c f32[1,4]\n"
        "output o f32[2,1]\nbody\n%10:i32[] = constant value=0\n"
        "scoped { (%20:ref<f32[2,1]>)\n"
        "dot_start %20 %1 %2 %3 %4 replaces=true; dot_commit; dot_wait_groups %10\n"
        "%11:f32[2,1] = load %20 [0:2,0:1]; store %5 %11 [0:2,0:1]; yield }\n",
        NAMED({"x", ones}, {"y", counted}, {"r", of_rows}, {"c", of_columns}, {"o", sum}), "");
}

/* x has two of each four elements of a row, and %12 says which; what is left out is not multiplied. */
#define SPARSE(y, selection)                                                                       \
    "input x f32[2,2]\noutput o f32[2,1]\nbody\n%10:i32[] = constant value=0\n"                    \
    "scoped { (%20:ref<f32[2,1]> %21:ref<f32[4,1]> %22:ref<u2[2,2]>)\n"                            \
    "%11:f32[4,1] = constant value=" y "; store %21 %11 [0:4,0:1]\n"                               \
    "%12:u2[2,2] = constant value=" selection "; store %22 %12 [0:2,0:2]\n"                        \
    "dot_start %20 %1 %21 %22 replaces=true; dot_commit; dot_wait_groups %10\n"                    \
    "%13:f32[2,1] = load %20 [0:2,0:1]; store %2 %13 [0:2,0:1]; yield }\n"

Test(machine_products, a_sparse_factor)
{
    static const float x_[2][2] = {{1, 2}, {3, 4}}, sum[2][1] = {{1 * 1 + 2 * 8}, {3 * 2 + 4 * 4}},
                       beside[2][1] = {{1 * 1 + 2 * 2}, {3 * 1 + 4 * 2}};
    expect_findings(SPARSE("[1,2,4,8]", "[0,3,1,2]"), NAMED({"x", x_}, {"o", sum}), "");
    expect_findings(SPARSE("[1,2,4,\"inf\"]", "[0,1,0,1]"), NAMED({"x", x_}, {"o", beside}), "");
}

/* ---- groups ---- */

Test(machine_products, an_open_group_is_not_awaited)
{
    expect_findings(
        WITH_SUM("dot_start %20 %1 %21 loc=1; dot_wait_groups %5; store %3 %7 [0:2,0:2]\n"),
        WITH(zeros), "product-not-awaited@1");
}

/* The newest group is for another sum. */
Test(machine_products, the_newest_group_is_not_awaited)
{
    expect_findings(WITH_SUM("scoped { (%25:ref<i32[2,2]>) store %25 %7 [0:2,0:2]\n"
                             "dot_start %20 %1 %21 loc=1; dot_commit\n"
                             "dot_start %25 %1 %21 loc=2; dot_commit; dot_wait_groups %6\n" GIVE
                             "dot_wait_groups %5; yield }\n"),
                    WITH(once), "");
}

/* Groups of copies are others. */
Test(machine_products, a_wait_for_copies_is_none_for_products)
{
    expect_kernel_in(WITH_SUM("dot_start %20 %1 %21 loc=1; dot_commit; dma_wait_groups %5\n" GIVE
                              "dot_wait_groups %5\n"),
                     WITH(zeros), "sequential", "product-in-flight@8");
}

/* ---- what may go wrong ---- */

/* In sequential order the product is as late as may be. */
Test(machine_products, a_sum_is_read_before_the_wait)
{
    const char *const kernel =
        WITH_SUM("dot_start %20 %1 %21 loc=1; dot_commit\n" GIVE "dot_wait_groups %5\n");
    expect_kernel_in(kernel, WITH(zeros), "sequential", "product-in-flight@8");
    expect_kernel_in(kernel, WITH(once), "reversed", "product-in-flight@8");
}

Test(machine_products, a_sum_is_written_before_the_wait)
{
    const char *const kernel = WITH_SUM("dot_start %20 %1 %21 loc=1; dot_commit\n"
                                        "store %20 %7 [0:2,0:2] loc=2; dot_wait_groups %5\n" GIVE);
    expect_kernel_in(kernel, WITH(once), "sequential", "product-in-flight@2");
    expect_kernel_in(kernel, WITH(zeros), "reversed", "product-in-flight@2");
}

Test(machine_products, a_factor_is_overwritten_before_the_wait)
{
    const char *const kernel = WITH_SUM("dot_start %20 %1 %21 loc=1; dot_commit\n"
                                        "store %21 %9 [0:3,0:2] loc=2; dot_wait_groups %5\n" GIVE);
    expect_kernel_in(kernel, WITH(zeros), "sequential", "product-in-flight@2");
    expect_kernel_in(kernel, WITH(once), "reversed", "product-in-flight@2");
}

Test(machine_products, a_copy_overwrites_a_factor)
{
    expect_kernel_in(WITH_SUM("dot_start %20 %1 %21 loc=1; dot_commit; dma_start %2 %21 loc=2\n"
                              "dma_commit; dma_wait_groups %5; dot_wait_groups %5\n" GIVE),
                     WITH(once), "sequential", "product-in-flight@2");
}

Test(machine_products, a_factor_is_still_being_copied)
{
    expect_findings(WITH_SUM("dma_start %2 %21 loc=1; dma_commit; dot_start %20 %1 %21 loc=2\n"
                             "dot_commit; dot_wait_groups %5; dma_wait_groups %5\n" GIVE),
                    WITH(once), "dma-in-flight@2");
}

Test(machine_products, a_factor_may_be_read_before_the_wait)
{
    expect_findings(WITH_SUM("dot_start %20 %1 %21 loc=1; dot_commit\n"
                             "%30:i32[3,2] = load %21 [0:3,0:2]; dot_wait_groups %5\n" GIVE
                             "store %21 %30 [0:3,0:2]\n"),
                    WITH(once), "");
}

Test(machine_products, a_sum_ends_before_the_wait)
{
    expect_findings(WITH_SUM("dot_start %20 %1 %21 loc=1; dot_commit; store %3 %7 [0:2,0:2]\n"),
                    WITH(zeros), "product-not-awaited@1");
}

/* ---- undefined values ---- */

#define UNDEFINED(ops)                                                                             \
    "input x i32[2,3]\ninput y i32[3,2]\noutput o i32[2,2]\nbody\n"                                \
    "%5:i32[] = constant value=0; %7:i32[2,2] = constant value=0\n"                                \
    "scoped { (%20:ref<i32[2,2]> %21:ref<i32[3,2]> %22:ref<i32[2,3]>)\n" ops                       \
    "dot_commit; dot_wait_groups %5; " GIVE " yield }\n"

/* The elements of `o` that are found to be undefined, of the first finding. */
static void expect_undefined(const char *kernel, const char *wanted)
{
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = "undefined"};
        tg_module *module = load_kernel(kernel);
        arrays all = make_arrays(module, WITH(NULL));
        tg_report *report = run_once(module, &all, &options);
        tg_text text = {0};
        for (size_t i = 0; i < tg_report_finding_count(report); i++) {
            const tg_finding f = tg_report_finding(report, i);
            tg_text_add(&text, "%s %d..%d; ", f.kind, (int)f.first, (int)f.last);
        }
        char *found = tg_text_finish(&text);
        cr_expect_str_eq(found, wanted, "%s", every_order[o]);
        free(found);
        tg_report_free(report);
        free_arrays(&all);
        tg_module_free(module);
    }
}

Test(machine_products, a_sum_that_nobody_has_begun)
{
    expect_undefined(UNDEFINED("dot_start %20 %1 %2;"), "undefined-output 0..3; ");
}

Test(machine_products, a_row_of_the_left_factor)
{
    expect_undefined(UNDEFINED("store %20 %7 [0:2,0:2]; %30:i32[1,3] = load %1 [0:1,0:3]\n"
                               "store %22 %30 [1:1,0:3]; dot_start %20 %22 %2;"),
                     "undefined-output 0..1; ");
}

Test(machine_products, a_column_of_the_right_factor)
{
    expect_undefined(UNDEFINED("store %20 %7 [0:2,0:2]; %30:i32[3,1] = load %2 [0:3,0:1]\n"
                               "store %21 %30 [0:3,0:1]; dot_start %20 %1 %21;"),
                     "undefined-output 1..3; ");
}

Test(machine_products, a_value_is_undefined)
{
    expect_undefined(
        UNDEFINED("store %20 %7 [0:2,0:2]; %30:i32[1,3] = load %1 [0:1,0:3]\n"
                  "%31:i32[1,3] = undefined; %32:i32[2,3] = concatenate %30 %31 axis=0\n"
                  "dot_start %20 %32 %2;"),
        "undefined-output 2..3; ");
}

/* ---- threads ---- */

/* Thread 0 multiplies, thread 1 overwrites the factor, behind a barrier that thread 0 reaches `then`. */
#define SHARED(before, then)                                                                       \
    "grid 2t\ninput x i32[2,3]\ninput y i32[3,2]\noutput o i32[2,2]\nscratch s i32[3,2]\n"         \
    "scratch ready barrier[] arrivals=1\nscratch free barrier[] arrivals=1\nbody\n"                \
    "%50:i32[] = constant value=0; %7:i32[2,2] = constant value=0; %10:i32[] = program_id "        \
    "axis=0\n"                                                                                     \
    "%11:i32[3,2] = load %2 [0:3,0:2]; %12:i32[3,2] = constant value=0\n"                          \
    "switch %10 { scoped { (%20:ref<i32[2,2]>) store %20 %7 [0:2,0:2]; barrier_wait %5\n"          \
    "dot_start %20 %1 %4 loc=1; dot_commit; " before " barrier_arrive %6; " then GIVE              \
    " yield }; yield } { store %4 %11 [0:3,0:2] loc=2; barrier_arrive %5; barrier_wait %6\n"       \
    "store %4 %12 [0:3,0:2] loc=3; yield }\n"

Test(machine_products, a_factor_is_given_back)
{
    expect_findings(SHARED("dot_wait_groups %50;", ""), WITH(once), "");
}

/* Whatever the order chooses, the race is found. */
Test(machine_products, a_factor_is_given_back_before_it_is_read)
{
    for (int o = 0; o < ORDERS; o++)
        expect_kernel_in(SHARED("", "dot_wait_groups %50;"), WITH(NULL), every_order[o], "race@3");
}

/* The sum is in memory that the threads share.  Products of one thread follow each other. */
Test(machine_products, a_sum_that_is_handed_on)
{
    expect_findings(
        "grid 2t\ninput x i32[2,3]\ninput y i32[3,2]\noutput o i32[2,2]\nscratch s i32[2,2]\n"
        "scratch ready barrier[] arrivals=1\nbody\n"
        "%50:i32[] = constant value=0; %51:i32[] = constant value=1; %7:i32[2,2] = constant "
        "value=0\n"
        "%10:i32[] = program_id axis=0; switch %10 { store %4 %7 [0:2,0:2] loc=1\n"
        "dot_start %4 %1 %2 loc=2; dot_commit; dot_start %4 %1 %2 loc=3; dot_commit\n"
        "dot_wait_groups %51; dot_wait_groups %50; barrier_arrive %5; yield } {\n"
        "barrier_wait %5; %40:i32[2,2] = load %4 [0:2,0:2] loc=4; store %3 %40 [0:2,0:2]; yield "
        "}\n",
        WITH(twice), "");
}

/* ---- arrivals ---- */

/* The sum is in scratch, undefined at first; %50 is 0. */
#define ARRIVING(grid, ops)                                                                        \
    grid                                                                                           \
        "input x i32[2,3]\ninput y i32[3,2]\noutput o i32[2,2]\nscratch s i32[2,2]\n"              \
        "scratch b barrier[] arrivals=1\nscratch f i32[3,2]\nbody\n%50:i32[] = constant value=0\n" \
        "%9:i32[3,2] = constant value=0; %8:i32[3,2] = load %2 [0:3,0:2]\n" ops

#define START "dot_start %4 %1 %2 replaces=true loc=1; "
#define READ "%40:i32[2,2] = load %4 [0:2,0:2] loc=8; store %3 %40 [0:2,0:2] loc=9;"

Test(machine_products, an_arrival_comes_behind_products)
{
    expect_findings(ARRIVING("", START "dot_arrive %5 loc=2; barrier_wait %5 loc=3; " READ),
                    WITH(once), "");
    expect_findings(ARRIVING("", START "dot_start %4 %1 %2 loc=1; dot_arrive %5 loc=2\n"
                                       "barrier_wait %5 loc=3; " READ),
                    WITH(twice), "");
}

Test(machine_products, what_is_read_before_the_wait_for_the_arrival)
{
    for (int o = 0; o < ORDERS; o++)
        expect_kernel_in(ARRIVING("", START "dot_arrive %5 loc=2; barrier_wait %5 loc=3\n"
                                            "dot_start %4 %1 %2 loc=4; dot_arrive %5 loc=5\n" READ
                                            "barrier_wait %5 loc=6"),
                         WITH(NULL), every_order[o], "product-in-flight@8");
}

/* The first wait makes sure of the first product only, and the second arrival may come before it: that
 * the thread has waited before it comes is of no use, as it was on its way already. */
Test(machine_products, an_arrival_is_for_what_was_started_before)
{
    expect_findings(
        ARRIVING("",
                 "store %6 %8 [0:3,0:2]; " START "dot_arrive %5 loc=2; dot_start %4 %1 %6 loc=3\n"
                 "dot_arrive %5 loc=4; barrier_wait %5 loc=5; store %6 %9 [0:3,0:2] loc=6\n"
                 "barrier_wait %5 loc=7; " READ),
        WITH(NULL), "phase-missed@5; product-in-flight@6");
}

Test(machine_products, nobody_waits_for_the_arrival)
{
    expect_findings(ARRIVING("", START "dot_arrive %5 loc=2; %10:i32[2,2] = constant value=0\n"
                                       "store %3 %10 [0:2,0:2]\n"),
                    WITH(zeros), "product-not-awaited@1");
}

#define TWO_THREADS(first, second)                                                                 \
    ARRIVING("grid 2t\n", "%10:i32[] = program_id axis=0; switch %10 { " first                     \
                          " yield } { " second " yield }\n")

/* What all earlier products have done is known to who waits, the ones that were awaited before as well. */
Test(machine_products, another_thread_waits_for_the_arrival)
{
    expect_findings(TWO_THREADS(START "dot_arrive %5 loc=2;", "barrier_wait %5 loc=3; " READ),
                    WITH(once), "");
    expect_findings(
        TWO_THREADS(START "dot_arrive %5 loc=2; dot_start %4 %1 %2 loc=4; dot_arrive %5 loc=5;",
                    "barrier_wait %5 loc=3; barrier_wait %5 loc=6; " READ),
        WITH(twice), "phase-missed@3");
}

Test(machine_products, another_thread_waits_for_an_earlier_arrival)
{
    for (int o = 0; o < ORDERS; o++)
        expect_kernel_in(TWO_THREADS(START "dot_arrive %5 loc=2; dot_start %4 %1 %2 loc=4\n"
                                           "dot_arrive %5 loc=5;",
                                     "barrier_wait %5 loc=3; " READ "barrier_wait %5 loc=6;"),
                         WITH(NULL), every_order[o], "race@4; phase-missed@3");
}

/* It is a factor of the product behind it, which nobody has to wait for. */
Test(machine_products, a_copy_among_products)
{
    expect_findings(ARRIVING("", "dma_start %2 %6 among_products=true loc=1\n"
                                 "dot_start %4 %1 %6 replaces=true loc=2\n"
                                 "dot_arrive %5 loc=3; barrier_wait %5 loc=4; " READ),
                    WITH(once), "");
}

/* On a GPU a copy may come before the product whose factor, or the copy whose destination, it overwrites. */
Test(machine_products, a_copy_among_products_overwrites_what_is_in_flight)
{
    expect_findings(ARRIVING("", "dma_start %2 %6 among_products=true loc=1\n"
                                 "dot_start %4 %1 %6 replaces=true loc=2\n"
                                 "dma_start %2 %6 among_products=true loc=3\n"
                                 "dot_arrive %5 loc=4; barrier_wait %5 loc=5; " READ),
                    WITH(once), "dma-in-flight@3");
    expect_findings(ARRIVING("", "dma_start %2 %6 among_products=true loc=1\n"
                                 "dot_start %4 %1 %6 replaces=true loc=2\n"
                                 "dot_arrive %5 loc=3; barrier_wait %5 loc=4\n"
                                 "dma_start %2 %6 among_products=true loc=5; dot_arrive %5 loc=6\n"
                                 "barrier_wait %5 loc=7; " READ),
                    WITH(once), "");
}

Test(machine_products, a_copy_among_products_is_in_flight_until_the_arrival)
{
    for (int o = 0; o < ORDERS; o++)
        expect_kernel_in(ARRIVING("", "dma_start %2 %6 among_products=true loc=1\n"
                                      "%10:i32[3,2] = load %6 [0:3,0:2] loc=2\n"
                                      "%11:i32[2,2] = constant value=0; store %3 %11 [0:2,0:2]\n"
                                      "dot_arrive %5 loc=3; barrier_wait %5 loc=4\n"),
                         WITH(zeros), every_order[o], "dma-in-flight@2");
}

/* Nothing orders the two: the phase of either may be the first.  Two arrivals behind products of one
 * thread come one after the other. */
Test(machine_products, a_thread_arrives_where_its_product_does)
{
    for (int o = 0; o < ORDERS; o++) {
        expect_kernel_in(ARRIVING("", START "dot_arrive %5 loc=2; barrier_arrive %5 loc=3\n"
                                            "barrier_wait %5; barrier_wait %5; " READ),
                         WITH(NULL), every_order[o], "barrier-overrun@3");
        expect_kernel_in(TWO_THREADS(START "dot_arrive %5 loc=2; dot_arrive %5 loc=3;",
                                     "barrier_wait %5 loc=4; barrier_wait %5; " READ),
                         WITH(once), every_order[o], "phase-missed@4");
    }
}

Test(machine_products, an_arrival_that_nothing_precedes)
{
    expect_findings(ARRIVING("", "dot_arrive %5 loc=2; barrier_wait %5 loc=3\n"
                                 "%10:i32[2,2] = constant value=0; store %3 %10 [0:2,0:2]\n"),
                    WITH(zeros), "");
}

/* ---- as PTX ---- */

Test(machine_products, as_ptx_they_take_place_where_they_start)
{
    tg_module *module =
        load_kernel(WITH_SUM("dot_start %20 %1 %21 loc=1; dot_commit; dot_wait_groups %5\n" GIVE));
    const tg_run_options options = {.size = sizeof options, .backend = "emulator"};
    arrays all = make_arrays(module, WITH(once));
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 0);
    compare_arrays(&all, "emulator");
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}
