/* Cases and recordings on the devices of a mesh, by the public interface. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <sys/stat.h>
#include <unistd.h>

#include "mesh_run.h"

static char folder[] = "/tmp/tg-mesh-case-XXXXXX";

/* o = 2 x, of f32[2] a device. */
static const char twice[] = "grid 1\ninput x f32[2]\noutput o f32[2]\nbody\n"
                            "%10:f32[2] = load %1 [0:2]; %11:f32[2] = add %10 %10; "
                            "store %2 %11 [0:2]\n";

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    char *json = json_of(twice);
    write_text("kernel.json", json);
    free(json);
}

static void remove_folder(void)
{
    unlink(in_folder("kernel.json"));
    unlink(in_folder("case.json"));
    rmdir(folder);
}

TestSuite(mesh_case, .init = make_folder, .fini = remove_folder);

static void write_case(const char *inputs, const char *outputs)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\", \"inputs\": {\"x\": %s}, "
             "\"expect\": {\"outputs\": {%s}}}",
             inputs, outputs);
    write_text("case.json", text);
}

static tg_case *open_case(const char *inputs, const char *outputs)
{
    tg_case *c;
    write_case(inputs, outputs);
    cr_assert_eq(tg_case_open_on_mesh(folder, &c, NULL), TG_OK);
    return c;
}

static const tg_mesh_sharding halves[] = {{"x", "P('d')", NULL, 0}, {"o", "P('d')", NULL, 0}};
static const tg_mesh_options two = {sizeof two, "d=2", halves, 2, NULL, NULL};

#define X "{\"type\": \"f32[4]\", \"values\": [1, 2, 3, 4]}"
#define O(values) "\"o\": {\"type\": \"f32[4]\", \"values\": " values "}"

Test(mesh_case, is_judged_by_its_whole_outputs)
{
    tg_case *c = open_case(X, O("[2, 4, 6, 8]"));
    tg_case_run *run;
    cr_assert_eq(tg_case_run_on_mesh(c, &two, NULL, NULL, &run, NULL), TG_OK);
    cr_assert(tg_case_run_verdict(run).passed);
    cr_assert_eq(tg_report_device_count(tg_case_run_report(run)), 2);
    cr_assert_str_eq(tg_report_device_name(tg_case_run_report(run), 1), "device 1 (d=1)");
    const tg_case_output o = tg_case_run_output(run, 0);
    cr_assert(o.is_expected && o.comparison.agree && o.comparison.count == 4);
    tg_case_run_free(run);
    tg_case_close(c);
    c = open_case(X, O("[2, 4, 6, 9]"));
    cr_assert_eq(tg_case_run_on_mesh(c, &two, NULL, NULL, &run, NULL), TG_OK);
    cr_assert_not(tg_case_run_verdict(run).passed);
    cr_assert_eq(tg_case_run_output(run, 0).comparison.first, 3);
    tg_case_run_free(run);
    tg_case_close(c);
}

Test(mesh_case, elements_that_nobody_wrote_are_those_of_the_whole_array)
{
    tg_case *c = open_case("{\"type\": \"f32[4]\", \"fill\": \"undefined\"}", "");
    const tg_array x = tg_case_input(c, 0);
    cr_assert(x.tensor.ndim == 1 && x.tensor.shape[0] == 4);
    for (int i = 0; i < 4; i++)
        cr_assert(((float *)x.tensor.data)[i] != ((float *)x.tensor.data)[i]);
    tg_case_close(c);
}

static tg_status count_runs(void *context, const tg_module *module, const char *kernel,
                            const tg_arrays *inputs, const tg_mesh_options *mesh,
                            const tg_run_options *options, tg_arrays *outputs, tg_report **report,
                            tg_errors *errors)
{
    ++*(int *)context;
    cr_assert(mesh->shardings[1].rank == 1 && mesh->shardings[1].shape[0] == 4,
              "the shape that the case expects");
    cr_assert_str_eq(options->checks, "all", "a check looks for all");
    return tg_mesh_run(module, kernel, inputs, mesh, options, outputs, report, errors);
}

Test(mesh_case, a_hook_runs_the_kernel)
{
    int runs = 0;
    tg_case_run *run;
    tg_case *c = open_case(X, O("[2, 4, 6, 8]"));
    const tg_mesh_hook hook = {sizeof hook, count_runs, &runs};
    const tg_check_options check = {.size = sizeof check};
    tg_mesh_options mesh = two;
    mesh.check = &check;
    cr_assert_eq(tg_case_run_on_mesh(c, &mesh, NULL, &hook, &run, NULL), TG_OK);
    cr_assert(runs == 1 && tg_case_run_verdict(run).passed);
    tg_case_run_free(run);
    tg_case_close(c);
}

static void refuses(const tg_case *c, const tg_mesh_options *mesh, const char *says)
{
    tg_case_run *run = (tg_case_run *)1;
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_case_run_on_mesh(c, mesh, NULL, NULL, &run, errors), TG_ERR_USAGE);
    cr_assert_null(run);
    cr_assert(strstr(tg_errors_get(errors, 0).message, says), "%s",
              tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
}

Test(mesh_case, refusals)
{
    static const int64_t eight[] = {8}, many[16] = {1};
    tg_mesh_sharding list[] = {halves[0], {"o", "P('d')", eight, 1}};
    tg_mesh_options mesh = two;
    tg_case *c = open_case(X, O("[2, 4, 6, 8]"));
    mesh.shardings = list;
    refuses(c, &mesh, "the sharding of o is of f32[8], but the case expects f32[4]");
    list[1] = (tg_mesh_sharding){"o", "P('d')", many, 16};
    refuses(c, &mesh, "an array has at most");
    list[1] = (tg_mesh_sharding){NULL, "P('d')", NULL, 0};
    refuses(c, &mesh, "there is a sharding of without a name");
    refuses(c, NULL, "there is no sharding of x");
    tg_case_close(c);
}

Test(mesh_case, whole_arrays_are_for_a_mesh_only)
{
    tg_case *c;
    tg_case_run *run = (tg_case_run *)1;
    tg_errors *errors = tg_errors_new();
    write_case(X, O("[2, 4, 6, 8]"));
    cr_assert_eq(tg_case_open(folder, &c, NULL), TG_ERR_TYPE);
    cr_assert_eq(tg_case_open_on_mesh(folder, &c, NULL), TG_OK);
    cr_assert_eq(tg_case_run_new(c, NULL, NULL, &run, errors), TG_ERR_USAGE);
    cr_assert_null(run);
    cr_assert(strstr(tg_errors_get(errors, 0).message, "opened for a mesh"));
    tg_errors_free(errors);
    tg_case_close(c);
    write_case("{\"type\": \"i32[4]\", \"fill\": \"ones\"}", "");
    cr_assert_eq(tg_case_open_on_mesh(folder, &c, NULL), TG_ERR_TYPE, "of another dtype");
}

/* ---- recordings ---- */

static tg_recording *record(const mesh_test *t, const tg_mesh_options *mesh, int64_t device,
                            tg_status wanted)
{
    tg_recording *recording = (tg_recording *)1;
    cr_assert_eq(tg_mesh_record(t->module, NULL, t->inputs, mesh, device, &t->options, t->report,
                                NULL, &recording, NULL),
                 wanted);
    cr_assert_eq(recording != NULL, wanted == TG_OK);
    return recording;
}

static mesh_test run_twice(void)
{
    static const float x[] = {1, 2, 3, 4};
    mesh_test t = {.kernel = twice, .mesh = "d=2"};
    memcpy(t.shardings, halves, sizeof halves);
    mesh_begin(&t);
    mesh_input(&t, "x", "f32", x, IN_SHAPE(4));
    mesh_run(&t);
    cr_assert_eq(t.status, TG_OK);
    return t;
}

Test(mesh_record, has_the_parts_of_its_device)
{
    mesh_test t = run_twice();
    tg_recording *recording = record(&t, &two, 1, TG_OK);
    tg_arrays_free(t.inputs); /* the parts are the recording's own */
    t.inputs = NULL;
    cr_assert_eq(((float *)tg_recording_param(recording, 0).array.tensor.data)[0], 3);
    cr_assert_eq(((float *)tg_recording_param(recording, 1).array.tensor.data)[1], 8);
    cr_assert_eq(tg_recording_describe(recording).access_count, 2);
    tg_recording_free(recording);
    mesh_end(&t);
}

Test(mesh_record, refusals)
{
    mesh_test t = run_twice();
    record(&t, &two, 2, TG_ERR_USAGE);
    record(&t, &two, -1, TG_ERR_USAGE);
    record(&t, NULL, 0, TG_ERR_USAGE);
    tg_recording *recording = (tg_recording *)1;
    cr_assert_eq(tg_mesh_record(t.module, "other", t.inputs, &two, 0, &t.options, t.report, NULL,
                                &recording, NULL),
                 TG_ERR_USAGE);
    cr_assert_null(recording);
    t.options.backend = "emulator";
    record(&t, &two, 0, TG_ERR_USAGE);
    mesh_end(&t);
}

Test(mesh_record, wants_the_report_of_a_mesh)
{
    mesh_test t = run_twice();
    static const float x[] = {1, 2};
    arrays all = make_arrays(t.module, NAMED({"x", x}));
    tg_report *of_a_mesh = t.report;
    t.report = run_once(t.module, &all, &t.options);
    record(&t, &two, 0, TG_ERR_USAGE);
    cr_assert_eq(tg_report_set_device(t.report, 0, "d=2", 0, NULL), TG_OK);
    record(&t, &two, 0, TG_ERR_USAGE);
    tg_report_free(of_a_mesh);
    free_arrays(&all);
    mesh_end(&t);
}

/* ---- traces ---- */

Test(mesh_record, a_trace_of_devices)
{
    mesh_test t = run_twice();
    tg_traced list[2];
    for (int d = 0; d < 2; d++)
        list[d] =
            (tg_traced){record(&t, &two, d, TG_OK), tg_report_device_name(t.report, (size_t)d)};
    const tg_trace_about about = {"sequential", NULL};
    char *text = tg_trace_text(list, 2, &about, NULL);
    cr_assert(
        strstr(text, "\"pid\": 2, \"tid\": 1, \"args\": {\"name\": \"device 1 (d=1), program"));
    cr_assert_null(strstr(text, "\"repeat\""));
    tg_text_free(text);
    tg_errors *errors = tg_errors_new();
    cr_assert_null(tg_trace_text(list, 0, &about, errors));
    cr_assert_eq(tg_errors_get(errors, 0).status, TG_ERR_USAGE);
    tg_errors_free(errors);
    for (int d = 0; d < 2; d++) tg_recording_free((tg_recording *)list[d].recording);
    mesh_end(&t);
}
