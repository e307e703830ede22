/* tilegrind check: a case or a kernel, with all checks and in many orders. */
#include <errno.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/run_args.h"

enum { OPT_SHUFFLES = TG_OPT_OWN, OPT_INTERLEAVINGS, OPT_SEED };
static const char check_help[] = "what to look for: "
#define TG_CHECK(ID, name, what) name ", "
#define TG_ADVICE(ID, name, what)
#include "report/checks.def"
                                 "all (default) or none"
#define TG_CHECK(ID, name, what)
#define TG_ADVICE(ID, name, what) "; " name ", which is not one of all"
#include "report/checks.def"
    ;

static const tg_cli_option options[] = {
    TG_CLI_FILE_OPTIONS,
    {TG_OPT_CHECK, "check", "CHECK,...", check_help},
    TG_CLI_LOOK_OPTIONS,
    {OPT_SHUFFLES, "shuffles", "N", "how many shuffled orders to try; default: 8"},
    {OPT_INTERLEAVINGS, "interleavings", "N", "how many interleaved orders to try; default: 4"},
    {OPT_SEED, "seed", "N", "the seed of the first of either, counted up from there; default: 1"},
    TG_CLI_MACHINE_OPTIONS,
    TG_CLI_KERNEL_OPTIONS,
    TG_CLI_MESH_OPTIONS,
    TG_CLI_REPORT_OPTIONS,
    {0, NULL, NULL, NULL},
};

/* Reads a count of orders; 0 is told apart from "not given", for which the library has numbers of
 * its own. */
static const char *take_count(int *out, const char *text, const char *problem)
{
    char *end;
    errno = 0;
    const long count = strtol(text, &end, 10);
    if (end == text || *end || errno || count < 0 || count > 1000000) return problem;
    *out = count ? (int)count : -1;
    return NULL;
}

static const char *take_seed(uint64_t *out, const char *text)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return *text < '0' || *text > '9' || *end || errno || !*out ? "--seed takes a number from 1 on"
                                                                : NULL;
}

static const char *take(tg_run_request *r, int id, const char *value)
{
    switch (id) {
    case OPT_SHUFFLES:
        return take_count(&r->orders.shuffles, value, "--shuffles takes a number up to 1000000");
    case OPT_INTERLEAVINGS:
        return take_count(&r->orders.interleavings, value,
                          "--interleavings takes a number up to 1000000");
    default: return take_seed(&r->orders.seed, value);
    }
}

static int check(int argc, char **argv)
{
    tg_run_request r = {.is_check = true, .orders = {.size = sizeof r.orders}};
    return tg_cli_run_request(&tg_command_check, &r, take, argc, argv);
}

const tg_cli_command tg_command_check = {
    "check",
    "CASE|KERNEL.json",
    "run a case or a kernel with all checks and in many orders",
    "Runs the kernel in order sequential and looks for what a run alone does not show "
    "(docs/checks.md);\n"
    "then runs it reversed, shuffled and interleaved, and compares the bits of its outputs.  Where "
    "they\n"
    "differ, the two programs are searched whose order decides it.  Each finding tells the command "
    "that\n"
    "shows it again.\n"
    "Exit code 1 where there are findings that --fail-on asks for and no suppression covers, or "
    "an\n"
    "output of a case is not as expected.",
    options,
    check,
};
