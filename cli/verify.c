/* tilegrind verify: everything that is wrong with kernel files. */
#include <stdbool.h>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/style.h"

enum { OPT_JSON = 1 };
static const tg_cli_option options[] = {
    {OPT_JSON, "json", NULL, "print one JSON object instead of text"},
    {0, NULL, NULL, NULL},
};

static void report_text(const char *path, tg_status status, const tg_module *module,
                        const tg_errors *errors)
{
    tg_style style = tg_style_for(stdout);
    if (status != TG_OK) {
        tg_cli_print_errors(errors);
        return;
    }
    size_t kernels = tg_module_kernel_count(module);
    printf("%s: %sok%s, %zu kernel%s\n", path, style.good, style.off, kernels,
           kernels == 1 ? "" : "s");
}

static void report_json(tg_json_out *json, const char *path, tg_status status,
                        const tg_module *module, const tg_errors *errors)
{
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "file", path);
    tg_emit_text(json, "status", tg_status_name(status));
    tg_emit_open(json, "kernels", '[');
    for (size_t i = 0; status == TG_OK && i < tg_module_kernel_count(module); i++)
        tg_emit_text(json, NULL, tg_module_kernel_name(module, i));
    tg_emit_close(json, ']');
    tg_cli_json_errors(json, errors);
    tg_emit_close(json, '}');
}

/* Exit code of one file; `json` is NULL for text. */
static int verify(const char *path, tg_json_out *json)
{
    tg_errors *errors = tg_errors_new();
    tg_module *module = NULL;
    if (!errors) return tg_cli_no_memory();
    tg_status status = tg_module_load_file(path, &module, errors);
    if (json)
        report_json(json, path, status, module, errors);
    else
        report_text(path, status, module, errors);
    tg_module_free(module);
    tg_errors_free(errors);
    return tg_status_exit(status);
}

static int verify_all(char **paths, bool as_json)
{
    tg_json_out json = {.out = stdout};
    int worst = TG_EXIT_CLEAN;
    if (as_json) {
        tg_emit_open(&json, NULL, '{');
        tg_emit_text(&json, "tilegrind", tg_version());
        tg_emit_open(&json, "files", '[');
    }
    for (; *paths; paths++) {
        int code = verify(*paths, as_json ? &json : NULL);
        if (code > worst) worst = code;
    }
    if (as_json) {
        tg_emit_close(&json, ']');
        tg_emit_int(&json, "exit", worst);
        tg_emit_close(&json, '}');
    }
    return worst;
}

static int run(int argc, char **argv)
{
    bool as_json = false;
    const char *value;
    int first, id;
    while ((id = tg_cli_next(&tg_command_verify, argc, argv, &value, &first)) > 0) as_json = true;
    if (id == TG_CLI_HELPED) return TG_EXIT_CLEAN;
    if (id == TG_CLI_BAD) return TG_EXIT_USAGE;
    if (first == argc) return tg_cli_usage(&tg_command_verify, "no file given");
    return verify_all(argv + first, as_json);
}

const tg_cli_command tg_command_verify = {
    "verify",
    "FILE...",
    "check kernel files and say all that is wrong with them",
    "Reads each kernel file and checks it in full: form, types, shapes, the rules of every "
    "operation.\n"
    "Each problem is one line with its place in the file.  The exit code is that of the worst "
    "file.",
    options,
    run,
};
