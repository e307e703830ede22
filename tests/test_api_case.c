/* Cases by the public interface: opened, run, judged; and what it says of those that are wrong. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <criterion/criterion.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_text.h"
#include "tilegrind/case.h"

static char folder[] = "/tmp/tg-api-case-XXXXXX";

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

/* Each program stores the first two elements of x, doubled. */
static const char kernel[] = "grid 2\n"
                             "input x f32[4]\n"
                             "output o f32[4] block b2 at i\n"
                             "body\n"
                             "%10:f32[2] = load %1 [0:2]; %11:f32[2] = add %10 %10; "
                             "store %2 %11 [0:2]\n";

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    char *json = json_of(kernel);
    write_text("kernel.json", json);
    free(json);
}

static void remove_folder(void)
{
    unlink(in_folder("kernel.json"));
    unlink(in_folder("case.json"));
    rmdir(folder);
}

TestSuite(api_case, .init = make_folder, .fini = remove_folder);

#define START                                                                                      \
    "{\"tilegrind\": \"0.1\", \"name\": \"n\", \"kernel\": \"kernel.json\", \"inputs\": {\"x\": "  \
    "{\"type\": \"f32[4]\", \"values\": [1, 2, 3, 4]}}, \"orders\": [\"reversed\"], \"expect\": {"
#define OUTPUT(values) "\"outputs\": {\"o\": {\"type\": \"f32[4]\", \"values\": " values "}}"

static tg_case *open_case(const char *expect)
{
    char text[1024];
    tg_case *c;
    tg_errors *errors = tg_errors_new();
    snprintf(text, sizeof text, "%s%s}}", START, expect);
    write_text("case.json", text);
    const tg_status status = tg_case_open(folder, &c, errors);
    show_errors(errors);
    cr_assert_eq(status, TG_OK);
    tg_errors_free(errors);
    return c;
}

static tg_case_run *run_case(const tg_case *c, const tg_run_options *options)
{
    tg_case_run *run;
    cr_assert_eq(tg_case_run_new(c, options, NULL, &run, NULL), TG_OK);
    return run;
}

Test(api_case, has_its_inputs)
{
    tg_case *c = open_case(OUTPUT("[2, 4, 6, 8]"));
    const tg_case_info info = tg_case_describe(c);
    cr_assert_eq(info.input_count, 1);
    cr_assert_eq(info.grid_count, 0);
    const tg_array x = tg_case_input(c, 0);
    cr_assert_str_eq(x.name, "x");
    cr_assert_eq(((const float *)x.tensor.data)[2], 3);
    tg_case_close(c);
}

Test(api_case, what_a_case_says)
{
    tg_case *c = open_case("\"compare\": {\"ulp\": 1}, \"findings\": [{\"kind\": \"race\"}]");
    const tg_case_info info = tg_case_describe(c);
    cr_assert_str_eq(info.name, "n");
    cr_assert_null(info.why);
    cr_assert_str_eq(info.kernel, tg_module_kernel_name(tg_case_module(c), 0));
    cr_assert_eq(info.order_count, 1);
    cr_assert_str_eq(tg_case_order(c, 0), "reversed");
    cr_assert_eq(info.finding_count, 1);
    cr_assert_not(info.is_exact);
    tg_case_close(c);
    tg_case_close(NULL);
}

Test(api_case, a_case_that_passes)
{
    tg_case *c = open_case(OUTPUT("[2, 4, 2, 4]"));
    tg_case_run *run = run_case(c, NULL);
    const tg_case_verdict verdict = tg_case_run_verdict(run);
    const tg_case_output out = tg_case_run_output(run, 0);
    cr_assert(tg_case_describe(c).is_exact);
    cr_assert(verdict.passed);
    cr_assert_eq(verdict.unexpected + verdict.absent, 0);
    cr_assert_eq(tg_arrays_count(tg_case_run_outputs(run)), 1);
    cr_assert_str_eq(out.got.name, "o");
    cr_assert_str_eq(out.want.name, "o");
    cr_assert(out.is_expected);
    cr_assert(out.comparison.agree);
    cr_assert_eq(((float *)out.got.tensor.data)[3], 4);
    cr_assert_eq(tg_report_stats(tg_case_run_report(run)).programs, 2);
    tg_case_run_free(run);
    tg_case_run_free(NULL);
    tg_case_close(c);
}

/* 1 and one and a half times 2^-24, which a chain of fused multiply-adds rounds up, and Hopper's sum cuts off. */
static const char product[] = "input x f16[1,2]\ninput y f16[2,1]\noutput o f32[1,1]\nbody\n"
                              "%10:f16[1,2] = load %1 [0:1,0:2]; %11:f16[2,1] = load %2 [0:2,0:1]\n"
                              "%12:f32[1,1] = dot_general %10 %11 lhs_contract=[1] "
                              "rhs_contract=[0] lhs_batch=[] rhs_batch=[]\n"
                              "store %3 %12 [0:1,0:1]\n";

static void expect_product(const char *says, const char *core, float wanted)
{
    const tg_run_options options = {.size = sizeof options, .tensor_core = core};
    char *json = json_of(product), text[1024];
    tg_case *c;
    write_text("kernel.json", json);
    free(json);
    snprintf(text, sizeof text,
             "{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\", \"inputs\": {\"x\": "
             "{\"type\": \"f16[1,2]\", \"values\": [1, 0.0003662109375]}, \"y\": "
             "{\"type\": \"f16[2,1]\", \"values\": [1, 0.000244140625]}}%s}",
             says);
    write_text("case.json", text);
    cr_assert_eq(tg_case_open(folder, &c, NULL), TG_OK);
    tg_case_run *run = run_case(c, &options);
    const float *got = tg_case_run_output(run, 0).got.tensor.data;
    cr_expect_eq(got[0], wanted, "%s %s: %.9g", says, core ? core : "", (double)got[0]);
    tg_case_run_free(run);
    tg_case_close(c);
}

Test(api_case, says_how_products_are_summed)
{
    expect_product("", NULL, 0x1.000002p0F);
    expect_product(", \"tensor_core\": \"sm90\"", NULL, 1);
    expect_product(", \"tensor_core\": \"sm90\"", "exact", 0x1.000002p0F);
}

Test(api_case, a_case_that_fails)
{
    tg_case *c = open_case(OUTPUT("[2, 4, 2, 5]") ", \"findings\": [{\"kind\": \"race\"}]");
    tg_run_options options = {.size = sizeof options, .checks = "races"};
    tg_case_run *run = run_case(c, &options);
    const tg_case_output out = tg_case_run_output(run, 0);
    cr_assert_not(tg_case_run_verdict(run).passed);
    cr_assert_eq(out.comparison.differing, 1);
    cr_assert_eq(out.comparison.first, 3);
    cr_assert_eq(((float *)out.want.tensor.data)[3], 5);
    tg_case_run_free(run);
    tg_case_close(c);
}

Test(api_case, nothing_is_expected_of_an_output)
{
    tg_case *c = open_case("");
    tg_case_run *run = run_case(c, NULL);
    const tg_case_output out = tg_case_run_output(run, 0);
    cr_assert(tg_case_run_verdict(run).passed);
    cr_assert_not(out.is_expected);
    cr_assert_null(out.want.tensor.data);
    tg_case_run_free(run);
    tg_case_close(c);
}

/* ---- findings ---- */

static const char *const wrong_kernel = "grid 1\n"
                                        "input x f32[4]\n"
                                        "output o f32[4]\n"
                                        "body\n"
                                        "%10:f32[2] = load %1 [0:2]; store %2 %10 [0:2]\n";

Test(api_case, findings_as_expected_and_not)
{
    char *json = json_of(wrong_kernel);
    write_text("kernel.json", json);
    free(json);
    tg_case *c = open_case("\"findings\": [{\"kind\": \"output-unwritten\"}]");
    tg_case_run *run = run_case(c, NULL);
    cr_assert(tg_case_run_verdict(run).passed);
    cr_assert(tg_case_expects(c, tg_case_run_report(run), 0));
    tg_case_run_free(run);
    tg_case_close(c);
    c = open_case("\"findings\": [{\"kind\": \"store-outside-ref\"}]");
    run = run_case(c, NULL);
    cr_assert_not(tg_case_run_verdict(run).passed);
    cr_assert_eq(tg_case_run_verdict(run).unexpected, 1);
    cr_assert_eq(tg_case_run_verdict(run).absent, 1);
    cr_assert_not(tg_case_expects(c, tg_case_run_report(run), 0));
    tg_case_run_free(run);
    tg_case_close(c);
}

/* ---- hooks, stops, differences ---- */

static tg_status change_output(void *context, const tg_module *module, const char *name,
                               const tg_array *list, size_t count, const tg_run_options *options,
                               tg_report **report, tg_errors *errors)
{
    const tg_status status = tg_run(module, name, list, count, options, report, errors);
    ((float *)list[count - 1].tensor.data)[0] += *(float *)context;
    return status;
}

Test(api_case, runs_that_differ)
{
    float one = 1, none = 0;
    tg_case *c = open_case("");
    tg_case_run *first = run_case(c, NULL), *same, *other;
    const tg_run_hook keeps = {sizeof keeps, change_output, &none},
                      changes = {sizeof changes, change_output, &one};
    cr_assert_eq(tg_case_run_new(c, NULL, &keeps, &same, NULL), TG_OK);
    cr_assert_eq(tg_case_run_new(c, NULL, &changes, &other, NULL), TG_OK);
    cr_assert_null(tg_case_run_difference(first, same));
    cr_assert_str_eq(tg_case_run_difference(first, other), "o");
    tg_case_run_free(first);
    tg_case_run_free(same);
    tg_case_run_free(other);
    tg_case_close(c);
}

static tg_status run_and_stop(void *context, const tg_module *module, const char *name,
                              const tg_array *list, size_t count, const tg_run_options *options,
                              tg_report **report, tg_errors *errors)
{
    const tg_status status = tg_run(module, name, list, count, options, report, errors);
    (void)context;
    return status == TG_OK ? TG_ERR_STOPPED : status;
}

Test(api_case, a_run_that_is_stopped)
{
    tg_case *c = open_case("");
    const tg_run_hook hook = {sizeof hook, run_and_stop, NULL};
    tg_case_run *run;
    cr_assert_eq(tg_case_run_new(c, NULL, &hook, &run, NULL), TG_ERR_STOPPED);
    cr_assert_not_null(run);
    cr_assert_not_null(tg_case_run_report(run));
    cr_assert_not(tg_case_run_verdict(run).passed);
    tg_case_run_free(run);
    tg_case_close(c);
}

/* ---- errors ---- */

Test(api_case, cases_that_cannot_be)
{
    tg_case *c = (tg_case *)1;
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_case_open("/no/such/folder", &c, errors), TG_ERR_IO);
    cr_assert_null(c);
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).file, "/no/such/folder"));
    tg_errors_free(errors);
    write_text("case.json", "{\"tilegrind\": \"0.1\"}");
    cr_assert_eq(tg_case_open(folder, &c, NULL), TG_ERR_INVALID);
    cr_assert_null(c);
}

/* A kernel that the verifier refuses, as what it stores is none of its own. */
Test(api_case, the_kernel_is_verified)
{
    tg_case *c = (tg_case *)1;
    char *json = json_of("grid 1\ninput x f32[4]\noutput o f32[4]\nbody\n"
                         "%10:f32[3] = load %1 [0:2]; store %2 %10 [0:3]\n");
    write_text("kernel.json", json);
    free(json);
    write_text("case.json", START "}}");
    cr_assert_eq(tg_case_open(folder, &c, NULL), TG_ERR_TYPE);
    cr_assert_null(c);
}

Test(api_case, runs_that_cannot_be)
{
    tg_case *c = open_case("");
    tg_case_run *run = (tg_case_run *)1;
    tg_errors *errors = tg_errors_new();
    tg_run_options options = {.size = sizeof options, .checks = "everything"};
    cr_assert_eq(tg_case_run_new(c, &options, NULL, &run, errors), TG_ERR_USAGE);
    cr_assert_null(run);
    cr_assert_eq(tg_errors_count(errors), 1);
    tg_errors_free(errors);
    options = (tg_run_options){.size = sizeof options, .order = "backwards"};
    cr_assert_eq(tg_case_run_new(c, &options, NULL, &run, NULL), TG_ERR_USAGE);
    cr_assert_null(run);
    tg_case_close(c);
}
