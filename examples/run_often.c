/* Prepares a kernel once and runs it a thousand times, each time on the sums of the last.
 *
 *   run_often add.json
 *
 * The kernel takes f32 arrays x and y of 10 elements and gives their sum, o. */
#include <stdio.h>

#include <tilegrind/tilegrind.h>

enum { COUNT = 10, RUNS = 1000 };

static tg_status run_often(const tg_module *module)
{
    float sums[2][COUNT] = {{0}}, y[COUNT];
    for (int i = 0; i < COUNT; i++) y[i] = (float)i;

    tg_executable *executable;
    tg_status status = tg_executable_new(module, NULL, NULL, &executable, NULL);
    for (int n = 0; n < RUNS && status == TG_OK; n++) {
        void *data[] = {sums[n % 2], y, sums[(n + 1) % 2]};
        tg_report *report;
        status = tg_executable_run(executable, data, NULL, 0, &report, NULL);
        tg_report_free(report);
    }
    tg_executable_free(executable);

    for (int i = 0; i < COUNT; i++) printf("%g\n", (double)sums[RUNS % 2][i]);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: run_often KERNEL.json\n");
        return 2;
    }
    tg_module *module;
    tg_status status = tg_module_load_file(argv[1], &module, NULL);
    if (status == TG_OK) status = run_often(module);
    if (status != TG_OK) fprintf(stderr, "%s\n", tg_status_text(status));
    tg_module_free(module);
    return tg_status_exit(status);
}
