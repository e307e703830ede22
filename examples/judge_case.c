/* Runs a case, says how its outputs differ from what it expects, and whether the emulator gives the same.
 *
 *   judge_case CASE */
#include <stdio.h>

#include <tilegrind/crosscheck.h>

static void print_outputs(const tg_case_run *run)
{
    char text[TG_COMPARISON_TEXT];
    for (size_t i = 0; i < tg_arrays_count(tg_case_run_outputs(run)); i++) {
        tg_case_output out = tg_case_run_output(run, i);
        if (out.is_expected)
            printf("%s: %s\n", out.got.name,
                   tg_comparison_text(&out.comparison, &out.got, &out.want, text, sizeof text));
    }
}

static tg_status compare_backends(const tg_case *c, tg_errors *errors)
{
    const char *const backends[] = {"cpu", "emulator"};
    tg_crosscheck_options options = {
        .size = sizeof options, .backends = backends, .backend_count = 2};
    tg_crosscheck *check;
    tg_status status = tg_crosscheck_new(c, &options, &check, errors);
    if (status != TG_OK) return status;
    for (size_t i = 0; i < tg_crosscheck_count(check); i++) {
        tg_cross_result result = tg_crosscheck_get(check, i);
        printf("%s: %s\n", result.backend,
               result.verdict == TG_CROSS_EQUAL ? "the same" : result.message);
    }
    tg_crosscheck_free(check);
    return TG_OK;
}

static tg_status judge(const char *folder, tg_errors *errors)
{
    tg_case *c;
    tg_case_run *run;
    tg_status status = tg_case_open(folder, &c, errors);
    if (status != TG_OK) return status;
    status = tg_case_run_new(c, NULL, NULL, &run, errors);
    if (status == TG_OK) {
        print_outputs(run);
        puts(tg_case_run_verdict(run).passed ? "passed" : "failed");
    }
    tg_case_run_free(run);
    if (status == TG_OK) status = compare_backends(c, errors);
    tg_case_close(c);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: judge_case CASE\n");
        return 2;
    }
    tg_errors *errors = tg_errors_new();
    tg_status status = judge(argv[1], errors);
    for (size_t i = 0; i < tg_errors_count(errors); i++)
        fprintf(stderr, "%s\n", tg_errors_get(errors, i).message);
    tg_errors_free(errors);
    return tg_status_exit(status);
}
