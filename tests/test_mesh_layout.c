/* Where arrays are on the devices of a mesh: reading, printing, shards, plans, devices of reports.
 */
#include "mesh_run.h"

static tg_mesh_layout *read_layout(const char *text, const char *mesh)
{
    const int64_t shape[] = {8, 8};
    tg_errors *errors = tg_errors_new();
    tg_mesh_layout *layout;
    const tg_status status = tg_mesh_layout_read(NULL, text, mesh, shape, 2, &layout, errors);
    show_errors(errors);
    cr_assert_eq(status, TG_OK, "%s", text);
    tg_errors_free(errors);
    return layout;
}

static void check_print(const tg_mesh_layout *layout, const char *form, const char *expected)
{
    tg_errors *errors = tg_errors_new();
    char *text = tg_mesh_layout_print(layout, form, errors);
    show_errors(errors);
    cr_assert_not_null(text);
    cr_assert_str_eq(text, expected);
    tg_text_free(text);
    tg_errors_free(errors);
}

Test(mesh_layout, all_notations_of_one)
{
    static const char *const same[] = {
        "P(('x', 'y'), unreduced={'z'})",
        "[{\"x\", \"y\"}, {}], unreduced={\"z\"}",
        "(S(0), S(0), P)",
        "(4,16):(2@gpuid,1@m) + [2:1@gpuid] | sum over [2:1@gpuid]",
        "#sdy.sharding<mesh<[\"x\"=2, \"y\"=2, \"z\"=2]>, [{\"x\", \"y\"}, {}], unreduced={\"z\"}>",
        "PartitionSpec(('x', 'y'), None, unreduced={'z'}, unreduced_kind=sum)"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        tg_mesh_layout *layout = read_layout(same[i], "x=2,y=2,z=2");
        check_print(layout, "axe", same[3]);
        check_print(layout, "jax",
                    "x=2,y=2,z=2 P(('x', 'y'), None, unreduced={'z'}, unreduced_kind=sum)");
        check_print(layout, "shardy", same[4]);
        check_print(layout, "sbp", "x=2,y=2,z=2 (S(0), S(0), P(sum))");
        cr_assert_eq(tg_mesh_layout_device_count(layout), 8);
        tg_mesh_layout_free(layout);
    }
}

Test(mesh_layout, layouts_without_names)
{
    tg_mesh_layout *layout = read_layout("(4,16):(2@gpuid,1@m) + [2:1@gpuid]", NULL);
    cr_assert_eq(tg_mesh_layout_device_count(layout), 8);
    check_print(layout, "shardy", "#sdy.sharding<mesh<[\"device\"=8]>, [{\"device\":(1)4}, {}]>");
    tg_mesh_layout_free(layout);
    layout = read_layout("(2,32):(1@gpuid,1@m) | devices [1,0]", NULL);
    check_print(layout, "jax", "<[\"device\"=2], device_ids=[1, 0]> P('device', None)");
    tg_mesh_layout_free(layout);
}

Test(mesh_layout, shards)
{
    tg_mesh_shard s;
    tg_errors *errors = tg_errors_new();
    tg_mesh_layout *layout = read_layout("P('y')", "<[\"x\"=2, \"y\"=2], device_ids=[0, 2, 1, 3]>");
    cr_assert_eq(tg_mesh_layout_shard(layout, 1, &s, NULL), TG_OK);
    cr_assert(s.device == 2 && s.replica == 0 && s.rank == 2);
    cr_assert(s.first[0] == 4 && s.first[1] == 0 && s.extent[0] == 4 && s.extent[1] == 8);
    cr_assert_eq(tg_mesh_layout_shard(layout, 3, &s, NULL), TG_OK);
    cr_assert(s.device == 3 && s.replica == 1 && s.first[0] == 4);
    check_error(&errors, tg_mesh_layout_shard(layout, 4, &s, errors), TG_ERR_USAGE,
                "no position 4 in a mesh of 4 devices");
    tg_mesh_layout_free(layout);
    layout = read_layout("(8,8):(1@m,1@gpuid) ", NULL);
    cr_assert_eq(tg_mesh_layout_shard(layout, 1, &s, NULL), TG_OK);
    tg_mesh_layout_free(layout);
    layout = read_layout("(2,4,8):(1@m,1@gpuid,2@m)", NULL);
    check_error(&errors, tg_mesh_layout_shard(layout, 1, &s, errors), TG_ERR_UNSUPPORTED,
                "device digit below a digit of memory");
    tg_mesh_layout_free(layout);
    tg_errors_free(errors);
}

Test(mesh_layout, refusals)
{
    const int64_t shape[17] = {8, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, none[] = {0};
    tg_mesh_layout *layout = (tg_mesh_layout *)1;
    tg_errors *errors = tg_errors_new();
    check_error(&errors, tg_mesh_layout_read(NULL, "P('x')", NULL, shape, 2, &layout, errors),
                TG_ERR_USAGE, "the mesh is needed");
    cr_assert_null(layout);
    check_error(&errors, tg_mesh_layout_read(NULL, "P('x')", "x=3", shape, 2, &layout, errors),
                TG_ERR_INVALID, "dimension 0 of 8 elements is no multiple of its 3 blocks");
    check_error(&errors, tg_mesh_layout_read(NULL, "P()", "x=3", shape, 17, &layout, errors),
                TG_ERR_USAGE, "at most 16 dimensions");
    check_error(&errors, tg_mesh_layout_read(NULL, "P()", "x=3", none, 1, &layout, errors),
                TG_ERR_INVALID, "0");
    check_error(&errors, tg_mesh_layout_read(NULL, "P()", "x:3", shape, 2, &layout, errors),
                TG_ERR_SYNTAX, "expected");
    check_error(&errors, tg_mesh_layout_read("sbp", "P('x')", "x=2", shape, 2, &layout, errors),
                TG_ERR_SYNTAX, "this is in notation jax, not sbp");
    check_error(&errors, tg_mesh_layout_read("cute", "P('x')", "x=2", shape, 2, &layout, errors),
                TG_ERR_USAGE, "\"cute\" is no notation of arrays on devices");
    cr_assert_eq(tg_mesh_layout_read("jax", "P('x')", "x=2", shape, 2, &layout, errors), TG_OK);
    cr_assert_null(tg_mesh_layout_print(layout, "cute", errors));
    check_error(&errors, TG_ERR_USAGE, TG_ERR_USAGE,
                "\"cute\" is no notation of arrays on devices");
    tg_mesh_layout_free(layout);
    layout = read_layout("(2,4,8):(1@m,1@gpuid,2@m)", NULL);
    cr_assert_null(tg_mesh_layout_print(layout, "jax", errors));
    check_error(&errors, TG_ERR_UNSUPPORTED, TG_ERR_UNSUPPORTED, "device digit below");
    tg_mesh_layout_free(layout);
    layout = read_layout("(4,16):(2@gpuid,1@m) + [2:1@gpuid]", NULL);
    cr_assert_null(tg_mesh_layout_print(layout, "jax", errors));
    check_error(&errors, TG_ERR_UNSUPPORTED, TG_ERR_UNSUPPORTED, "sub-axis");
    tg_mesh_layout_free(layout);
    tg_errors_free(errors);
}

/* ---- plans ---- */

static void check_plan(const char *from, const char *to, const char *mesh, const char *expected)
{
    char text[800] = "";
    tg_mesh_plan *plan;
    tg_errors *errors = tg_errors_new();
    tg_mesh_layout *a = read_layout(from, mesh), *b = read_layout(to, mesh);
    cr_assert_eq(tg_mesh_plan_new(a, b, 4, &plan, errors), TG_OK, "%s", from);
    for (size_t i = 0; i < tg_mesh_plan_step_count(plan); i++) {
        const tg_mesh_step s = tg_mesh_plan_step(plan, i);
        const size_t used = strlen(text);
        cr_assert_eq(strncmp(s.text, s.kind, strlen(s.kind)), 0);
        snprintf(text + used, sizeof text - used, "%s%s %d devices, %d sent, ring %d, pair %d",
                 i ? "; " : "", s.text, (int)s.devices, (int)s.sent, (int)s.ring_link,
                 (int)s.pair_link);
    }
    cr_assert_str_eq(text, expected);
    tg_mesh_plan_free(plan);
    tg_mesh_layout_free(a);
    tg_mesh_layout_free(b);
    tg_errors_free(errors);
}

/* Of 8 x 8 elements of 4 bytes on 4 devices, 64 bytes each. */
Test(mesh_layout, plans)
{
    check_plan("P('x')", "P('x')", "x=4", "");
    check_plan("P('x')", "P()", "x=4",
               "all_gather [{\"x\"}, {}] -> [{}, {}] 4 devices, 192 sent, ring 192, pair 64");
    check_plan("P()", "P('x')", "x=4",
               "all_slice [{\"x\"}, {}] -> [{\"x\"}, {}] 0 devices, 0 sent, ring 0, pair 0");
    check_plan("P('x')", "P(None, 'x')", "x=4",
               "all_to_all {\"x\"}: 0->1 -> [{}, {\"x\"}] 4 devices, 48 sent, ring 96, pair 16");
    check_plan("(P)", "(B)", "x=4",
               "all_reduce {\"x\"} -> [{}, {}] 4 devices, 384 sent, ring 384, pair 128");
    check_plan(
        "(P)", "(S(0))", "x=4",
        "reduce_scatter [{\"x\"}, {}] -> [{\"x\"}, {}] 4 devices, 192 sent, ring 192, pair 64");
    check_plan("(4,16):(1@gpuid,1@m)", "64:1@m + [4:1@gpuid]", NULL,
               "all_gather [{\"device\"}, {}] -> [{}, {}] 4 devices, 192 sent, ring 192, pair 64");
    check_plan("(4,16):(1@gpuid,1@m)", "x=4 P()", NULL,
               "all_gather [{\"x\"}, {}] -> [{}, {}] 4 devices, 192 sent, ring 192, pair 64");
    check_plan("<[\"x\"=4], device_ids=[1, 0, 2, 3]> P('x')", "x=4 P('x')", NULL,
               "collective_permute to other devices -> [{\"x\"}, {}] 2 devices, 64 sent, ring 64, "
               "pair 64");
}

static void check_no_plan(const char *from, const char *to, int64_t bytes, tg_status status,
                          const char *says)
{
    tg_mesh_plan *plan;
    tg_errors *errors = tg_errors_new();
    tg_mesh_layout *a = read_layout(from, NULL), *b = read_layout(to, NULL);
    check_error(&errors, tg_mesh_plan_new(a, b, bytes, &plan, errors), status, says);
    cr_assert_null(plan);
    tg_mesh_layout_free(a);
    tg_mesh_layout_free(b);
    tg_errors_free(errors);
}

Test(mesh_layout, no_plans)
{
    check_no_plan("x=4 P('x')", "y=4 P('y')", 4, TG_ERR_UNSUPPORTED, "axes");
    check_no_plan("x=4 P('x')", "x=4 P()", 0, TG_ERR_INVALID, "an element has 0 bytes");
    check_no_plan("x=4 P('x')", "x=4 P()", INT64_MAX / 8, TG_ERR_INVALID, "63 bits");
    check_no_plan("(2,4,8):(1@m,1@gpuid,2@m)", "x=4 P()", 4, TG_ERR_UNSUPPORTED,
                  "device digit below");
    tg_mesh_plan_free(NULL);
    const int64_t other[] = {4, 16};
    tg_mesh_plan *plan;
    tg_mesh_layout *a = read_layout("x=4 P('x')", NULL), *b;
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_mesh_layout_read(NULL, "x=4 P()", NULL, other, 2, &b, NULL), TG_OK);
    check_error(&errors, tg_mesh_plan_new(a, b, 4, &plan, errors), TG_ERR_INVALID,
                "arrays of other shapes");
    tg_mesh_layout_free(a);
    tg_mesh_layout_free(b);
    tg_errors_free(errors);
}

/* ---- devices of reports ---- */

Test(mesh_layout, a_report_of_one_device)
{
    static const char unwritten[] = "grid 1\ninput x i32[1]\noutput o i32[1]\nbody\n"
                                    "%10:i32[1] = load %1 [0:1]\n";
    int32_t x[1] = {0}, o[1];
    int64_t one[] = {1};
    tg_report *report;
    tg_errors *errors = tg_errors_new();
    tg_module *module = load_kernel(unwritten);
    const tg_array both[] = {array_over("x", "i32", x, 1, one), array_over("o", "i32", o, 1, one)};
    cr_assert_eq(tg_run(module, NULL, both, 2, NULL, &report, NULL), TG_OK);
    cr_assert_eq(tg_report_finding_count(report), 1);
    cr_assert_str_eq(tg_report_finding(report, 0).device, "");
    cr_assert_eq(tg_report_finding(report, 0).device_count, 0);
    cr_assert_eq(tg_report_device_count(report), 0);
    cr_assert_str_eq(tg_report_device_order(report), "");
    cr_assert_eq(tg_report_mesh_output_count(report), 0);
    cr_assert_eq(tg_report_set_device(report, 5, NULL, -1, NULL), TG_OK);
    cr_assert_str_eq(tg_report_finding(report, 0).device, "device 5");
    cr_assert_eq(tg_report_set_device(report, 2, "<[\"x\"=2, \"y\"=2]>", 1, NULL), TG_OK);
    cr_assert_str_eq(tg_report_finding(report, 0).device, "device 2 (x=0, y=1)");
    cr_assert_eq(tg_report_device(report, 0, 0), 2);
    check_error(&errors, tg_report_set_device(report, 0, "x=2", 2, errors), TG_ERR_USAGE,
                "no position 2 in a mesh of 2 devices");
    check_error(&errors, tg_report_set_device(report, -1, NULL, 0, errors), TG_ERR_USAGE,
                "the id of a device is -1");
    check_error(&errors, tg_report_set_device(report, 0, "x", 0, errors), TG_ERR_SYNTAX,
                "expected");
    cr_assert_str_eq(tg_report_finding(report, 0).device, "device 2 (x=0, y=1)");
    tg_report_free(report);
    tg_module_free(module);
    tg_errors_free(errors);
}

Test(mesh_layout, a_report_of_a_mesh_keeps_its_devices)
{
    static const char copy[] = "grid 1\ninput x i32[1]\noutput o i32[1]\nbody\n"
                               "%10:i32[1] = load %1 [0:1]; store %2 %10 [0:1]\n";
    mesh_test t = {
        .kernel = copy, .mesh = "x=2", .shardings = {{"x", "P()", NULL, 0}, {"o", "P()", NULL, 0}}};
    mesh_begin(&t);
    mesh_input(&t, "x", "i32", (int32_t[]){3}, IN_SHAPE(1));
    mesh_run(&t);
    cr_assert_eq(t.status, TG_OK);
    check_error(&t.errors, tg_report_set_device(t.report, 0, NULL, 0, t.errors), TG_ERR_USAGE,
                "the run was on a mesh");
    mesh_end(&t);
}
