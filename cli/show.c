/* tilegrind show: a kernel file in other forms. */
#include <stdbool.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/errors.h"

enum { OPT_TEXT = 1, OPT_JSON, OPT_PLAN, OPT_MAP, OPT_SVG, OPT_KERNEL, OPT_LAYOUTS, OPT_SCHEMA };
static const tg_cli_option options[] = {
    {OPT_TEXT, "text", NULL, "as text that reads like a jaxpr (the default)"},
    {OPT_JSON, "json", NULL, "as canonical JSON, which is read back identically"},
    {OPT_PLAN, "plan", NULL, "as the plan that the interpreter executes"},
    {OPT_MAP, "map", "PARAM", "draw which program reads or writes which element of a parameter"},
    {OPT_SVG, "svg", NULL, "with --map: as an SVG picture instead of a table"},
    {OPT_KERNEL, "kernel", "NAME", "with --map: the kernel; the first if not given"},
    {OPT_LAYOUTS, "layouts", "HELD",
     "logical (default), or physical: with memory and values held where their layouts say"},
    {OPT_SCHEMA, "schema", NULL, "print the JSON Schema of kernel files; takes no file"},
    {0, NULL, NULL, NULL},
};

typedef struct request {
    int form; /* OPT_TEXT, OPT_JSON, OPT_PLAN, OPT_MAP or OPT_SCHEMA; 0: none was given */
    const char *param, *kernel;
    bool svg, is_physical;
} request;

static char *text_of(const request *r, const tg_module *module, tg_errors *errors)
{
    switch (r->form) {
    case OPT_MAP:
        return tg_module_map(module, r->kernel, r->param, r->svg ? TG_MAP_SVG : TG_MAP_TEXT,
                             errors);
    case OPT_JSON: return tg_module_print(module, TG_TEXT_JSON, errors);
    case OPT_PLAN: return tg_module_print(module, TG_TEXT_PLAN, errors);
    default: return tg_module_print(module, TG_TEXT_PLAIN, errors);
    }
}

static void put(const char *text)
{
    size_t length = strlen(text);
    fputs(text, stdout);
    if (length && text[length - 1] != '\n') putchar('\n');
}

/* Prints and frees `text`; where it is NULL, says why. */
static int finish(char *text, const tg_errors *errors)
{
    if (text) {
        put(text);
        tg_text_free(text);
        return TG_EXIT_CLEAN;
    }
    if (!errors || !tg_errors_count(errors)) return tg_cli_no_memory();
    tg_cli_print_errors(errors);
    return tg_status_exit(tg_errors_get(errors, 0).status);
}

static int show(const request *r, const char *path)
{
    tg_errors *errors = tg_errors_new();
    tg_module *module = NULL;
    char *text = NULL;
    if (errors && tg_module_load_file(path, &module, errors) == TG_OK) {
        const tg_module *shown = module;
        if (!r->is_physical || tg_module_physical(module, &shown, errors) == TG_OK)
            text = text_of(r, shown, errors);
    }
    int code = finish(text, errors);
    tg_module_free(module);
    tg_errors_free(errors);
    return code;
}

/* Notes one option; returns what is wrong with it, or NULL. */
static const char *take(request *r, int id, const char *value)
{
    if (id == OPT_SVG) {
        r->svg = true;
    } else if (id == OPT_KERNEL) {
        r->kernel = value;
    } else if (id == OPT_LAYOUTS) {
        r->is_physical = strcmp(value, "physical") == 0;
        if (!r->is_physical && strcmp(value, "logical") != 0)
            return "--layouts takes logical or physical";
    } else {
        if (r->form && r->form != id)
            return "only one of --text, --json, --plan, --map and --schema";
        r->form = id;
        if (id == OPT_MAP) r->param = value;
    }
    return NULL;
}

static const char *check(const request *r, int operands)
{
    if (r->form == OPT_SCHEMA) return operands ? "--schema takes no file" : NULL;
    if (operands != 1) return "exactly one file is needed";
    if (r->svg && r->form != OPT_MAP) return "--svg goes with --map";
    if (r->kernel && r->form != OPT_MAP) return "--kernel goes with --map";
    return NULL;
}

static int run(int argc, char **argv)
{
    request r = {0};
    const char *value, *problem = NULL;
    int first, id;
    while ((id = tg_cli_next(&tg_command_show, argc, argv, &value, &first)) > 0 && !problem)
        problem = take(&r, id, value);
    if (id == TG_CLI_HELPED) return TG_EXIT_CLEAN;
    if (id == TG_CLI_BAD) return TG_EXIT_USAGE;
    if (!problem) problem = check(&r, argc - first);
    if (problem) return tg_cli_usage(&tg_command_show, "%s", problem);
    return r.form == OPT_SCHEMA ? finish(tg_schema(), NULL) : show(&r, argv[first]);
}

const tg_cli_command tg_command_show = {
    "show",
    "KERNEL.json",
    "print a kernel as text, JSON, plan, or a map of its blocks",
    "Prints a kernel file in another form on standard output.",
    options,
    run,
};
