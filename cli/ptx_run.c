/* tilegrind ptx-run: an entry of a PTX file, in the emulator. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/progress.h"
#include "cli/ptx_args.h"
#include "cli/run_watch.h"
#include "cli/style.h"
#include "base/file.h"

enum {
    OPT_ENTRY = 1,
    OPT_GRID,
    OPT_BLOCK,
    OPT_SHARED,
    OPT_ARG,
    OPT_OUT,
    OPT_SEED,
    OPT_LIMIT,
    OPT_NO_RACES,
    OPT_CTA_RACES,
    OPT_SAME_VALUES,
    OPT_ARBITRARY,
    OPT_JSON
};
static const tg_cli_option options[] = {
    {OPT_ENTRY, "entry", "NAME", "the entry to run; may be left out where the file has just one"},
    {OPT_GRID, "grid", "X[,Y[,Z]]", "CTAs along each axis; default: 1"},
    {OPT_BLOCK, "block", "X[,Y[,Z]]", "threads of a CTA along each axis; default: 1"},
    {OPT_SHARED, "shared", "BYTES", "dynamic shared memory of a CTA"},
    {OPT_ARG, "arg", "SPEC",
     "the next parameter: an array FILE.npy or zeros:f32[1024], which becomes "
     "device memory, or a scalar as i32:5; once for each parameter"},
    {OPT_OUT, "out", "FOLDER|NAME=FILE",
     "write all arrays to FOLDER/PARAMETER.npy, or that of one parameter to "
     "FILE; repeatable"},
    {OPT_SEED, "seed", "N", "order of CTAs and warps; 0 (default): the natural one"},
    {OPT_LIMIT, "limit", "N", "trap after N warp instructions"},
    {OPT_NO_RACES, "no-races", NULL, "do not look for races"},
    {OPT_CTA_RACES, "cta-races", NULL, "look for races between CTAs as well"},
    {OPT_SAME_VALUES, "same-values", NULL,
     "stores of one value to the same bytes of shared memory do not race with each other"},
    {OPT_ARBITRARY, "arbitrary-registers", NULL,
     "a register that its thread has not written has bits of the seed, and is no trap"},
    {OPT_JSON, "json", NULL, "print one JSON object instead of text"},
    {0, NULL, NULL, NULL},
};

enum { MOST_OUTS = 64, MOST_TEXT = 1 << 28 };

typedef struct request {
    const char *path, *entry, *args[TG_PTX_MAX_ARGS], *outs[MOST_OUTS];
    size_t arg_count, out_count;
    tg_emulator_launch launch;
    bool as_json;
} request;

/* Reads "4,8"; what is missing is 1. */
static const char *take_extents(const char *text, uint32_t out[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        unsigned long value = strtoul(text, &end, 10);
        if (end == text || errno || value == 0 || value > INT32_MAX || text[0] == '-')
            return "--grid and --block take up to three sizes from 1 on, as in 4,8";
        out[i] = (uint32_t)value;
        text = end + 1;
        if (!*end) return NULL;
        if (*end != ',') break;
    }
    return "--grid and --block take up to three sizes from 1 on, as in 4,8";
}

static const char *take_number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return end == text || *end || errno || text[0] == '-'
               ? "--shared, --seed and --limit take a number"
               : NULL;
}

static const char *take(request *r, int id, const char *value)
{
    uint64_t number = 0;
    const char *problem = NULL;
    switch (id) {
    case OPT_ENTRY: r->entry = value; return NULL;
    case OPT_GRID: return take_extents(value, r->launch.grid);
    case OPT_BLOCK: return take_extents(value, r->launch.block);
    case OPT_SHARED:
        problem = take_number(value, &number);
        r->launch.shared_bytes = (size_t)number;
        return problem;
    case OPT_ARG:
        if (r->arg_count == TG_PTX_MAX_ARGS) return "too many --arg";
        r->args[r->arg_count++] = value;
        return NULL;
    case OPT_OUT:
        if (r->out_count == MOST_OUTS) return "too many --out";
        r->outs[r->out_count++] = value;
        return NULL;
    case OPT_SEED: return take_number(value, &r->launch.seed);
    case OPT_LIMIT: return take_number(value, &r->launch.instruction_limit);
    case OPT_NO_RACES: r->launch.skip_races = 1; return NULL;
    case OPT_CTA_RACES: r->launch.cta_races = 1; return NULL;
    case OPT_SAME_VALUES: r->launch.same_values = 1; return NULL;
    case OPT_ARBITRARY: r->launch.arbitrary_registers = 1; return NULL;
    default: r->as_json = true; return NULL;
    }
}

/* Everything of one run, so that it ends in one place. */
typedef struct ptx_run {
    char *text;
    size_t length;
    tg_emulator_module *module;
    tg_ptx_args args;
    tg_emulator_outcome *outcome; /* NULL: there was no run */
    tg_emulator_counts counts;    /* of it */
    tg_diags diags;
} ptx_run;

/* The number of the entry that is asked for. */
static size_t find_entry(const request *r, const tg_emulator_module *module)
{
    size_t i = 0;
    while (i < tg_emulator_entry_count(module) &&
           strcmp(tg_emulator_entry_name(module, i), r->entry) != 0)
        i++;
    return i;
}

static tg_status choose_entry(const request *r, ptx_run *run, size_t *out)
{
    const size_t count = tg_emulator_entry_count(run->module);
    *out = r->entry ? find_entry(r, run->module) : 0;
    if (r->entry && *out == count)
        return tg_fail(&run->diags, TG_ERR_USAGE, NULL, "%s has no entry %s", r->path, r->entry);
    if (!r->entry && count != 1)
        return tg_fail(&run->diags, TG_ERR_USAGE, NULL,
                       "%s has %zu entries: --entry says which to run", r->path, count);
    return TG_OK;
}

static int on_progress(void *context, int64_t done, int64_t total)
{
    tg_progress_show(context, done, total);
    return tg_run_is_interrupted();
}

static tg_status load(request *r, ptx_run *run)
{
    TG_TRY(tg_file_read(r->path, MOST_TEXT, &run->text, &run->length, &run->diags));
    tg_errors *errors = tg_errors_new();
    const tg_status status =
        tg_emulator_module_load(run->text, run->length, r->path, &run->module, errors);
    TG_TRY(tg_cli_collect(&run->diags, errors, status));
    TG_TRY(choose_entry(r, run, &r->launch.entry));
    return tg_ptx_args_read(run->module, r->launch.entry, r->args, r->arg_count, &run->args,
                            &run->diags);
}

static tg_status perform(request *r, ptx_run *run)
{
    TG_TRY(load(r, run));
    tg_errors *errors = tg_errors_new();
    tg_progress progress = tg_progress_begin();
    r->launch.progress = on_progress;
    r->launch.context = &progress;
    const tg_status status = tg_emulator_module_run(run->module, &r->launch, run->args.list,
                                                    run->args.count, &run->outcome, errors);
    tg_progress_end(&progress);
    TG_TRY(tg_cli_collect(&run->diags, errors, status));
    run->counts = tg_emulator_outcome_counts(run->outcome);
    for (size_t i = 0; i < r->out_count; i++)
        TG_TRY(tg_ptx_args_write(&run->args, r->outs[i], &run->diags));
    return TG_OK;
}

/* -- reports -- */

static int exit_code(const ptx_run *run, tg_status status)
{
    if (status != TG_OK) return tg_status_exit(status);
    return run->counts.trapped ? TG_EXIT_FINDINGS : TG_EXIT_CLEAN;
}

static void print(const ptx_run *run)
{
    tg_style style = tg_style_for(stdout);
    char number[TG_NUMBER_TEXT], warps[TG_NUMBER_TEXT];
    const tg_emulator_counts *n = &run->counts;
    if (run->outcome) {
        fputs(tg_emulator_outcome_text(run->outcome), stdout);
        printf("%s thread instructions, %s warp instructions",
               tg_number_text(n->thread_instructions, number),
               tg_number_text(n->warp_instructions, warps));
        if (n->inexact) printf(", %s inexact", tg_number_text(n->inexact, number));
        printf(": %s%s%s\n", n->trapped ? style.bad : style.good, n->trapped ? "trapped" : "clean",
               style.off);
    }
    tg_cli_print_diags(&run->diags);
}

static void json_three(tg_json_out *json, const char *key, const uint32_t values[3])
{
    tg_emit_open(json, key, '[');
    for (int i = 0; i < 3; i++) tg_emit_int(json, NULL, values[i]);
    tg_emit_close(json, ']');
}

static void json_place(tg_json_out *json, const char *key, const tg_emulator_place *place)
{
    tg_emit_open(json, key, '{');
    tg_emit_int(json, "line", place->line);
    tg_emit_int(json, "column", place->column);
    if (place->source) tg_emit_text(json, "source", place->source);
    if (place->source) tg_emit_int(json, "source_line", place->source_line);
    json_three(json, "cta", place->cta);
    json_three(json, "thread", place->thread);
    tg_emit_close(json, '}');
}

static void json_trap(tg_json_out *json, const tg_emulator_trap *trap)
{
    char address[32];
    tg_emit_open(json, "trap", '{');
    tg_emit_text(json, "kind", trap->kind);
    tg_emit_text(json, "text", trap->message);
    json_place(json, "at", &trap->at);
    if (trap->other.line) json_place(json, "other", &trap->other);
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)trap->address);
    if (trap->has_address) tg_emit_text(json, "address", address);
    tg_emit_close(json, '}');
}

static void json_outcome(tg_json_out *json, const request *r, const ptx_run *run)
{
    const tg_emulator_trap trap = tg_emulator_outcome_trap(run->outcome);
    tg_emit_text(json, "entry", tg_emulator_entry_name(run->module, r->launch.entry));
    tg_emit_int(json, "thread_instructions", run->counts.thread_instructions);
    tg_emit_int(json, "warp_instructions", run->counts.warp_instructions);
    tg_emit_int(json, "global_loads", run->counts.global_loads);
    tg_emit_int(json, "inexact", run->counts.inexact);
    if (trap.kind) json_trap(json, &trap);
}

static void print_json(const request *r, const ptx_run *run, tg_status status)
{
    tg_json_out json = {.out = stdout};
    tg_emit_open(&json, NULL, '{');
    tg_emit_text(&json, "tilegrind", tg_version());
    tg_emit_text(&json, "file", r->path);
    tg_emit_text(&json, "status", tg_status_name(status));
    if (run->outcome) json_outcome(&json, r, run);
    tg_cli_json_diags(&json, &run->diags);
    tg_emit_int(&json, "exit", exit_code(run, status));
    tg_emit_close(&json, '}');
}

static int run_request(request *r)
{
    static ptx_run run; /* large */
    tg_status status = perform(r, &run);
    int code = exit_code(&run, status);
    if (r->as_json)
        print_json(r, &run, status);
    else
        print(&run);
    tg_ptx_args_free(&run.args);
    tg_emulator_outcome_free(run.outcome);
    tg_emulator_module_free(run.module);
    free(run.text);
    tg_diags_free(&run.diags);
    return code;
}

static int run(int argc, char **argv)
{
    request r = {.launch = {.size = sizeof r.launch}};
    const char *value, *problem = NULL;
    int first, id;
    while (!problem &&
           (id = tg_cli_next(&tg_command_ptx_run, argc, argv, &value, &first)) != TG_CLI_DONE) {
        if (id == TG_CLI_HELPED) return TG_EXIT_CLEAN;
        if (id == TG_CLI_BAD) return TG_EXIT_USAGE;
        problem = take(&r, id, value);
    }
    if (!problem && argc - first != 1) problem = "exactly one PTX file is needed";
    if (problem) return tg_cli_usage(&tg_command_ptx_run, "%s", problem);
    r.path = argv[first];
    tg_run_watch_interrupts();
    return run_request(&r);
}

const tg_cli_command tg_command_ptx_run = {
    "ptx-run",
    "FILE.ptx",
    "run PTX text on the CPU and report what traps",
    "Runs an entry of a PTX file in the emulator: warp by warp, with checks for what was never "
    "written,\n"
    "for bounds, alignment, divergence at barriers, and races between barriers.  docs/emulator.md "
    "says\n"
    "which PTX is understood.\n"
    "Exit code 1 where the kernel trapped; 130 where Ctrl-C stopped the run.",
    options,
    run,
};
