/* Commands of `tilegrind`: what each is called, takes and says about itself.  Parsing and `--help`
 * come from one table, so that they cannot disagree; docs/cli.md is made from `--help`
 * (tools/gen_docs.py). */
#ifndef TG_CLI_COMMAND_H
#define TG_CLI_COMMAND_H

#include <stdbool.h>

/* Exit codes; those of errors come from tilegrind/status.def. */
enum {
    TG_EXIT_CLEAN = 0,
    TG_EXIT_FINDINGS = 1, /* findings, or outputs other than expected */
    TG_EXIT_USAGE = 2,
    TG_EXIT_INTERNAL = 4,
};

typedef struct tg_cli_option {
    int id;           /* > 0, distinct within a command; 0 ends the table */
    const char *name; /* without dashes */
    const char *arg;  /* what its argument is called; NULL for a flag */
    const char *help; /* one line, or several separated by '\n' */
} tg_cli_option;

typedef struct tg_cli_command {
    const char *name;
    const char *operands; /* as in the usage line: "CASE|KERNEL.json" */
    const char *summary;  /* one line */
    const char *details;  /* paragraphs under the usage line */
    const tg_cli_option *options;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit code */
} tg_cli_command;

void tg_cli_print_help(const tg_cli_command *command);

/* Results of tg_cli_next besides the ids of the table. */
enum { TG_CLI_DONE = 0, TG_CLI_BAD = -1, TG_CLI_HELPED = -2 };

/* The id of the next option, its argument in *value.  TG_CLI_DONE after the last: then argv[*first]
 * and what follows are the operands.  TG_CLI_BAD where the line is wrong, which has been said;
 * TG_CLI_HELPED where --help was asked for and given.  For one command line a process. */
int tg_cli_next(const tg_cli_command *command, int argc, char **argv, const char **value,
                int *first);

/* Says that the command line is wrong and where help is.  Returns TG_EXIT_USAGE. */
#if defined __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
int tg_cli_usage(const tg_cli_command *command, const char *format, ...);

/* Of an operand CASE|KERNEL.json: whether it is a case, which is a folder. */
bool tg_cli_is_case(const char *path);

#endif
