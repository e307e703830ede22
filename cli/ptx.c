/* tilegrind ptx: a kernel as PTX. */
#include "cli/commands.h"
#include "cli/errors.h"
#include "crosscheck/run_case.h"
#include "crosscheck/run_kernel.h"
#include "base/file.h"

enum { OPT_OUT = 1, OPT_TARGET, OPT_PROFILE, OPT_KERNEL };
static const tg_cli_option options[] = {
    {OPT_OUT, "out", "FILE", "write to FILE instead of standard output"},
    {OPT_TARGET, "target", "SM",
     "the chip that the text is for, as in sm_90; default: sm_80, whose\n"
     "text runs on all later ones"},
    {OPT_PROFILE, "profile", "PROFILE", "reference (the default) or fast"},
    {OPT_KERNEL, "kernel", "NAME", "the kernel of a file; the first if not given"},
    {0, NULL, NULL, NULL},
};

typedef struct request {
    const char *path, *out, *target, *profile, *kernel;
} request;

/* ---- the text ---- */

/* Errors of the public interface among our own. */
static tg_status text_of(const request *r, const tg_module *module, const char *kernel, char **text,
                         tg_diags *diags)
{
    tg_errors *errors = tg_errors_new();
    *text = tg_module_ptx(module, kernel, r->target, r->profile, errors);
    tg_status status = *text ? TG_OK : TG_ERR_NO_MEMORY;
    for (size_t i = 0; !*text && errors && i < tg_errors_count(errors); i++) {
        const tg_error error = tg_errors_get(errors, i);
        status = tg_fail(diags, error.status, NULL, "%s", error.message);
    }
    tg_errors_free(errors);
    return status;
}

static tg_status of_case(const request *r, char **text, tg_diags *diags)
{
    tg_case *c;
    TG_TRY(tg_case_open(r->path, &c, diags));
    const tg_status status = text_of(r, c->module, c->kernel->name, text, diags);
    tg_case_free(c);
    return status;
}

static tg_status of_file(const request *r, char **text, tg_diags *diags)
{
    tg_module *module;
    TG_TRY(tg_load_kernel_file(r->path, &module, diags));
    const tg_status status = text_of(r, module, r->kernel, text, diags);
    tg_module_free(module);
    return status;
}

static tg_status put(const char *text, const char *path, tg_diags *diags)
{
    tg_file_out out;
    if (!path) {
        fputs(text, stdout);
        return TG_OK;
    }
    TG_TRY(tg_file_create(path, &out, diags));
    fputs(text, out.stream);
    return tg_file_commit(&out, diags);
}

static int print(const request *r)
{
    tg_diags diags = {0};
    char *text = NULL;
    tg_status status =
        tg_cli_is_case(r->path) ? of_case(r, &text, &diags) : of_file(r, &text, &diags);
    if (status == TG_OK) status = put(text, r->out, &diags);
    tg_text_free(text);
    tg_cli_print_diags(&diags);
    tg_diags_free(&diags);
    return tg_status_exit(status);
}

/* ---- the command line ---- */

static void take(request *r, int id, const char *value)
{
    if (id == OPT_OUT) r->out = value;
    if (id == OPT_TARGET) r->target = value;
    if (id == OPT_PROFILE) r->profile = value;
    if (id == OPT_KERNEL) r->kernel = value;
}

static int run(int argc, char **argv)
{
    request r = {0};
    const char *value, *problem = NULL;
    int first, id;
    while ((id = tg_cli_next(&tg_command_ptx, argc, argv, &value, &first)) > 0) take(&r, id, value);
    if (id == TG_CLI_HELPED) return TG_EXIT_CLEAN;
    if (id == TG_CLI_BAD) return TG_EXIT_USAGE;
    if (argc - first != 1) problem = "exactly one case or kernel file is needed";
    if (!problem && r.kernel && tg_cli_is_case(argv[first]))
        problem = "--kernel goes with a kernel file; a case names its kernel";
    if (problem) return tg_cli_usage(&tg_command_ptx, "%s", problem);
    r.path = argv[first];
    return print(&r);
}

const tg_cli_command tg_command_ptx = {
    "ptx",
    "CASE|KERNEL.json",
    "print a kernel as PTX",
    "Prints the PTX that the GPU backend and the emulator run a kernel as.  A CASE is a folder "
    "with\n"
    "case.json.  Exit code 3 for what the PTX backend lacks, with the op's place.",
    options,
    run,
};
