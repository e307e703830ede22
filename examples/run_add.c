/* Loads a kernel file, runs its first kernel in a shuffled order, and prints what came out.
 *
 *   run_add add.json
 *
 * The kernel takes f32 arrays x and y of 10 elements and gives their sum, o. */
#include <inttypes.h>
#include <stdio.h>

#include <tilegrind/tilegrind.h>

enum { COUNT = 10 };

static void print_errors(const tg_errors *errors)
{
    for (size_t i = 0; i < tg_errors_count(errors); i++) {
        tg_error error = tg_errors_get(errors, i);
        fprintf(stderr, "%s: %s: %s\n", error.file ? error.file : "", error.where, error.message);
    }
}

/* A row-major array of f32 in our own memory, named after the parameter it goes to. */
static tg_array f32_array(const char *name, float *data, int64_t *shape, int rank)
{
    tg_array array = {.name = name};
    array.tensor.data = data;
    array.tensor.device.device_type = 1; /* the CPU */
    array.tensor.ndim = rank;
    array.tensor.dtype = tg_dtype_to_dlpack("f32");
    array.tensor.shape = shape;
    return array;
}

static void print_findings(const tg_report *report)
{
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        tg_finding finding = tg_report_finding(report, i);
        printf("%s: %s\n", finding.kind, finding.message);
    }
}

static tg_status run(const tg_module *module, tg_errors *errors)
{
    float x[COUNT], y[COUNT], o[COUNT];
    int64_t shape[] = {COUNT};
    for (int i = 0; i < COUNT; i++) x[i] = (float)i, y[i] = 100;

    tg_array arrays[] = {f32_array("x", x, shape, 1), f32_array("y", y, shape, 1),
                         f32_array("o", o, shape, 1)};
    tg_run_options options = {.size = sizeof options, .order = "shuffled:1"};
    tg_report *report;
    tg_status status = tg_run(module, NULL, arrays, 3, &options, &report, errors);
    if (status != TG_OK) return status;

    tg_run_stats stats = tg_report_stats(report);
    printf("%" PRId64 " programs, order %s\n", stats.programs, stats.order);
    print_findings(report);
    for (int i = 0; i < COUNT; i++) printf("%g\n", (double)o[i]);
    tg_report_free(report);
    return TG_OK;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: run_add KERNEL.json\n");
        return 2;
    }
    tg_errors *errors = tg_errors_new();
    tg_module *module = NULL;
    tg_status status = tg_module_load_file(argv[1], &module, errors);
    if (status == TG_OK) status = run(module, errors);
    print_errors(errors);
    tg_module_free(module);
    tg_errors_free(errors);
    return tg_status_exit(status);
}
