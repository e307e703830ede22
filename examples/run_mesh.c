/* Runs a kernel on the eight devices of a mesh, and says on which devices something is wrong.
 *
 *   run_mesh examples/row_sums.json examples/row_sums_inputs.npz */
#include <stdio.h>

#include <tilegrind/mesh.h>

static void print_findings(const tg_report *report)
{
    printf("%zu devices\n", tg_report_device_count(report));
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        printf("%s, first on %s: %s\n", f.kind, f.device, f.message);
    }
}

static tg_status run(char **paths, tg_errors *errors)
{
    const tg_mesh_sharding shardings[] = {{.param = "x_ref", .text = "P('x', 'y')"},
                                          {.param = "o_ref", .text = "P('x')"}};
    const tg_mesh_options mesh = {
        .size = sizeof mesh, .mesh = "x=4,y=2", .shardings = shardings, .sharding_count = 2};
    tg_arrays *inputs = tg_arrays_new(), *outputs = tg_arrays_new();
    tg_module *module = NULL;
    tg_report *report = NULL;
    tg_status status = tg_module_load_file(paths[1], &module, errors);
    if (status == TG_OK) status = tg_arrays_read(inputs, paths[2], NULL, errors);
    if (status == TG_OK)
        status = tg_mesh_run(module, NULL, inputs, &mesh, NULL, outputs, &report, errors);
    if (report) print_findings(report);
    tg_report_free(report);
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    tg_module_free(module);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: run_mesh KERNEL.json INPUTS.npz\n");
        return 2;
    }
    tg_errors *errors = tg_errors_new();
    tg_status status = run(argv, errors);
    for (size_t i = 0; i < tg_errors_count(errors); i++)
        fprintf(stderr, "%s\n", tg_errors_get(errors, i).message);
    tg_errors_free(errors);
    return tg_status_exit(status);
}
