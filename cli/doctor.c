/* tilegrind doctor: what this build is, what this machine can do, and whether both work together.
 */
#include <stdbool.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/doctor_gpu.h"
#include "base/json_out.h"
#include "cli/style.h"
#include "tilegrind/tilegrind.h"

#ifndef TG_BUILT_WITH
#define TG_BUILT_WITH "an unknown compiler"
#endif
#ifndef TG_CJSON_VERSION
#define TG_CJSON_VERSION "of unknown version"
#endif
#ifndef TG_LIBZIP_VERSION
#define TG_LIBZIP_VERSION "of unknown version"
#endif

/* o = x + x over 8 elements, 2 programs: enough to see that a build runs at all. */
static const char self_test[] =
    "{\"tilegrind\":\"0.1\",\"kernels\":[{\"name\":\"self_test\",\"grid\":[{\"size\":2}],"
    "\"params\":["
    "{\"name\":\"x\",\"role\":\"input\",\"type\":\"f32[8]\",\"block\":[{\"blocked\":4}],\"index_"
    "map\":"
    "{\"args\":[{\"id\":0,\"type\":\"i32[]\"}],\"yield\":[0]}},"
    "{\"name\":\"o\",\"role\":\"output\",\"type\":\"f32[8]\",\"block\":[{\"blocked\":4}],\"index_"
    "map\":"
    "{\"args\":[{\"id\":1,\"type\":\"i32[]\"}],\"yield\":[1]}}],"
    "\"body\":{\"args\":[{\"id\":2,\"type\":\"ref<f32[4]>\"},{\"id\":3,\"type\":\"ref<f32[4]>\"}],"
    "\"ops\":["
    "{\"op\":\"load\",\"in\":[2],\"out\":[{\"id\":4,\"type\":\"f32[4]\"}],\"index\":[[\"slice\",0,"
    "4,1]]},"
    "{\"op\":\"add\",\"in\":[4,4],\"out\":[{\"id\":5,\"type\":\"f32[4]\"}]},"
    "{\"op\":\"store\",\"in\":[3,5],\"index\":[[\"slice\",0,4,1]]}]}}]}";

static tg_array array_of(const char *name, float *data, int64_t *shape)
{
    tg_dltensor tensor = {.data = data, .device = {1, 0}, .ndim = 1, .shape = shape};
    tensor.dtype = tg_dtype_to_dlpack("f32");
    return (tg_array){name, tensor};
}

/* Whether the self test gives the right numbers on `isa` (NULL: the widest); TG_ERR_USAGE where the
 * machine lacks it, TG_ERR_UNSUPPORTED where the profile cannot be had, for the reason that
 * `errors` gives. */
static tg_status test_run(const tg_module *module, const char *isa, const char *profile,
                          tg_errors *errors)
{
    float x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, o[8] = {0};
    int64_t shape[] = {8};
    tg_array arrays[] = {array_of("x", x, shape), array_of("o", o, shape)};
    tg_run_options options = {.size = sizeof options, .isa = isa, .profile = profile};
    tg_report *report = NULL;
    tg_status status = tg_run(module, NULL, arrays, 2, &options, &report, errors);
    bool clean = status == TG_OK && tg_report_finding_count(report) == 0;
    for (int i = 0; i < 8; i++) clean = clean && o[i] == 2 * x[i];
    tg_report_free(report);
    if (status != TG_OK) return status;
    return clean ? TG_OK : TG_ERR_INTERNAL;
}

#ifdef TG_SLEEF_VERSION
#define SLEEF_TEXT "SLEEF " TG_SLEEF_VERSION
#else
#define SLEEF_TEXT "no SLEEF"
#endif

static const char *const isas[] = {"baseline", "avx2", "avx512"};
enum { ISA_COUNT = sizeof isas / sizeof *isas };

typedef struct health {
    tg_status module, isa[ISA_COUNT], fast;
    char fast_text[192]; /* what is there to say of profile fast */
} health;

static void examine_fast(health *h, const tg_module *module)
{
    tg_errors *errors = tg_errors_new();
    h->fast = errors ? test_run(module, NULL, "fast", errors) : TG_ERR_NO_MEMORY;
    const char *text = h->fast == TG_OK ? "works" : tg_status_text(h->fast);
    if (errors && tg_errors_count(errors)) text = tg_errors_get(errors, 0).message;
    snprintf(h->fast_text, sizeof h->fast_text, "%s", text);
    tg_errors_free(errors);
}

static health examine(void)
{
    health h = {0};
    tg_module *module = NULL;
    h.module = tg_module_load_text(self_test, strlen(self_test), &module, NULL);
    for (int i = 0; i < ISA_COUNT; i++)
        h.isa[i] = h.module == TG_OK ? test_run(module, isas[i], NULL, NULL) : TG_ERR_INTERNAL;
    if (h.module == TG_OK) examine_fast(&h, module);
    tg_module_free(module);
    return h;
}

static bool is_well(const health *h)
{
    bool well = h->module == TG_OK && h->isa[0] == TG_OK &&
                (h->fast == TG_OK || h->fast == TG_ERR_UNSUPPORTED);
    for (int i = 1; i < ISA_COUNT; i++)
        well = well && (h->isa[i] == TG_OK || h->isa[i] == TG_ERR_USAGE);
    return well;
}

static const char *isa_text(tg_status status)
{
    if (status == TG_OK) return "works";
    return status == TG_ERR_USAGE ? "not on this machine" : "gives wrong results";
}

static void report_text(const health *h)
{
    printf("tilegrind        %s, library %d.%d.%d\n", tg_version(), TG_VERSION_MAJOR,
           TG_VERSION_MINOR, TG_VERSION_PATCH);
    printf("compiler         %s\n", TG_BUILT_WITH);
    printf("libraries        cJSON %s, libzip %s, %s\n", TG_CJSON_VERSION, TG_LIBZIP_VERSION,
           SLEEF_TEXT);
    printf("threads          %d\n", tg_processor_count());
    for (int i = 0; i < ISA_COUNT; i++) printf("isa %-12s %s\n", isas[i], isa_text(h->isa[i]));
    printf("profile fast     %s\n", h->fast_text);
    tg_doctor_gpu_text();
    tg_style style = tg_style_for(stdout);
    printf("self test        %s%s%s\n", is_well(h) ? style.good : style.bad,
           is_well(h) ? "passed" : "FAILED", style.off);
}

static void report_json(const health *h)
{
    tg_json_out json = {.out = stdout};
    tg_emit_open(&json, NULL, '{');
    tg_emit_text(&json, "tilegrind", tg_version());
    tg_emit_text(&json, "compiler", TG_BUILT_WITH);
    tg_emit_text(&json, "cjson", TG_CJSON_VERSION);
    tg_emit_text(&json, "libzip", TG_LIBZIP_VERSION);
    tg_emit_text(&json, "sleef", SLEEF_TEXT);
    tg_emit_int(&json, "threads", tg_processor_count());
    tg_emit_open(&json, "isa", '{');
    for (int i = 0; i < ISA_COUNT; i++) tg_emit_text(&json, isas[i], isa_text(h->isa[i]));
    tg_emit_close(&json, '}');
    tg_emit_text(&json, "profile_fast", h->fast_text);
    tg_doctor_gpu_json(&json);
    tg_emit_bool(&json, "self_test", is_well(h));
    tg_emit_close(&json, '}');
}

enum { OPT_JSON = 1 };
static const tg_cli_option options[] = {
    {OPT_JSON, "json", NULL, "print one JSON object instead of text"},
    {0, NULL, NULL, NULL},
};

static int run(int argc, char **argv)
{
    bool as_json = false;
    const char *value;
    int first, id;
    while ((id = tg_cli_next(&tg_command_doctor, argc, argv, &value, &first)) > 0) as_json = true;
    if (id == TG_CLI_HELPED) return TG_EXIT_CLEAN;
    if (id == TG_CLI_BAD) return TG_EXIT_USAGE;
    if (first != argc) return tg_cli_usage(&tg_command_doctor, "takes no operand");
    health h = examine();
    if (as_json)
        report_json(&h);
    else
        report_text(&h);
    return is_well(&h) ? TG_EXIT_CLEAN : TG_EXIT_INTERNAL;
}

const tg_cli_command tg_command_doctor = {
    "doctor",
    "",
    "say what this build and this machine can do, and test it",
    "Prints version, compiler, libraries, threads and instruction sets, and runs a small kernel on "
    "each\n"
    "instruction set.  Exit code 4 where one gives wrong results.  Of NVIDIA GPUs it tells "
    "driver,\n"
    "devices and ptxas, or why there is none, and runs nothing there.",
    options,
    run,
};
