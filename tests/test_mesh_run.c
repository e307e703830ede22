/* Runs of kernels on the devices of a mesh. */
#include "mesh_run.h"

/* o = 2 x, of f32[2,4] a device. */
static const char twice[] = "grid 1\ninput x f32[2,4]\noutput o f32[2,4]\nbody\n"
                            "%10:f32[2,4] = load %1 [0:2,0:4]; %11:f32[2,4] = add %10 %10; "
                            "store %2 %11 [0:2,0:4]\n";

/* o = sums of the rows of x, of f32[2,4] a device. */
static const char row_sums[] = "grid 1\ninput x f32[2,4]\noutput o f32[2]\nbody\n"
                               "%10:f32[2,4] = load %1 [0:2,0:4]; "
                               "%11:f32[2] = reduce_sum %10 axes=[1]; store %2 %11 [0:2]\n";

/* o = x, of T[1] a device. */
#define COPY(T)                                                                                    \
    "grid 1\ninput x " T "[1]\noutput o " T "[1]\nbody\n%10:" T "[1] = load %1 [0:1]; "            \
    "store %2 %10 [0:1]\n"

static const float *numbers(void)
{
    static float x[64];
    for (int i = 0; i < 64; i++) x[i] = (float)i;
    return x;
}

static mesh_test twice_on(const char *mesh, const char *x, const char *o)
{
    return (mesh_test){
        .kernel = twice, .mesh = mesh, .shardings = {{"x", x, NULL, 0}, {"o", o, NULL, 0}}};
}

/* ---- split and gather ---- */

static void check_twice(mesh_test t, const char *device_order)
{
    t.device_order = device_order;
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", numbers(), IN_SHAPE(8, 8));
    mesh_run(&t);
    show_errors(t.errors);
    cr_assert_eq(t.status, TG_OK);
    cr_assert_eq(tg_report_finding_count(t.report), 0);
    cr_assert_eq(tg_report_stats(t.report).programs, 8);
    cr_assert_eq(tg_report_device_count(t.report), 8);
    cr_assert_str_eq(tg_report_device_order(t.report), device_order);
    const tg_array o = tg_arrays_get(t.outputs, 0);
    cr_assert_eq(o.tensor.shape[0] * o.tensor.shape[1], 64);
    for (int i = 0; i < 64; i++) cr_assert_eq(((float *)o.tensor.data)[i], (float)(2 * i), "%d", i);
    mesh_end(&t);
}

Test(mesh_run, each_notation_in_each_order_of_devices)
{
    static const char *const notations[] = {
        "P('x', 'y')",
        "[{\"x\"}, {\"y\"}]",
        "(S(0), S(1))",
        "(4,2,2,4):(2@gpuid,4@m,1@gpuid,1@m)",
        "{\"D\": [[4,2,\"gpuid\"],[2,4,\"m\"],[2,1,\"gpuid\"],[4,1,\"m\"]]}",
        "x=4,y=2 P('x', 'y')",
        "x=4,y=2 (4,2,2,4):(2@gpuid,4@m,1@gpuid,1@m)",
        "#sdy.sharding<mesh<[\"x\"=4, \"y\"=2]>, [{\"x\"}, {\"y\"}]>",
    };
    static const char *const orders[] = {"sequential", "reversed", "shuffled:5"};
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++)
        for (size_t k = 0; k < 3; k++)
            check_twice(twice_on("x=4,y=2", notations[i], "P('x', 'y')"), orders[k]);
}

Test(mesh_run, without_names)
{
    const int64_t shape[] = {8, 8};
    mesh_test t = twice_on(NULL, "(4,2,2,4):(2@gpuid,4@m,1@gpuid,1@m)",
                           "(2,4,2,4):(4@gpuid,1@m,2@gpuid,4@m)");
    /* o is of another shape: [2,4,2,4] on 8 devices needs three digits of them. */
    t.shardings[1].text = "(2,2,2,2,4):(4@gpuid,2@gpuid,4@m,1@gpuid,1@m)";
    t.shardings[1].shape = shape;
    t.shardings[1].rank = 2;
    check_twice(t, "sequential");
}

/* Devices hold columns of 2 x 4 blocks, but in their memory the blocks are transposed: x goes in
 * so, and o comes out so. */
Test(mesh_run, layouts_that_are_no_sharding)
{
    static const char text[] = "(4,2,2,4):(1@gpuid,1@m,4@gpuid,2@m)";
    const int64_t shape[] = {8, 8};
    mesh_test t = twice_on("x=4,y=2", text, text);
    t.shardings[1].shape = shape;
    t.shardings[1].rank = 2;
    check_twice(t, "sequential");
}

Test(mesh_run, ids_of_devices)
{
    mesh_test t = twice_on("<[\"x\"=4, \"y\"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>",
                           "P('x', 'y')", "(4,2,2,4):(2@gpuid,4@m,1@gpuid,1@m)");
    const int64_t shape[] = {8, 8};
    t.shardings[1].shape = shape;
    t.shardings[1].rank = 2;
    check_twice(t, "sequential");
    /* The layout counts devices by position, and its own table says which are there. */
    t = twice_on(NULL, "(4,2,2,4):(2@gpuid,4@m,1@gpuid,1@m) | devices [7,6,5,4,3,2,1,0]",
                 "(4,2,2,4):(2@gpuid,4@m,1@gpuid,1@m) | devices [7,6,5,4,3,2,1,0]");
    t.shardings[1].shape = shape;
    t.shardings[1].rank = 2;
    check_twice(t, "sequential");
}

/* ---- costs ---- */

/* Of all devices, each of which loads and stores one sector. */
Test(mesh_run, memory_costs)
{
    mesh_test t = twice_on("x=4,y=2", "P('x', 'y')", "P('x', 'y')");
    t.options.checks = "memory-cost";
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", numbers(), IN_SHAPE(8, 8));
    mesh_run(&t);
    cr_assert_eq(t.status, TG_OK);
    cr_assert_eq(tg_report_memory_cost_count(t.report), 2);
    for (size_t i = 0; i < 2; i++) {
        const tg_memory_access_cost c = tg_report_memory_cost(t.report, i);
        cr_expect_str_eq(c.param, i ? "o" : "x");
        cr_expect_eq(c.accesses, 8);
        cr_expect_eq(c.cost, 8);
        cr_expect_eq(c.least, 8);
    }
    mesh_end(&t);
}

/* ---- copies ---- */

static mesh_test sums_of(const char *x, const char *o, const float *data)
{
    mesh_test t = {
        .kernel = row_sums, .mesh = "x=4,y=2", .shardings = {{"x", x, NULL, 0}, {"o", o, NULL, 0}}};
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", data, IN_SHAPE(8, 8));
    mesh_run(&t);
    show_errors(t.errors);
    cr_assert_eq(t.status, TG_OK);
    return t;
}

Test(mesh_run, copies_that_differ)
{
    mesh_test t = sums_of("P('x', 'y')", "P('x')", numbers());
    cr_assert_eq(tg_report_finding_count(t.report), 1);
    const tg_finding f = tg_report_finding(t.report, 0);
    cr_assert_str_eq(f.kind, "replicas-differ");
    cr_assert_str_eq(f.level, "error");
    cr_assert_str_eq(f.param, "o");
    cr_assert_str_eq(f.message, "8 elements of o differ between devices that hold copies of them: "
                                "o[0] is 6 [40c00000] on device 0 (x=0, y=0) and "
                                "22 [41b00000] on device 1 (x=0, y=1)");
    cr_assert_str_eq(f.device, "device 0 (x=0, y=0)");
    cr_assert_eq(f.device_count, 2);
    cr_assert_eq(tg_report_device(t.report, 0, 1), 1);
    cr_assert_eq(f.first, 0);
    cr_assert_eq(f.last, 7);
    cr_assert_eq(f.count, 1);
    cr_assert_null(f.program);
    cr_assert_eq(((float *)mesh_output(&t))[1], 8 + 9 + 10 + 11); /* of the first device */
    const tg_mesh_output o = tg_report_mesh_output(t.report, 0);
    cr_assert_eq(tg_report_mesh_output_count(t.report), 1);
    cr_assert_eq(o.blocks, 4);
    cr_assert_eq(o.copies, 2);
    cr_assert_eq(o.terms, 1);
    cr_assert_str_eq(o.reduction, "");
    cr_assert_str_eq(o.layout, "(4,2):(2@gpuid,1@m) + [2:1@gpuid]");
    mesh_end(&t);
}

Test(mesh_run, one_element_differs)
{
    const float x[] = {1, 1, 3, 1};
    mesh_test t = {.kernel = COPY("f32"),
                   .mesh = "x=4",
                   .shardings = {{"x", "P('x')", NULL, 0}, {"o", "P()", NULL, 0}}};
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", x, IN_SHAPE(4));
    mesh_run(&t);
    cr_assert_eq(t.status, TG_OK);
    const tg_finding f = tg_report_finding(t.report, 0);
    cr_assert_str_eq(f.message, "1 element of o differs between devices that hold copies of it: "
                                "o[0] is 1 [3f800000] on device 0 (x=0) and "
                                "3 [40400000] on device 2 (x=2)");
    cr_assert_eq(tg_report_device(t.report, 0, 1), 2);
    mesh_end(&t);
}

/* Of a mesh whose devices have other ids than positions. */
Test(mesh_run, copies_that_differ_on_devices_with_ids)
{
    const float x[] = {5, 6};
    mesh_test t = {.kernel = COPY("f32"),
                   .mesh = "<[\"x\"=2], device_ids=[1, 0]>",
                   .shardings = {{"x", "P('x')", NULL, 0}, {"o", "P()", NULL, 0}}};
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", x, IN_SHAPE(2));
    mesh_run(&t);
    cr_assert_eq(t.status, TG_OK);
    cr_assert_str_eq(tg_report_finding(t.report, 0).message,
                     "1 element of o differs between devices that hold copies of it: o[0] is 5 "
                     "[40a00000] on device 1 (x=0) and 6 [40c00000] on device 0 (x=1)");
    mesh_end(&t);
}

/* 0 and -0 have other bits; NaNs are equal, whatever their payload. */
Test(mesh_run, bits_are_compared_but_of_nans)
{
    const uint32_t zeros[] = {0, 0x80000000u}, nans[] = {0x7fc00000u, 0xffc00001u};
    for (int i = 0; i < 2; i++) {
        mesh_test t = {.kernel = COPY("f32"),
                       .mesh = "x=2",
                       .shardings = {{"x", "P('x')", NULL, 0}, {"o", "P()", NULL, 0}}};
        mesh_begin(&t);
        mesh_input(&t, "x", "f32", i ? nans : zeros, IN_SHAPE(2));
        mesh_run(&t);
        cr_assert_eq(t.status, TG_OK);
        cr_assert_eq(tg_report_finding_count(t.report), i ? 0 : 1);
        mesh_end(&t);
    }
}

/* ---- terms ---- */

Test(mesh_run, terms_are_summed)
{
    static const char *const layouts[] = {"P('x', unreduced={'y'})", "[{\"x\"}], unreduced={\"y\"}",
                                          "(S(0), P)", "(S(0), P(sum))"};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        mesh_test t = sums_of("P('x', 'y')", layouts[i], numbers());
        cr_assert_eq(tg_report_finding_count(t.report), 0);
        for (int r = 0; r < 8; r++)
            cr_assert_eq(((float *)mesh_output(&t))[r], (float)(64 * r + 28));
        const tg_mesh_output o = tg_report_mesh_output(t.report, 0);
        cr_assert_eq(o.terms, 2);
        cr_assert_eq(o.copies, 1);
        cr_assert_str_eq(o.reduction, "sum");
        mesh_end(&t);
    }
}

static mesh_test copied(const char *kernel, const char *dtype, const void *x, int64_t count,
                        const char *mesh, const char *o)
{
    mesh_test t = {
        .kernel = kernel, .mesh = mesh, .shardings = {{"x", "P('x')", NULL, 0}, {"o", o, NULL, 0}}};
    mesh_begin(&t);
    mesh_input(&t, "x", dtype, x, 1, &count);
    mesh_run(&t);
    show_errors(t.errors);
    cr_assert_eq(t.status, TG_OK);
    return t;
}

/* From left to right: ((2^24 + 1) + 1) is 2^24, and 1 + (1 + 2^24) would be 2^24 + 2. */
Test(mesh_run, terms_are_summed_from_left_to_right_in_their_dtype)
{
    const float x[] = {16777216, 1, 1, 0}, y[] = {1, 1, 16777216, 0};
    mesh_test t = copied(COPY("f32"), "f32", x, 4, "x=4", "P(unreduced={'x'})");
    cr_assert_eq(*(float *)mesh_output(&t), 16777216);
    mesh_end(&t);
    t = copied(COPY("f32"), "f32", y, 4, "x=4", "(P)");
    cr_assert_eq(*(float *)mesh_output(&t), 16777218);
    mesh_end(&t);
    /* Positions, not ids, say the order. */
    t = copied(COPY("f32"), "f32", x, 4, "<[\"x\"=4], device_ids=[2, 3, 1, 0]>", "(P)");
    cr_assert_eq(*(float *)mesh_output(&t), 16777216);
    mesh_end(&t);
    /* 256 + 1 is 256 in bf16, each time. */
    const uint16_t half[] = {0x4380, 0x3f80, 0x3f80, 0x3f80};
    t = copied(COPY("bf16"), "bf16", half, 4, "x=4", "(P)");
    cr_assert_eq(*(uint16_t *)mesh_output(&t), 0x4380);
    mesh_end(&t);
    const int8_t few[] = {7, 1, 0, 0}; /* wraps */
    t = copied(COPY("i4"), "i4", few, 4, "x=4", "(P)");
    cr_assert_eq(*(int8_t *)mesh_output(&t), -8);
    mesh_end(&t);
}

/* As many elements as are summed up at once, and some more. */
Test(mesh_run, long_terms_are_summed)
{
    enum { COUNT = 2500 };
    static int32_t x[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++) x[i] = i * i;
    mesh_test t = copied("grid 1\ninput x i32[2500]\noutput o i32[2500]\nbody\n"
                         "%10:i32[2500] = load %1 [0:2500]; store %2 %10 [0:2500]\n",
                         "i32", x, (int64_t)2 * COUNT, "x=2", "(P)");
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(((int32_t *)mesh_output(&t))[i], x[i] + x[COUNT + i], "%d", i);
    mesh_end(&t);
}

Test(mesh_run, greatest_and_least_terms)
{
    const int32_t x[] = {3, -7, 5, 5};
    mesh_test t = copied(COPY("i32"), "i32", x, 4, "x=4", "(P(max))");
    cr_assert_eq(*(int32_t *)mesh_output(&t), 5);
    cr_assert_str_eq(tg_report_mesh_output(t.report, 0).reduction, "max");
    mesh_end(&t);
    t = copied(COPY("i32"), "i32", x, 4, "x=4", "[{}], unreduced=min{\"x\"}");
    cr_assert_eq(*(int32_t *)mesh_output(&t), -7);
    mesh_end(&t);
}

/* Sums of terms that are copies of each other are compared: x=0 and x=1 have other ones. */
Test(mesh_run, sums_that_differ)
{
    const float x[] = {1, 2, 3, 4};
    mesh_test t = {.kernel = COPY("f32"),
                   .mesh = "x=2,y=2",
                   .shardings = {{"x", "P(('x', 'y'))", NULL, 0}, {"o", "(B, P)", NULL, 0}}};
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", x, IN_SHAPE(4));
    mesh_run(&t);
    cr_assert_eq(t.status, TG_OK);
    const tg_finding f = tg_report_finding(t.report, 0);
    cr_assert(strstr(f.message, "o[0] is 3 [40400000] on device 0 (x=0, y=0) and "
                                "7 [40e00000] on device 2 (x=1, y=0)"),
              "%s", f.message);
    const tg_mesh_output o = tg_report_mesh_output(t.report, 0);
    cr_assert(o.blocks == 1 && o.copies == 2 && o.terms == 2);
    mesh_end(&t);
}

/* Of a sum, one device has the array and others zeros: so what comes out as terms is the array
 * again. */
Test(mesh_run, inputs_as_terms)
{
    const float x[] = {5};
    static const char *const layouts[] = {"(P)", "(P(max))", "(P(min))"};
    static const float first_copy[] = {5, 5, 5};
    for (int i = 0; i < 3; i++)
        for (int is_copy = 0; is_copy < 2; is_copy++) {
            mesh_test t = {.kernel = COPY("f32"),
                           .mesh = "x=2",
                           .shardings = {{"x", layouts[i], NULL, 0},
                                         {"o", is_copy ? "P()" : layouts[i], NULL, 0}}};
            mesh_begin(&t);
            mesh_input(&t, "x", "f32", x, IN_SHAPE(1));
            mesh_run(&t);
            cr_assert_eq(t.status, TG_OK);
            cr_assert_eq(*(float *)mesh_output(&t), first_copy[i]);
            cr_assert_eq(tg_report_finding_count(t.report), i == 0 && is_copy ? 1 : 0);
            mesh_end(&t);
        }
}

/* ---- findings of devices ---- */

/* Each device loads from where its part of n says: 4 is outside. */
static const char at_n[] = "grid 2\ninput n i32[1]\ninput x f32[4]\noutput o f32[2]\nbody\n"
                           "%8:i32[] = constant value=0; %9:i32[] = program_id axis=0; "
                           "%10:i32[] = load %1 %8 [@]; "
                           "%11:f32[] = load %2 %10 [@] loc=1; store %3 %11 %9 [@]\n";

static mesh_test at_places(const int32_t *n, const tg_check_options *check, const char *order)
{
    mesh_test t = {.kernel = at_n,
                   .mesh = "x=2,y=2",
                   .shardings = {{"n", "P(('x', 'y'))", NULL, 0},
                                 {"x", "P()", NULL, 0},
                                 {"o", "P(('x', 'y'))", NULL, 0}},
                   .device_order = order,
                   .check = check};
    mesh_begin(&t);
    mesh_input(&t, "n", "i32", n, IN_SHAPE(4));
    mesh_input(&t, "x", "f32", numbers(), IN_SHAPE(4));
    mesh_run(&t);
    show_errors(t.errors);
    return t;
}

Test(mesh_run, findings_name_their_devices)
{
    static const int32_t n[] = {0, 4, 1, 9};
    static const char *const orders[] = {"sequential", "reversed", "shuffled:2"};
    for (int i = 0; i < 3; i++) {
        mesh_test t = at_places(n, NULL, orders[i]);
        cr_assert_eq(t.status, TG_OK);
        cr_assert_eq(tg_report_finding_count(t.report), 1);
        const tg_finding f = tg_report_finding(t.report, 0);
        cr_assert_str_eq(f.kind, "access-outside-ref");
        cr_assert_str_eq(f.device, "device 1 (x=0, y=1)");
        cr_assert(strstr(f.message, "index 4"), "%s", f.message);
        cr_assert_eq(f.device_count, 2);
        cr_assert_eq(tg_report_device(t.report, 0, 0), 1);
        cr_assert_eq(tg_report_device(t.report, 0, 1), 3);
        cr_assert_eq(f.count, 4);
        cr_assert_eq(f.program[0], 0);
        mesh_end(&t);
    }
}

Test(mesh_run, each_device_is_checked)
{
    static const int32_t n[] = {0, 1, 2, 3};
    static const char raced[] = "grid 2\ninput x f32[1]\noutput o f32[1]\nbody\n"
                                "%10:f32[1] = load %1 [0:1]; %11:f32[1] = load %2 [0:1]; "
                                "%12:f32[1] = add %10 %11; store %2 %12 [0:1]\n";
    const tg_check_options check = {.size = sizeof check};
    mesh_test t = at_places(n, &check, NULL);
    cr_assert_eq(t.status, TG_OK);
    cr_assert_eq(tg_report_finding_count(t.report), 0);
    mesh_end(&t);
    t = (mesh_test){.kernel = raced,
                    .mesh = "x=2",
                    .shardings = {{"x", "P('x')", NULL, 0}, {"o", "P('x')", NULL, 0}},
                    .check = &check};
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", numbers(), IN_SHAPE(2));
    mesh_run(&t);
    cr_assert_eq(t.status, TG_OK);
    bool has_race = false;
    for (size_t i = 0; i < tg_report_finding_count(t.report); i++) {
        const tg_finding f = tg_report_finding(t.report, i);
        has_race |= strcmp(f.kind, "race") == 0 && f.device_count == 2;
    }
    cr_assert(has_race);
    mesh_end(&t);
}

static int count_progress(void *context, int64_t done, int64_t total)
{
    int64_t *most = context;
    cr_assert_eq(total, 8);
    if (done > most[0]) most[0] = done;
    return most[1] && done >= most[1];
}

Test(mesh_run, progress_counts_all_devices_and_stops)
{
    static const int32_t n[] = {4, 4, 4, 4};
    mesh_test t = at_places(n, NULL, NULL);
    int64_t seen[] = {0, 0};
    cr_assert_eq(t.status, TG_OK);
    tg_report_free(t.report);
    tg_arrays_free(t.outputs);
    t.outputs = tg_arrays_new();
    t.options.progress = count_progress;
    t.options.context = seen;
    mesh_run(&t);
    cr_assert_eq(t.status, TG_OK);
    cr_assert_eq(seen[0], 8);
    tg_report_free(t.report);
    tg_arrays_free(t.outputs);
    t.outputs = tg_arrays_new();
    seen[1] = 4;
    mesh_run(&t);
    cr_assert_eq(t.status, TG_ERR_STOPPED);
    cr_assert_not_null(t.report);
    cr_assert_eq(tg_report_finding_count(t.report), 1);
    cr_assert_eq(tg_report_finding(t.report, 0).device_count, 2);
    cr_assert_eq(tg_report_mesh_output_count(t.report), 0);
    mesh_end(&t);
}

static int rises(void *context, int64_t done, int64_t total)
{
    int64_t *before = context;
    cr_expect_eq(total, 8);
    cr_expect_geq(done, *before);
    *before = done;
    return 0;
}

/* Each device runs long enough to make progress known on the way, which goes on from that of the one before. */
Test(mesh_run, progress_within_a_device)
{
    static const int32_t n[] = {0, 0};
    int64_t before = 0;
    mesh_test t = {
        .kernel = "grid 4\ninput x i32[1]\noutput o i32[1]\nbody\n%10:i32[1] = load %1 [0:1]\n"
                  "%11:i32[] = constant value=0; %12:i32[] = constant value=800000; "
                  "%13:i32[] = constant value=1\n%14:i32[1] = for %11 %12 %13 %10 { (%20:i32[] "
                  "%21:i32[1]) %22:i32[1] = add %21 %21; yield %22 }\nstore %2 %14 [0:1]\n",
        .mesh = "x=2",
        .shardings = {{"x", "P('x')", NULL, 0}, {"o", "P('x')", NULL, 0}},
        .options = {.progress = rises, .context = &before}};
    mesh_begin(&t);
    mesh_input(&t, "x", "i32", n, IN_SHAPE(2));
    mesh_run(&t);
    show_errors(t.errors);
    cr_assert_eq(t.status, TG_OK);
    cr_assert_eq(before, 8);
    mesh_end(&t);
}

static void keep(void *context, const char *text) { strcat(context, text); }

Test(mesh_run, prints_begin_with_the_device)
{
    char text[200] = "";
    mesh_test t = {.kernel = "grid 1\ninput x i32[1]\noutput o i32[1]\nbody\n"
                             "%9:i32[] = constant value=0; %10:i32[1] = load %1 [0:1]; "
                             "%11:i32[] = load %1 %9 [@]; "
                             "debug_print %11 format='x is {}'; store %2 %10 [0:1]\n",
                   .mesh = "x=2",
                   .shardings = {{"x", "P('x')", NULL, 0}, {"o", "P('x')", NULL, 0}}};
    mesh_begin(&t);
    t.options.print = keep;
    t.options.context = text;
    mesh_input(&t, "x", "i32", (int32_t[]){5, 6}, IN_SHAPE(2));
    mesh_run(&t);
    show_errors(t.errors);
    cr_assert_eq(t.status, TG_OK);
    cr_assert_str_eq(text, "device 0 (x=0): x is 5\ndevice 1 (x=1): x is 6\n");
    mesh_end(&t);
}

Test(mesh_run, coverage_is_that_of_all_devices)
{
    static const int32_t n[] = {0, 1, 2, 3};
    mesh_test t = at_places(n, NULL, NULL);
    tg_report_free(t.report);
    tg_arrays_free(t.outputs);
    t.outputs = tg_arrays_new();
    t.options.checks = "coverage";
    mesh_run(&t);
    cr_assert_eq(t.status, TG_OK);
    const tg_output_coverage o = tg_report_output(t.report, 0);
    cr_assert_eq(o.one.count, 8);
    cr_assert_eq(o.one.first, 0);
    cr_assert_eq(o.none.count, 0);
    mesh_end(&t);
}

Test(mesh_run, outputs_that_share_memory_with_inputs)
{
    mesh_test t = {.kernel = "grid 1\ninput x i32[2]\noutput o i32[2] alias=x\nbody\n"
                             "%10:i32[1] = load %1 [0:1]; store %2 %10 [1:1]\n",
                   .mesh = "x=2",
                   .shardings = {{"x", "P('x')", NULL, 0}, {"o", "P('x')", NULL, 0}}};
    mesh_begin(&t);
    mesh_input(&t, "x", "i32", (int32_t[]){5, 6, 7, 8}, IN_SHAPE(4));
    mesh_run(&t);
    show_errors(t.errors);
    cr_assert_eq(t.status, TG_OK);
    const int32_t *o = mesh_output(&t);
    cr_assert(o[0] == 5 && o[1] == 5 && o[2] == 7 && o[3] == 7);
    mesh_end(&t);
}
