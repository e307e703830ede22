/* The cross-check by the public interface: options, results, and where outputs first differ. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "gpu/fake_device.h"

#include <unistd.h>

#include "run_text.h"
#include "tilegrind/crosscheck.h"

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

/* A case of a kernel in JSON, with its "inputs". */
static tg_case *open_json(const char *json, const char *inputs)
{
    char folder[] = "/tmp/tg-api-cross-XXXXXX", kernel[64], path[64], text[256];
    tg_case *c;
    cr_assert_not_null(mkdtemp(folder));
    snprintf(kernel, sizeof kernel, "%s/kernel.json", folder);
    snprintf(path, sizeof path, "%s/case.json", folder);
    snprintf(text, sizeof text,
             "{\"tilegrind\": \"0.1\", \"kernel\": \"kernel.json\", \"inputs\": {%s}}", inputs);
    write_text(kernel, json);
    write_text(path, text);
    tg_errors *errors = tg_errors_new();
    const tg_status status = tg_case_open(folder, &c, errors);
    show_errors(errors);
    cr_assert_eq(status, TG_OK);
    tg_errors_free(errors);
    unlink(kernel);
    unlink(path);
    rmdir(folder);
    return c;
}

/* A case of a kernel of x, f32[4] of 1 to 4. */
static tg_case *open_case(const char *kernel)
{
    char *json = json_of(kernel);
    tg_case *c = open_json(json, "\"x\": {\"type\": \"f32[4]\", \"values\": [1, 2, 3, 4]}");
    free(json);
    return c;
}

#define KERNEL(ops)                                                                                \
    "grid 1\ninput x f32[4]\noutput o f32[4]\nbody\n%3:f32[4] = load %1 [0:4]\n" ops               \
    "\nstore %2 %9 [0:4]\n"

static const char plain[] = KERNEL("%9:f32[4] = add %3 %3");
static const char rough[] = KERNEL("%9:f32[4] = exp %3");

static tg_crosscheck *check(const tg_case *c, const char *other, const char *profile)
{
    const char *const backends[] = {"cpu", other};
    const tg_crosscheck_options options = {
        .size = sizeof options, .backends = backends, .backend_count = 2, .profile = profile};
    tg_crosscheck *found;
    cr_assert_eq(tg_crosscheck_new(c, &options, &found, NULL), TG_OK);
    cr_assert_eq(tg_crosscheck_count(found), 1);
    return found;
}

Test(api_crosscheck, equal)
{
    tg_case *c = open_case(plain);
    tg_crosscheck *found = check(c, "emulator:3", NULL);
    const tg_cross_result result = tg_crosscheck_get(found, 0);
    cr_assert_str_eq(result.backend, "emulator:3");
    cr_assert_eq(result.verdict, TG_CROSS_EQUAL, "%s", result.message);
    cr_assert_str_eq(result.message, "");
    cr_assert_str_eq(result.first_message, "");
    cr_assert_null(result.bound_output);
    cr_assert_null(tg_crosscheck_first(found, 0).kind);
    tg_crosscheck_free(found);
    tg_crosscheck_free(NULL);
    tg_case_close(c);
}

Test(api_crosscheck, within_a_bound)
{
    tg_case *c = open_case(rough);
    tg_crosscheck *found = check(c, "emulator", "fast");
    const tg_cross_result result = tg_crosscheck_get(found, 0);
    cr_assert_eq(result.verdict, TG_CROSS_WITHIN, "%s", result.message);
    cr_assert_str_eq(result.bound_output, "o");
    cr_assert(result.bound_element >= 0 && result.bound_element < 4);
    cr_assert(result.off > 0 && result.off <= result.bound);
    tg_crosscheck_free(found);
    tg_case_close(c);
}

Test(api_crosscheck, refused_and_failed)
{
    tg_case *c = open_case("grid 2\ninput x f32[4]\noutput o f32[4]\nscratch s sem[]\nbody\n"
                           "%10:i32[] = constant value=1\nsemaphore_signal %3 %10 %10\n");
    tg_crosscheck *found = check(c, "emulator", NULL);
    tg_cross_result result = tg_crosscheck_get(found, 0);
    cr_assert_eq(result.verdict, TG_CROSS_REFUSED, "%s", result.message);
    cr_assert_eq(result.status, TG_ERR_UNSUPPORTED);
    tg_crosscheck_free(found);
    found = check(c, "nothing", NULL);
    result = tg_crosscheck_get(found, 0);
    cr_assert_eq(result.verdict, TG_CROSS_FAILED);
    cr_assert_eq(result.status, TG_ERR_USAGE);
    cr_assert_not_null(strstr(result.message, "backend \"nothing\" is none"), "%s", result.message);
    tg_crosscheck_free(found);
    tg_case_close(c);
}

/* What the fake GPUs execute with a fault (tests/gpu/fake_driver.c). */
static const char spoilt[] =
    "{\"tilegrind\": \"0.1\", \"locations\": [{\"file\": \"k.py\", \"line\": 7, \"function\": "
    "\"f\"}], \"kernels\": [{\"name\": \"spoilt\", \"grid\": [], \"params\": [{\"name\": \"o\", "
    "\"role\": \"output\", \"type\": \"i32[4]\"}], \"body\": {\"args\": [{\"id\": 1, \"type\": "
    "\"ref<i32[4]>\"}], \"ops\": [{\"op\": \"iota\", \"axis\": 0, \"out\": [{\"id\": 2, \"type\": "
    "\"i32[4]\"}]}, {\"op\": \"add\", \"in\": [2, 2], \"out\": [{\"id\": 3, \"type\": "
    "\"i32[4]\"}], \"loc\": 1}, {\"op\": \"store\", \"in\": [1, 3], \"index\": [[\"slice\", 0, 4, "
    "1]]}]}}]}";

Test(api_crosscheck, where_outputs_first_differ)
{
    use_driver(TG_FAKE_DRIVER);
    tg_case *c = open_json(spoilt, "");
    tg_crosscheck *found = check(c, "gpu:1", NULL);
    const tg_cross_result result = tg_crosscheck_get(found, 0);
    const tg_cross_first first = tg_crosscheck_first(found, 0);
    cr_assert_eq(result.verdict, TG_CROSS_DIFFERENT, "%s", result.message);
    cr_assert_not_null(strstr(result.first_message, "first op that differs: add at k.py:7"), "%s",
                       result.first_message);
    cr_assert_str_eq(first.kind, "block");
    cr_assert_str_eq(first.at.op, "add");
    cr_assert_str_eq(first.at.file, "k.py");
    cr_assert(first.at.line == 7 && first.at.rank == 0 && first.at.visit == 1);
    cr_assert_null(first.other.op);
    cr_assert_null(first.output);
    cr_assert_str_eq(first.dtype, "i32");
    cr_assert(first.rank == 1 && first.index[0] == 2 && first.differing == 1 && first.ulps == 1);
    cr_assert_str_eq(first.want.text, "4");
    cr_assert_str_eq(first.got.text, "3");
    cr_assert(first.got.bits == 3 && first.got.width == 32);
    tg_crosscheck_free(found);
    tg_case_close(c);
}

static void check_usage(const tg_crosscheck_options *options, const char *part)
{
    tg_case *c = open_case(plain);
    tg_crosscheck *found = (tg_crosscheck *)1;
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_crosscheck_new(c, options, &found, errors), TG_ERR_USAGE);
    cr_assert_null(found);
    cr_assert_eq(tg_errors_count(errors), 1);
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, part), "%s",
                       tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
    tg_case_close(c);
}

Test(api_crosscheck, options_that_do_not_go_together)
{
    static const char *const backends[] = {"emulator", "cpu", "cpu"};
#define OPTIONS(...) (&(tg_crosscheck_options){.size = sizeof(tg_crosscheck_options), __VA_ARGS__})
    check_usage(OPTIONS(.backends = backends, .backend_count = 1), "at least two backends");
    check_usage(OPTIONS(.backends = backends, .backend_count = 2, .profile = "quick"),
                "profile \"quick\" is none of reference and fast");
    check_usage(OPTIONS(.backends = backends, .backend_count = 2, .profile = "fast"),
                "profile fast takes cpu as the first backend");
    check_usage(OPTIONS(.backends = backends + 1, .backend_count = 2, .profile = "fast"),
                "profile fast takes cpu as the first backend");
    check_usage(OPTIONS(.backends = backends, .backend_count = 2, .tensor_core = "sm80"),
                "tensor core \"sm80\" is none of exact, sm90, sm100");
    static const char *const right[] = {"cpu", "emulator"};
    check_usage(
        OPTIONS(.backends = right, .backend_count = 2, .profile = "fast", .tensor_core = "sm90"),
        "not with those of tensor core \"sm90\"");
}
