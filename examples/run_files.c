/* Runs the first kernel of a file on inputs from a file, and writes its outputs.
 *
 *   run_files KERNEL.json INPUTS.npz OUTPUTS.npz */
#include <stdio.h>

#include <tilegrind/arrays.h>

static tg_status run(char **paths, tg_errors *errors)
{
    tg_arrays *inputs = tg_arrays_new(), *outputs = tg_arrays_new();
    tg_module *module = NULL;
    tg_report *report = NULL;
    tg_status status = tg_module_load_file(paths[1], &module, errors);
    if (status == TG_OK) status = tg_arrays_read(inputs, paths[2], NULL, errors);
    if (status == TG_OK)
        status = tg_arrays_run(module, NULL, inputs, NULL, NULL, outputs, &report, errors);
    if (status == TG_OK) status = tg_arrays_write(outputs, paths[3], errors);
    if (report) printf("%zu findings\n", tg_report_finding_count(report));
    tg_report_free(report);
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    tg_module_free(module);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: run_files KERNEL.json INPUTS.npz OUTPUTS.npz\n");
        return 2;
    }
    tg_errors *errors = tg_errors_new();
    tg_status status = run(argv, errors);
    for (size_t i = 0; i < tg_errors_count(errors); i++)
        fprintf(stderr, "%s\n", tg_errors_get(errors, i).message);
    tg_errors_free(errors);
    return tg_status_exit(status);
}
