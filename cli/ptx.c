/* tilegrind ptx: a kernel as PTX. */
#include "cli/commands.h"
#include "cli/errors.h"
#include "base/file.h"
#include "tilegrind/case.h"

enum { OPT_OUT = 1, OPT_TARGET, OPT_PROFILE, OPT_TENSOR_CORE, OPT_KERNEL };
static const tg_cli_option options[] = {
    {OPT_OUT, "out", "FILE", "write to FILE instead of standard output"},
    {OPT_TARGET, "target", "SM",
     "the chip that the text is for, as in sm_90; default: sm_80, or sm_90 if the kernel has "
     "barriers; the "
     "text runs on all later chips; one for sm_90a, sm_100a or sm_103a on that chip alone"},
    {OPT_PROFILE, "profile", "PROFILE", "reference (the default) or fast"},
    {OPT_TENSOR_CORE, "tensor-core", "MODEL",
     "exact (default); sm90, sm100: products of narrow floats on the units of this tensor core, by "
     "a "
     "text for sm_90a or sm_100a (docs/numerics-tensor-core.md)"},
    {OPT_KERNEL, "kernel", "NAME", "the kernel of a file; the first if not given"},
    {0, NULL, NULL, NULL},
};

typedef struct request {
    const char *path, *out, *target, *profile, *tensor_core, *kernel;
} request;

/* ---- the text ---- */

/* `*text` is NULL where the module has no such kernel, or the kernel no PTX. */
static tg_status text_of(const request *r, const tg_module *module, const char *kernel, char **text,
                         tg_errors *errors)
{
    const tg_module_ptx_options with = {.size = sizeof with,
                                        .target = r->target,
                                        .profile = r->profile,
                                        .tensor_core = r->tensor_core};
    *text = tg_module_ptx(module, kernel, &with, errors);
    if (*text) return TG_OK;
    return errors && tg_errors_count(errors) ? tg_errors_get(errors, 0).status : TG_ERR_NO_MEMORY;
}

static tg_status of_case(const request *r, char **text, tg_errors *errors)
{
    tg_case *c;
    TG_TRY(tg_case_open(r->path, &c, errors));
    const tg_status status =
        text_of(r, tg_case_module(c), tg_case_describe(c).kernel, text, errors);
    tg_case_close(c);
    return status;
}

static tg_status of_file(const request *r, char **text, tg_errors *errors)
{
    tg_module *module;
    TG_TRY(tg_module_load_file(r->path, &module, errors));
    const tg_status status = text_of(r, module, r->kernel, text, errors);
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
    tg_errors *errors = tg_errors_new();
    tg_status status = tg_cli_collect(&diags, errors,
                                      tg_cli_is_case(r->path) ? of_case(r, &text, errors)
                                                              : of_file(r, &text, errors));
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
    if (id == OPT_TENSOR_CORE) r->tensor_core = value;
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
